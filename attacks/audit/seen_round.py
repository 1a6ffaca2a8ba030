"""What of a round a view shows: whose rows, what noise in them counts, and what the ledger says of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from attacks.audit.full_node import most_held
from attacks.audit.round_ends import opened_of_nothing
from attacks.audit.target import Line, Target, View
from protocols.grouping import Groups
from protocols.ring import Capacity
from protocols.session import Session
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.privacy.ledger import Ledger
from securenb.privacy.sensitivity import Adjacency


@dataclass(frozen=True, eq=False)
class SeenRound(Target):
    """The rows of a round that one view shows.

    Of the shares of noise only those count that are guaranteed, and that colluders do not know.

    Parameters
    ----------
    federation
        Its choices.
    nodes
        Who takes part.
    view
        What the adversary sees.
    epsilon
        What was asked for, of one opened row.
    """

    federation: Federation
    nodes: Sequence[Node]
    view: View = "group"
    epsilon: Fraction | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", self.federation.layout)
        object.__setattr__(self, "delta", self.federation.mechanism.delta)
        object.__setattr__(self, "name", str(self.federation.mechanism))

    @cached_property
    def groups(self) -> Groups:
        """Who is summed with whom."""
        return self.federation.grouped([node.id for node in self.nodes])

    @cached_property
    def group(self) -> int:
        """The smallest group, in which a record has the least company."""
        return min(range(len(self.groups)), key=lambda index: len(self.groups[index]))

    @property
    def size(self) -> int:
        """Nodes of that group."""
        return len(self.groups[self.group])

    @property
    def among(self) -> int:
        """Contributors of noise that make a dose in that group."""
        return self.federation.noise.honest(self.size)

    @property
    def shares(self) -> int:
        """Contributions of noise that the view cannot do without or subtract."""
        if self.view == "node":
            return 1
        return self.among * (1 if self.view == "group" else len(self.groups))

    @cached_property
    def session(self) -> Session:
        """The session of a round."""
        return self.federation.session(self.groups)

    @cached_property
    def ledger(self) -> Ledger:
        """What the federation charges for a round in which every group is opened."""
        return self.federation.charged(self.groups)

    def opened(self) -> Sequence[Sequence[str]]:
        """Members of each row that a round of nodes without records opens."""
        return opened_of_nothing(self.federation, self.nodes)

    def uncharged(self) -> Sequence[str]:
        """See `Target.uncharged`; where vectors are read, each of them is a release, too."""
        charged = [set(release.nodes) for release in self.ledger.releases if release.seen == "row"]
        missing = []
        for index, members in enumerate(self.opened()):
            if set(members) in charged:
                charged.remove(set(members))
            else:
                missing.append(f"row {index} of {len(members)} nodes")
        if self.federation.vectors_are_read:
            read = {
                name for release in self.ledger.releases if release.seen == "vector" for name in release.nodes
            }
            missing += [f"the vector of {node.id}" for node in self.nodes if node.id not in read][:3]
        return missing

    def lines(self) -> Sequence[Line]:
        """See `Target.lines`."""
        schema, mechanism = self.schema, self.federation.mechanism
        found = []
        for index, label in enumerate(schema.classes):
            for block in schema.blocks:
                name = f"{schema.column_name(block.start)} {block.kind} | {label}"
                start = index * schema.width
                columns = range(start + block.start, start + block.stop)
                law = mechanism.noise(schema, block, self.among, self.shares)
                found.append(Line(name, block, columns, block.reach * mechanism.grid, "schema", law))
        return found

    def witnesses(self) -> range:
        """See `Target.witnesses`."""
        return range(self.schema.length, self.federation.noise.length)

    def cells(self) -> Sequence[str]:
        """What the coordinates of a row are called."""
        found = [line.name for line in self.lines() for _ in line.columns]
        return [*found, *(f"witness cell {at}" for at in range(len(self.witnesses())))]

    def claimed(self, adjacency: Adjacency) -> Fraction | None:
        """See `Target.claimed`."""
        if self.view == "node":
            return self.federation.mechanism.charge(self.schema, self.among, 1).epsilon(adjacency)
        return self.ledger.epsilon(adjacency)

    def asked(self) -> Fraction | None:
        """See `Target.asked`; a vector that is read carries less than a dose, and is charged as that."""
        return None if self.view == "node" else self.epsilon

    def honest(self) -> tuple[int, int]:
        """See `Target.honest`."""
        if self.federation.doses:  # each aggregator adds a dose, and one is honest
            return self.among, 1
        return self.among, self.federation.protocol.survivors(self.size) - self.federation.colluding

    def capacity(self) -> Capacity | None:
        """See `Target.capacity`."""
        return self.session.capacity

    def records(self) -> int:
        """See `Target.records`."""
        return most_held(self.schema, self.federation.record_cap) * max(map(len, self.groups))
