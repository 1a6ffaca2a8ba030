"""Different survivors for different ears."""

import msgspec

from attacks.deviation import Cast, Rewriting
from protocols.messages import Published, Request, Survivors, pack_set
from protocols.wire import Message


def without_last(body: Message, cast: Cast) -> Message | None:
    """The same request without the last member of every group; `None` if it is no request."""
    match body:
        case Survivors():
            size = len(cast.session.groups[0])
            return Survivors(pack_set(range(size - 1), size))
        case Request(groups, members):
            return Request(groups, tuple(each[:-1] for each in members))
        case Published(groups):
            fewer = [
                msgspec.structs.replace(group, members=group.members[:-1], vectors=group.vectors[:-1])
                for group in groups
            ]
            return Published(tuple(fewer))
    return None


class SplitViews(Rewriting):
    """Tells every second recipient that the last member of the group fell silent."""

    roles = ("aggregator",)

    def __init__(self) -> None:
        super().__init__()
        self._told = 0

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        fewer = without_last(body, cast)
        self._told += fewer is not None
        return fewer if self._told % 2 else None
