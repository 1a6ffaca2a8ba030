"""A sum of two, asked for by the aggregator."""

import msgspec

from attacks.deviation import Cast, Rewriting
from protocols.messages import Open, Published, Request, Survivors, pack_set
from protocols.schemes.paillier import Products
from protocols.wire import Message


class TinyGroup(Rewriting):
    """Asks for the sum of the first two members of a group."""

    roles = ("aggregator",)

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        match body:
            case Survivors():
                return Survivors(pack_set((0, 1), len(cast.session.groups[0])))
            case Request(groups, members):
                return Request(groups, tuple(each[:2] for each in members))
            case Products(products):
                return Products(tuple(msgspec.structs.replace(p, members=p.members[:2]) for p in products))
            case Published(groups):
                fewer = [
                    msgspec.structs.replace(group, members=group.members[:2], vectors=group.vectors[:2])
                    for group in groups
                ]
                return Published(tuple(fewer))
            case Open(groups, members, seeds):
                return Open(groups, tuple(each[:2] for each in members), tuple(each[:2] for each in seeds))
        return None
