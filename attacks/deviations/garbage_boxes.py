"""Shares of its secrets that none of the holders can read."""

import hashlib

from attacks.deviation import Cast, Rewriting
from protocols.messages import Report, SealedShares, Seeds
from protocols.wire import Message


def _noise(sealed: bytes) -> bytes:
    return hashlib.shake_256(sealed).digest(len(sealed))


class GarbageBoxes(Rewriting):
    """Seals garbage for all others; its own vector is fine."""

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        match body:
            case SealedShares(sealed):
                return SealedShares(_noise(sealed))
            case Seeds(box):
                return Seeds(_noise(box))
            case Report(public, shares):
                return Report(public, tuple(map(_noise, shares)))
        return None
