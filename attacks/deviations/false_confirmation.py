"""Proofs of other survivors than the node was told."""

from attacks.deviation import Cast, Rewriting
from protocols.messages import Confirmation
from protocols.wire import Message


class FalseConfirmation(Rewriting):
    """Confirms something else than the survivors it was told."""

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        match body:
            case Confirmation(proofs):
                return Confirmation(proofs[::-1])
        return None
