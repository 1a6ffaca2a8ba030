"""Our own rounds, as a target: one federation, seen in one of the views."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attacks.audit.black_box.outputs import Outputs
from attacks.audit.contributors import charged_laws, contributors, dose_of, drawn_by_others, strays
from attacks.audit.fewer import fewer_groups, smaller_groups
from attacks.audit.full_node import filled, most_held
from attacks.audit.path_checks import charged_again, fresh_bits, opened_as_sent, read_alone
from attacks.audit.recording import SharedSource
from attacks.audit.recording import traced as trace
from attacks.audit.round_ends import ends, free_of_noise, opened_of_nothing, peeking
from attacks.audit.round_runs import Added, Sender, learned, runs
from attacks.audit.target import Contributed, Frozen, Line, Replay, Tape, Target, Values, View
from protocols.grouping import Groups
from protocols.party import AGGREGATOR
from protocols.ring import Capacity
from protocols.session import Session
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.federation.noise_plan import NoiseSources
from securenb.privacy.distributions import Distribution
from securenb.privacy.ledger import Ledger
from securenb.privacy.mechanisms.none import NoNoise
from securenb.privacy.samplers import Noise
from securenb.privacy.sensitivity import Adjacency
from securenb.schema.records import Records


@dataclass(frozen=True, eq=False)
class FederationTarget(Target):
    """The privacy of one record at one node.

    The other nodes' records are fixed, and left out: they shift what is released by a constant. Of the
    shares of noise only those count that are guaranteed, and that colluders do not know.

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

    def encode(self, frame: pd.DataFrame) -> Records:
        """See `Target.encode`."""
        return self.schema.records(frame)

    def release(self, records: Records, noise: Noise) -> Values:
        """What one node sends, and one aggregator adds where aggregators do: by the round's own functions."""
        federation = replace(self.federation, sources=SharedSource(noise))
        node = Node(self.groups[self.group][0], Records.concatenate(records, filled(self.schema)))
        sent = federation.contribution(node, self.size)
        added = dose_of(federation)
        return sent if added is None else sent + added(AGGREGATOR, self.session, self.group)

    def replay(self, records: Any, *, traced: bool = True) -> Replay:
        """See `Target.replay`; one contributor's laws are taken as often as the view has contributors.

        That all of them ask for the same is what `streams` checks.
        """
        if not traced:
            frozen = Frozen()
            values = self.release(records, frozen)
            return Replay(values, tuple(frozen.calls), (), self.release(records, Tape(0)) - values)
        values, calls, laws = trace(lambda sources: self.release(records, sources("any")))
        lifted = (law.repeated(self.shares) if isinstance(law, Distribution) else law for law in laws)
        landed = self.release(records, Tape(0)) - values
        return Replay(values, tuple(calls), tuple(lifted), landed)

    def asked(self) -> Fraction | None:
        """See `Target.asked`; a vector that is read carries less than a dose, and is charged as that."""
        return None if self.view == "node" else self.epsilon

    def path(self, pool: pd.DataFrame) -> dict[str, str]:
        """See `Target.path`."""
        few = self.few()
        found = {
            "a record is read by itself": read_alone(self.encode, pool),
            "sums are opened as they were sent, by messages too": opened_as_sent(few.federation, few.nodes),
        }
        if not isinstance(self.federation.mechanism, NoNoise):
            found["two rounds, and several records, are charged for"] = charged_again(
                self.federation, self.nodes
            )
            found["noise is made of fresh bits"] = fresh_bits()
        return found

    def most_records(self) -> int:
        """See `Target.most_records`."""
        return self.federation.record_cap

    def relations(self) -> Sequence[str]:
        """See `Target.relations`: tapes of noise that span fewer dimensions than there are cells."""
        if isinstance(self.federation.mechanism, NoNoise):
            return ()
        return free_of_noise(partial(self.release, self.nodes[0].records[:0]), self.cells())

    def peeks(self, before: Records, after: Records, *, company: bool, noisy: bool) -> str:
        """See `Target.peeks`: two rounds of different records that open the same rows must end alike."""
        few = self.few()
        return peeking(few.federation, few.nodes, before, after, company=company, noisy=noisy)

    def contributed(self) -> Contributed | None:
        """See `Target.contributed`."""
        if isinstance(self.federation.mechanism, NoNoise):
            return None
        nothing = self.nodes[0].records[:0]
        drawn = partial(drawn_by_others, self.federation, self.session, self.size, nothing)
        return Contributed(charged_laws(self.federation, self.size), drawn)

    def streams(self) -> Sequence[str]:
        """See `Target.streams`: each contributor asks as charged, from a stream of its own, and adds all."""
        if isinstance(self.federation.mechanism, NoNoise):
            return ()
        found = contributors(self.federation, self.session, self.groups, self.nodes[0].records[:0])
        return strays(self.federation, found, partial(charged_laws, self.federation), self.cells())

    def rows(self) -> int:
        """See `Target.rows`."""
        return {"node": len(self.nodes), "group": len(self.groups)}.get(self.view, 1)

    def few(self) -> "FederationTarget":
        """See `Target.few`: as few nodes in each group as share a dose, and few such groups."""
        if self.federation.doses:
            return self
        federation, nodes, size = self.federation, self.nodes, self.size
        if self.view != "node":
            count = 1 if self.view == "group" else len(self.groups)
            federation, nodes = smaller_groups(federation, nodes, size, count)
        if federation is self.federation and self.view != "model":
            nodes = fewer_groups(federation, nodes, size)
        return replace(self, federation=federation, nodes=nodes)

    def contributors(self) -> int:
        """See `Target.contributors`."""
        return len(self.nodes)

    def sample(
        self, records: Any, columns: NDArray[np.int64], trials: int, rng: np.random.Generator
    ) -> Values:
        """See `Target.sample`: what contributors send by their own functions, with the product's samplers."""

        def fresh() -> NoiseSources:
            seed = int(rng.integers(1 << 62))
            return replace(self.federation, seed=seed, sources=None).noise_sources

        first = self.groups[self.group][0]

        def holder(sources: NoiseSources) -> Values:
            return self.release(records, sources(first))

        total = runs(holder, learned(holder), columns, trials, fresh)
        for added, sender in self._others:
            more = runs(added, sender, columns, len(total), fresh)
            total = total[: len(more)] + more
        return total

    @cached_property
    def _others(self) -> Sequence[tuple[Added, Sender | None]]:
        """All contributors that count but the one with records."""
        if self.federation.doses or self.view == "node":
            return ()
        groups = self.groups if self.view != "group" else (self.groups[self.group],)
        counted = {name for group in groups for name in group[: self.federation.noise.honest(len(group))]}
        counted -= {self.groups[self.group][0]}
        nothing = self.nodes[0].records[:0]
        found = contributors(self.federation, self.session, groups, nothing)
        return [(added, learned(added)) for name, _, added in found if name in counted]

    def ends(self, records: Any, trials: int, rng: np.random.Generator) -> Outputs:
        """See `Target.ends`."""
        seeds = [int(seed) for seed in rng.integers(1 << 62, size=trials)]
        return ends(self.federation, self.nodes, records, seeds, rows=self.view != "model")
