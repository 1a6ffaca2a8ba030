"""A signature under other survivors."""

from attacks.deviation import Cast, Rewriting
from protocols.double_masking.messages import Confirmation
from protocols.wire import Message


class FalseConfirmation(Rewriting):
    """Signs something else than the survivors it was told."""

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        match body:
            case Confirmation(signature):
                return Confirmation(signature[::-1])
        return None
