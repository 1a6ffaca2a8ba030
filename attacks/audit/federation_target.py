"""Our own rounds, as a target: one federation, seen in one of the views."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from attacks.audit.target import Frozen, Line, Replay, Target, Values, View
from protocols.grouping import Groups
from protocols.ring import Capacity
from protocols.schemes.ideal import Ideal
from securenb.bayes.parameters import Floats, estimate
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.privacy.distributions import DiscreteGaussian
from securenb.privacy.ledger import Ledger
from securenb.privacy.samplers import Noise
from securenb.privacy.sensitivity import Adjacency
from securenb.schema.records import Records


@dataclass(frozen=True, eq=False)
class FederationTarget(Target):
    """The privacy of one record at one node.

    Everybody else's records are fixed, and left out: they shift what is released by a constant. Of the
    shares of noise only those count that are guaranteed, and that colluders do not know.

    Parameters
    ----------
    federation
        Its choices.
    nodes
        Who takes part.
    view
        What the adversary sees.
    """

    federation: Federation
    nodes: Sequence[Node]
    view: View = "group"

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", self.federation.schema)
        object.__setattr__(self, "delta", self.federation.mechanism.delta)
        object.__setattr__(self, "name", str(self.federation.mechanism))

    @cached_property
    def groups(self) -> Groups:
        """Who is summed with whom."""
        return self.federation.groups(self.nodes)

    @property
    def among(self) -> int:
        """Shares that make a dose in the smallest group."""
        return self.federation.among(min(map(len, self.groups)))

    @property
    def shares(self) -> int:
        """Shares that the view cannot do without or subtract."""
        if self.view == "node":
            return 1
        return self.among * (1 if self.view == "group" else len(self.groups))

    @cached_property
    def ledger(self) -> Ledger:
        """What the federation charges for a round in which every group is opened."""
        return self.federation.charged(self.groups)

    def opened(self) -> Sequence[Sequence[str]]:
        """Members of each row that a round opens: one is run, under the ideal functionality."""
        federation = replace(
            self.federation,
            protocol=Ideal(self.federation.protocol.threshold),
            seed=self.federation.seed or 0,
        )
        empty = [Node(node.id, node.records[:0]) for node in self.nodes]
        return federation.open(federation.prepare(empty)).opened.members

    def uncharged(self) -> Sequence[str]:
        """See `Target.uncharged`."""
        charged = [set(release.nodes) for release in self.ledger.releases if release.seen == "row"]
        missing = []
        for index, members in enumerate(self.opened()):
            if set(members) in charged:
                charged.remove(set(members))
            else:
                missing.append(f"row {index} of {len(members)} nodes")
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

    def claimed(self, adjacency: Adjacency) -> Fraction | None:
        """See `Target.claimed`."""
        if self.view == "node":
            return self.federation.mechanism.charge(self.schema, self.among, 1).epsilon(adjacency)
        return self.ledger.epsilon(adjacency)

    def honest(self) -> tuple[int, int]:
        """See `Target.honest`."""
        smallest = min(map(len, self.groups))
        return self.among, self.federation.protocol.survivors(smallest) - self.federation.colluding

    def capacity(self) -> Capacity | None:
        """See `Target.capacity`."""
        return self.federation.session(self.groups).capacity

    def records(self) -> int:
        """See `Target.records`."""
        return self.federation.record_cap * max(map(len, self.groups))

    def encode(self, frame: pd.DataFrame) -> Records:
        """See `Target.encode`."""
        return self.schema.records(frame)

    def release(self, records: Records, noise: Noise) -> Values:
        """The released vector, with the shares that count."""
        mechanism = self.federation.mechanism
        share = mechanism.share(self.schema, self.among, noise, self.shares)
        return Node("node", records).contribution(self.schema, share, mechanism.grid)

    def replay(self, records: Any, *, traced: bool = True) -> Replay:
        """See `Target.replay`."""
        frozen = Frozen()
        values = self.release(records, frozen)
        if not traced:
            return Replay(values, tuple(frozen.calls), ())
        laws: list[object | None] = [None] * len(values)
        for index, (law, size) in enumerate(frozen.calls):
            reached = np.flatnonzero(self.release(records, Frozen(index)) != values)
            for column in reached:
                laws[column] = law if laws[column] is None else ("several laws", law, laws[column])
            if isinstance(law, DiscreteGaussian) and len(reached):
                terms = size // len(reached)
                for column in reached:
                    laws[column] = DiscreteGaussian(law.variance * terms, terms)
        return Replay(values, tuple(frozen.calls), tuple(laws))

    def rows(self) -> int:
        """See `Target.rows`."""
        return {"node": len(self.nodes), "group": len(self.groups)}.get(self.view, 1)

    def others(self) -> Values:
        """See `Target.others`."""
        total = np.sum([node.statistics(self.schema).vector() for node in self.nodes], axis=0)
        others: Values = total * self.federation.mechanism.grid
        return others

    def show(self, values: Values) -> Floats:
        """See `Target.show`; a model is estimated from each vector."""
        if self.view != "model":
            return super().show(values)
        tables = values.reshape(len(values), len(self.schema.classes), self.schema.width)
        parameters = estimate(self.schema, tables / self.federation.mechanism.grid).table
        return parameters.reshape(len(values), -1)
