"""Complaints about shares that are fine."""

from attacks.deviation import Cast, Rewriting
from protocols.messages import Complaint, pack_set
from protocols.wire import Message


class FalseComplaint(Rewriting):
    """Says that it can read nothing that the first two members of its group sealed for it."""

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        match body:
            case Complaint():
                return Complaint(pack_set((0, 1), len(cast.session.groups[0])))
        return None
