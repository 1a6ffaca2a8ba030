"""Three lists of members, whose answers a server would combine to sums that no list names."""

import msgspec

from attacks.deviation import Cast, Rewriting
from protocols.messages import Published, Request
from protocols.wire import Message


class ThreeLists(Rewriting):
    """Tells holders by turns all members, all but the first and all but the last of every group."""

    roles = ("aggregator",)

    def __init__(self) -> None:
        super().__init__()
        self._told = 0

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        kept = (slice(None), slice(1, None), slice(-1))[self._told % 3]
        match body:
            case Request(groups, members):
                fewer: Message = Request(groups, tuple(each[kept] for each in members))
            case Published(groups):
                fewer = Published(
                    tuple(
                        msgspec.structs.replace(
                            group, members=group.members[kept], vectors=group.vectors[kept]
                        )
                        for group in groups
                    )
                )
            case _:
                return None
        self._told += 1
        return fewer
