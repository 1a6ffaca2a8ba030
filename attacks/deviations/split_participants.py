"""Different participants for different ears."""

from attacks.deviation import Cast, Rewriting
from protocols.messages import Participants, pack_set
from protocols.wire import Message


class SplitParticipants(Rewriting):
    """Tells every second recipient to mask without the last member of the group."""

    roles = ("aggregator",)

    def __init__(self) -> None:
        super().__init__()
        self._told = 0

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        match body:
            case Participants():
                self._told += 1
                size = len(cast.session.groups[0])
                return Participants(pack_set(range(size - 1), size)) if self._told % 2 else None
        return None
