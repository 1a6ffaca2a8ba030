"""Shares of its secrets that cannot be read."""

from attacks.deviation import Cast, Rewriting
from protocols.messages import Report, SealedShares, Seeds
from protocols.wire import Message


def _garbled(sealed: bytes) -> bytes:
    return sealed[:-1] + bytes([sealed[-1] ^ 1])


class BrokenShare(Rewriting):
    """Damages what it seals for others: its last share."""

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        match body:
            case SealedShares(sealed):
                return SealedShares(_garbled(sealed))
            case Seeds(box):
                return Seeds(_garbled(box))
            case Report(public, (*shares, last)):
                return Report(public, (*shares, _garbled(last)))
        return None
