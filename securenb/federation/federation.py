"""One federated round: noised statistics of nodes, summed by a protocol, made a model by a rule."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np

from protocols.canonical import digest
from protocols.engines.faults import NO_FAULTS, Faults
from protocols.engines.local import LocalRun
from protocols.engines.transcript import Transcript
from protocols.grouping import Groups, one_group, shuffled, singletons
from protocols.opened import Opened
from protocols.protocol import Protocol
from protocols.ring import Capacity, Integers
from protocols.session import SESSION_ID_BYTES, Session
from protocols.session_rules import RefusedSession, SessionRule, check_schema
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import Floats
from securenb.data.node import Node
from securenb.federation.admission import at_the_door
from securenb.federation.costs import charges
from securenb.federation.postprocess import USUAL, Refinement, variances
from securenb.federation.round import Contributions, Round
from securenb.privacy.ledger import Ledger
from securenb.privacy.mechanism import Mechanism
from securenb.privacy.samplers import ExactNoise, FastNoise, Noise
from securenb.randomness import Streams
from securenb.robust.bounds import armed, check_counts
from securenb.robust.rule import Rows, Rule
from securenb.schema.schema import Schema

RECORD_CAP = 1 << 20
"""The public cap on one node's records: what the planner sizes sums for."""


@dataclass(frozen=True)
class Federation:
    """The choices that make a round.

    Parameters
    ----------
    schema
        The public description of records.
    protocol
        How sums are computed.
    mechanism
        The noise that each opened row carries.
    rule
        How rows become a model.
    group_size
        Nodes in a group; `None` for one group of all. Groups are drawn at random.
    colluding
        How many nodes of a group may tell the aggregator their own noise: each dose must hold without
        theirs.
    survivors
        The fewest nodes of the group that noise shares count on; by default what the protocol
        guarantees. Only a smaller number than that is accepted.
    record_cap
        The most records that a node may hold.
    malicious
        The most nodes that may be malicious: the rule is told how many rows that makes, and a round that
        it does not withstand is refused, see `securenb.robust.bounds`.
    refinement
        Free post-processing of the opened rows.
    seed
        Makes the round a reproducible simulation: nothing in it is secret. `None` takes noise and keys
        from the operating system, with the exact sampler.
    """

    schema: Schema
    protocol: Protocol
    mechanism: Mechanism
    rule: Rule
    group_size: int | None = None
    colluding: int = 0
    survivors: int | None = None
    record_cap: int = RECORD_CAP
    malicious: int = 0
    refinement: Refinement = USUAL
    seed: int | None = None
    streams: Streams = field(init=False)
    proves: ClassVar[bool] = False  # that nodes heed the cap

    def __post_init__(self) -> None:
        if self.colluding < 0:
            raise ValueError(f"colluding nodes cannot be fewer than none, got {self.colluding}")
        object.__setattr__(self, "streams", Streams(self.seed))

    def groups(self, nodes: Sequence[Node]) -> Groups:
        """Who is summed with whom."""
        return self.grouped([node.id for node in nodes])

    def grouped(self, ids: Sequence[str]) -> Groups:
        """Who is summed with whom, by name."""
        if self.group_size is None or self.group_size == len(ids):
            return one_group(ids)
        if self.group_size == 1:
            return singletons(ids)
        return shuffled(ids, self.group_size, self.streams.rng("groups"))

    def among(self, size: int) -> int:
        """How many shares make a dose in a group of `size`: its guaranteed honest survivors.

        Raises
        ------
        ValueError
            If none is guaranteed.
        """
        guaranteed = self.protocol.survivors(size)
        counted = guaranteed if self.survivors is None else min(self.survivors, guaranteed)
        honest = counted - self.colluding
        if honest < 1:
            raise RefusedSession(
                SessionRule.NOISE_SHARES,
                f"a group of {size} may be opened with {counted} survivors, of whom {self.colluding} "
                "collude: no honest share is guaranteed to be in it",
            )
        return honest

    def shares(self, size: int) -> int:
        """How many shares of noise there are in the row of a whole group of `size`."""
        return size

    def session(self, groups: Groups, session_id: bytes | None = None) -> Session:
        """The checked session for these groups; its id is the next of the streams' if none is given."""
        largest = max(map(len, groups))
        tail = max(
            self.mechanism.tail(self.schema, self.among(size), self.shares(size))
            for size in set(map(len, groups))
        )
        if session_id is None:
            # bound to the groups: nodes that join a simulation late must not meet a session they know
            named = digest("securenb groups", [list(group) for group in groups]).hex()
            session_id = self.streams.entropy(f"session {named}")(SESSION_ID_BYTES)
        return self.protocol.session(
            groups,
            self.schema.length,
            Capacity(self.schema.reach * self.record_cap * self.mechanism.grid, largest, tail),
            session_id,
            self.schema.digest,
        )

    def prepare(self, nodes: Sequence[Node], earlier: Round | None = None) -> Contributions:
        """Draw the groups, and let every node compute its statistics and add its share of noise.

        Parameters
        ----------
        earlier
            The round that these nodes join late, see `update`.

        Raises
        ------
        ValueError
            If the choices do not fit these nodes.
        """
        if len(nodes) < (2 if earlier is None else 1):
            raise ValueError(f"a federation needs at least two nodes, got {len(nodes)}")
        groups = self.groups(nodes)
        size_of = {node: len(group) for group in groups for node in group}
        vectors = {node.id: self.contribution(node, size_of[node.id], earlier) for node in nodes}
        armed(self.rule, groups, self.malicious, proven=self.proves)  # refuse before anything is sent
        return Contributions(groups, vectors)

    def contribution(self, node: Node, size: int, earlier: Round | None = None) -> Integers:
        """What one node in a group of `size` sends: its statistics and its share of noise, (d,) int64."""
        if len(node.records) > self.record_cap:
            raise ValueError(
                f"{node.id} holds {len(node.records)} records; the public cap is {self.record_cap}"
            )
        return node.contribution(self.schema, self.share(node, size, earlier), self.mechanism.grid)

    def share(self, node: Node, size: int, earlier: Round | None = None) -> Integers:
        """The noise that one node in a group of `size` adds, (d,) int64."""
        return self.mechanism.share(self.schema, self.among(size), self._noise(node.id, earlier))

    def _noise(self, node: str, earlier: Round | None) -> Noise:
        if self.seed is None:
            return ExactNoise(self.streams.entropy(f"noise {node}"))
        before = 0 if earlier is None else sum(node in members for members in earlier.opened.members)
        return FastNoise(self.streams.rng("noise", node, *([before] if before else [])))

    def open(
        self, contributions: Contributions, faults: Faults = NO_FAULTS, watch: Collection[str] = ()
    ) -> Round:
        """Run the protocol in this process and combine what it opens: `local`, its `run`, `concluded`.

        Raises
        ------
        ValueError
            If the protocol may not run with these groups, or the rule's bound does not hold.
        Abort
            If the protocol could not open any group.
        """
        run, refused = self.local(contributions, faults, watch)
        return self.concluded(run.run(), contributions.groups, run.transcript, refused)

    def local(
        self, contributions: Contributions, faults: Faults = NO_FAULTS, watch: Collection[str] = ()
    ) -> tuple[LocalRun, Mapping[str, str]]:
        """The run in this process with scripted trouble, and who was refused at the door, and why.

        Frames of the parties to `watch` are kept in its transcript.
        """
        session = self.session(contributions.groups)
        vectors, refused = at_the_door(contributions.vectors, session)
        parties = self.protocol.parties(vectors, session, self.streams.entropy_for)
        faults = replace(faults, silent={**faults.silent, **dict.fromkeys(refused, 0)})
        return LocalRun(parties, self.protocol.codec(session), session, faults, watch), refused

    def concluded(
        self, opened: Opened, groups: Groups, transcript: Transcript, refused: Mapping[str, str] | None = None
    ) -> Round:
        """The round that ends with these rows, whatever engine ran it."""
        return Round(
            model=self._model(opened),
            opened=opened,
            ledger=self.charged(groups, opened.members),
            transcript=transcript,
            learned=self.protocol.learned(opened),
            refused=refused or {},
        )

    def run(self, nodes: Sequence[Node], faults: Faults = NO_FAULTS, watch: Collection[str] = ()) -> Round:
        """One round: `prepare`, then `open`."""
        return self.open(self.prepare(nodes), faults, watch)

    def update(
        self, earlier: Round, nodes: Sequence[Node], faults: Faults = NO_FAULTS, watch: Collection[str] = ()
    ) -> Round:
        """A further round for nodes that join late: the model of all rows opened so far.

        Sums add, so under the rule `sum` any order and batching of the same rows gives the same model, bit
        for bit. The ledger goes on from the earlier one: a node that was not in it pays once, one that
        contributes again pays again. The transcript is that of this round alone.

        Raises
        ------
        ValueError
            If the earlier round is about another schema; and as `run`.
        """
        check_schema(earlier.model.schema.digest, self.schema.digest)
        later = self.open(self.prepare(nodes, earlier), faults, watch)
        opened = Opened(
            np.concatenate([earlier.opened.rows, later.opened.rows]),
            earlier.opened.members + later.opened.members,
            earlier.opened.lost + later.opened.lost,
        )
        ledger = Ledger()
        for release in (*earlier.ledger.releases, *later.ledger.releases):
            ledger.record(release)
        return Round(
            model=self._model(opened),
            opened=opened,
            ledger=ledger,
            transcript=later.transcript,
            learned=self.protocol.learned(opened),
            refused={**earlier.refused, **later.refused},
        )

    def refined(self, rows: Rows) -> Rows:
        """Rows after the free post-processing: what the rule combines."""
        return self.refinement.refine(rows, self._variances(rows), pool=self.rule.pools)

    def _variances(self, rows: Rows) -> Floats:
        """Variance of the noise in each column of each row, shape (g, width)."""
        of = lru_cache(lambda n: variances(self.mechanism, self.schema, self.among(n), self.shares(n)))
        return np.array([of(n) for n in rows.sizes.tolist()])

    def ready(self, opened: Opened) -> tuple[Rule, Rows]:
        """The rule, told what it must withstand, and the rows that it combines."""
        rows = Rows.of(self.schema, opened, self.mechanism.grid)
        if self.malicious:
            check_counts(rows, float(np.sqrt(self._variances(rows)[:, 0].max())))
        return armed(self.rule, opened.members, self.malicious, proven=self.proves), self.refined(rows)

    def _model(self, opened: Opened) -> NaiveBayes:
        rule, rows = self.ready(opened)
        return NaiveBayes(rule.combine(rows), rule.pooled(rows) if self.refinement.additive else None)

    def charged(self, groups: Groups, opened: Sequence[Sequence[str]] | None = None) -> Ledger:
        """What opening these rows costs, and what those who read vectors see besides.

        Parameters
        ----------
        groups
            Who was to be summed with whom: the doses counted on that.
        opened
            Members of the rows that were opened; by default all groups, whole: what a round may cost.
        """
        return charges(
            self.mechanism,
            self.schema,
            self.among,
            groups,
            groups if opened is None else opened,
            vectors=self.protocol.claims.vectors_are_read,
        )
