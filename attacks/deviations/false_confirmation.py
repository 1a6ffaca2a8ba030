"""Proofs of other members than the party was told."""

from attacks.deviation import Cast, Rewriting
from protocols.messages import Confirmation, Confirmed
from protocols.wire import Message


class FalseConfirmation(Rewriting):
    """Confirms something else than the members it was told."""

    roles = ("node", "trustee")

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        match body:
            case Confirmation(proofs):
                return Confirmation(proofs[::-1])
            case Confirmed(groups, lists, signature):
                return Confirmed(groups, lists[::-1], signature)
        return None
