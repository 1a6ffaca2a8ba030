"""A wrong share when secrets are rebuilt."""

from attacks.deviation import Cast, Rewriting
from protocols.messages import Unmasking
from protocols.wire import Message


class FalseShare(Rewriting):
    """Hands over a wrong share of the first secret that is rebuilt."""

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        match body:
            case Unmasking(present, shares):
                return Unmasking(present, bytes([shares[0] ^ 1]) + shares[1:])
        return None
