"""A public key with which any observer can compute the shared secrets."""

import msgspec

from attacks.deviation import Cast, Rewriting
from protocols.messages import Report, Seeds
from protocols.primitives import xwing
from protocols.primitives.box import overhead_bytes
from protocols.primitives.key_agreement import KEY_BYTES
from protocols.primitives.sealed import TAG_BYTES
from protocols.schemes.oneshot import OneShot
from protocols.schemes.verified import Verified
from protocols.wire import Message

KEYS = ("public", "channel", "mask")
_LENGTHS = (KEY_BYTES, xwing.PUBLIC_BYTES)  # of which the last 32 are a point of the curve


class WeakKey(Rewriting):
    """Sends a public key of small order: all zeros."""

    roles = ("node", "trustee", "aggregator")

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`; what a box begins with ends with a fresh key of its sender."""
        match body, cast.protocol:
            case Seeds(box), OneShot(key_exchange=kind):
                return Seeds(_weakened(box, overhead_bytes(kind) - TAG_BYTES))
            case Report(public, (*shares, last)), Verified(key_exchange=kind):
                return Report(public, (*shares, _weakened(last, overhead_bytes(kind) - TAG_BYTES)))
        keys = {name: getattr(body, name) for name in body.__struct_fields__ if name in KEYS}
        weak = {name: _weakened(key, len(key)) for name, key in keys.items() if len(key) in _LENGTHS}
        return msgspec.structs.replace(body, **weak) if weak else None


def _weakened(data: bytes, end: int) -> bytes:
    return data[: end - KEY_BYTES] + bytes(KEY_BYTES) + data[end:]
