"""Two stories about who is summed, told by the aggregator to different parties."""

from attacks.deviation import Cast, Rewriting
from protocols.double_masking.messages import Survivors, pack_set
from protocols.party import Envelope
from protocols.schemes._committee import Request
from protocols.wire import Message


class SplitSurvivors(Rewriting):
    """Tells every second party that the last member of the first group did not survive."""

    roles = ("aggregator",)

    def __init__(self) -> None:
        super().__init__()
        self._told = 0

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        if isinstance(envelope.body, Survivors | Request):
            self._told += 1
            if self._told % 2:
                return [envelope]
        return super().says(envelope, cast)

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        match body:
            case Survivors():
                size = len(cast.session.groups[0])
                return Survivors(pack_set(range(size - 1), size))
            case Request(groups, (first, *others)):
                return Request(groups, (first[:-1], *others))
        return None
