"""A public key with which any observer can compute the shared secrets."""

import msgspec

from attacks.deviation import Cast, Rewriting
from protocols.primitives.key_agreement import KEY_BYTES
from protocols.wire import Message

KEYS = ("public", "channel", "mask", "key")


class WeakKey(Rewriting):
    """Sends a public key of small order: all zeros."""

    roles = ("node", "trustee", "aggregator")

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        keys = [name for name in body.__struct_fields__ if name in KEYS]
        weak = {name: bytes(KEY_BYTES) for name in keys if len(getattr(body, name)) == KEY_BYTES}
        return msgspec.structs.replace(body, **weak) if weak else None
