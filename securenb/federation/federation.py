"""One federated round: noised statistics of nodes, summed by a protocol, made a model by a rule."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from protocols.engines.faults import NO_FAULTS, Faults
from protocols.engines.local import LocalRun
from protocols.engines.transcript import Transcript
from protocols.grouping import Groups
from protocols.integers import make_whole
from protocols.opened import Opened
from protocols.protocol import Protocol
from protocols.ring import Integers
from protocols.session import Session
from protocols.session_rules import check_schema
from securenb.data.node import Node
from securenb.federation.costs import charges, together
from securenb.federation.dosing import Dosing, curated
from securenb.federation.execution import By, ideally, local_run
from securenb.federation.noise_plan import NoiseSources
from securenb.federation.planner import deviation, drawn, planned
from securenb.federation.postprocess import USUAL, Refinement
from securenb.federation.proven import provable
from securenb.federation.readout import Readout
from securenb.federation.round import Contributions, Round
from securenb.federation.submissions import Registry, check_submissions, identities
from securenb.federation.witnessing import both, check_witnesses, witnesses_of
from securenb.privacy.ledger import Ledger
from securenb.privacy.mechanism import Mechanism
from securenb.randomness import Streams
from securenb.robust.bounds import armed
from securenb.robust.rule import Rule
from securenb.schema.schema import Schema

RECORD_CAP = 1 << 20
"""The public cap on one node's records: what the planner sizes sums for."""


@dataclass(frozen=True)
class Federation(Dosing):
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
        How many nodes of a group may tell the aggregator their noise: each dose holds without theirs.
    survivors
        The fewest nodes of the group that noise shares count on; by default what the protocol
        guarantees. Only a smaller number than that is accepted.
    record_cap
        The most records that a node may hold.
    proven
        Whether nodes prove that they heed the cap, and the invariants of statistics
        (`securenb.schema.invariants`). Then nodes add no noise: each aggregator adds a full dose to each row,
        so that any honest one suffices. A node whose statistics are not valid is left out. Only the
        protocol `verified` does that.
    curator
        Whether the aggregator is trusted with sums that carry no noise, or with vectors where it reads these:
        nodes add none, and it adds a whole dose to each opened row before anything leaves it.
    submissions
        Submissions that a node may make where caps are proven, see `securenb.federation.submissions`.
    witnesses
        Cells of noise that no record touches, behind those of the schema, see `securenb.privacy.witnesses`.
    malicious
        The most nodes that may be malicious: the rule is told how many rows that makes, and a round that
        it does not withstand is refused, see `securenb.robust.bounds`.
    refinement
        Free post-processing of the opened rows.
    seed
        Makes the round a reproducible simulation: nothing in it is secret. `None` takes noise and keys
        from the operating system, with the exact sampler.
    sources
        Where noise is drawn from; by default the seed's streams. An audit writes down what is asked.

    Raises
    ------
    ValueError
        If the choices do not go together: see `securenb.federation.proven.provable`, `check_witnesses`, and
        `securenb.federation.dosing.curated`.
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
    proven: bool = False
    curator: bool = False
    submissions: Mapping[str, int] = field(default_factory=dict)
    witnesses: int = 0
    sources: NoiseSources | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        make_whole(self, "group_size", "colluding", "survivors", "record_cap", "malicious", "witnesses")
        if self.colluding < 0:
            raise ValueError(f"colluding nodes cannot be fewer than none, got {self.colluding}")
        self.refinement.check(self.rule)
        check_submissions(self.submissions, proven=self.proven, increments=self.rule.increments)
        check_witnesses(self.witnesses, self.mechanism, self.layout)
        if self.curator:
            curated(self.protocol, self.colluding, self.witnesses, proven=self.proven)
        if self.proven:
            cap = Registry(self.record_cap, self.submissions).cap
            of = self.layout, self.protocol, self.mechanism, cap, self.colluding, self.witnesses
            protocol, rules = provable(*of)
            assert self.doses is not None
            object.__setattr__(self, "protocol", replace(protocol, validity=rules, noise=self.doses.dose))

    @cached_property
    def layout(self) -> Schema:
        """What nodes send: the statistics of the schema, or what the rule reads instead."""
        doses = 1 + len(self.protocol.trustee_ids([])) if self.proven else 1
        return self.rule.layout(self.schema, partial(deviation, self.mechanism, doses))

    @cached_property
    def streams(self) -> Streams:
        """All randomness that is not a mechanism's."""
        return Streams(self.seed)

    @property
    def registry(self) -> Registry | None:
        """The caps that nodes prove; `None` where nothing is proven."""
        return Registry(self.record_cap, self.submissions) if self.proven else None

    @property
    def readout(self) -> Readout:
        """How opened rows become a model."""
        return Readout(self.noise, self.rule, self.malicious, self.refinement, self.registry)

    def grouped(self, ids: Sequence[str]) -> Groups:
        """Who is summed with whom, by name; all submissions of a node are in one group."""
        ids = list(ids) if self.registry is None else list(identities(ids))
        groups = drawn(ids, self.group_size, self.streams)
        return groups if self.registry is None else self.registry.grouped(groups, self.protocol)

    def session(self, groups: Groups, session_id: bytes | None = None) -> Session:
        """The checked session for these groups; its id is the next of the streams' if none is given."""
        return planned(self.protocol, self.noise, self.record_cap, groups, self.streams, session_id)

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
        nodes = list(nodes) if self.registry is None else self.registry.split(nodes)
        if len(nodes) < (2 if earlier is None else 1):
            raise ValueError(f"a federation needs at least two nodes, got {len(nodes)}")
        groups = self.grouped([node.id for node in nodes])
        size_of = {node: len(group) for group in groups for node in group}
        vectors = {node.id: self.contribution(node, size_of[node.id], earlier) for node in nodes}
        armed(self.rule, groups, self.malicious, proven=self.proven)  # refuse before anything is sent
        return Contributions(groups, vectors)

    def contribution(self, node: Node, size: int, earlier: Round | None = None) -> Integers:
        """What one node in a group of `size` sends: its statistics and its share of noise, (d,) int64."""
        if len(node.records) > self.record_cap:
            raise ValueError(
                f"{node.id} holds {len(node.records)} records; the public cap is {self.record_cap}"
            )
        return node.contribution(self.layout, self.share(node, size, earlier), self.mechanism.grid)

    def share(self, node: Node, size: int, earlier: Round | None = None) -> Integers:
        """The noise that one node in a group of `size` adds, (d,) int64."""
        before = sum(node.id in members for members in earlier.opened.members) if earlier else 0
        name = (node.id, before) if before else (node.id,)
        return self.noise.of_node(size, self.noise_sources(*name))

    def opened(
        self, contributions: Contributions, faults: Faults = NO_FAULTS, watch: Collection[str] = (),
        by: By = "messages",
    ) -> tuple[Opened, Transcript, Mapping[str, str]]:  # fmt: skip
        """What the protocol opens of these contributions, its transcript, and who was refused, and why.

        Parameters
        ----------
        faults
            Scripted trouble; none may be asked for without messages.
        watch
            Parties whose frames are kept in the transcript.
        by
            `ideal` computes what the parties of this protocol open, without a message: the same rows.

        Raises
        ------
        ValueError
            If the protocol may not run with these groups.
        Abort
            If the protocol could not open any group.
        """
        if by == "ideal":
            session = self.session(contributions.groups)
            if faults != NO_FAULTS or watch:
                raise ValueError("without messages nothing can be lost or watched: run by messages")
            opened, transcript, refused = ideally(self.protocol, session, contributions.vectors)
        else:
            run, refused = self.local(contributions, faults, watch)
            opened, transcript = run.run(), run.transcript
        return self.dosed(opened, contributions.groups), transcript, refused

    def local(
        self, contributions: Contributions, faults: Faults = NO_FAULTS, watch: Collection[str] = ()
    ) -> tuple[LocalRun, Mapping[str, str]]:
        """The run in this process, not yet started, and who was refused at the door, and why."""
        session = self.session(contributions.groups)
        entropy = self.streams.entropy_for
        return local_run(self.protocol, session, contributions.vectors, entropy, faults, watch)

    def open(
        self, contributions: Contributions, faults: Faults = NO_FAULTS, watch: Collection[str] = (),
        by: By = "messages",
    ) -> Round:  # fmt: skip
        """`opened`, and the round that it makes; raises as that, and as `Readout.ready`."""
        opened, transcript, refused = self.opened(contributions, faults, watch, by)
        return self.concluded(opened, contributions.groups, transcript, refused)

    def concluded(
        self, opened: Opened, groups: Groups, transcript: Transcript, refused: Mapping[str, str] | None = None
    ) -> Round:
        """The round that ends with these rows, whatever engine ran it."""
        ledger = self.charged(groups, opened.members)
        seen = witnesses_of(self.noise, groups, opened, ledger)
        model, learned = self.readout.model(opened), self.learned(opened)
        return Round(model, opened, ledger, transcript, learned, refused or {}, seen)

    def run(
        self, nodes: Sequence[Node], faults: Faults = NO_FAULTS, watch: Collection[str] = (),
        by: By = "messages",
    ) -> Round:  # fmt: skip
        """One round: `prepare`, then `open`."""
        return self.open(self.prepare(nodes), faults, watch, by)

    def update(
        self, earlier: Round, nodes: Sequence[Node], faults: Faults = NO_FAULTS, watch: Collection[str] = ()
    ) -> Round:
        """A further round for nodes that join late: the model of all rows opened so far.

        Sums add, so under the rule `sum` any order and batching of the same rows gives the same model, bit
        for bit. The ledger goes on: who contributes again pays again. The transcript is of this round.

        Raises
        ------
        ValueError
            If the earlier round is about another schema; and as `run`.
        """
        check_schema(earlier.model.schema.digest, self.schema.digest)
        later = self.open(self.prepare(nodes, earlier), faults, watch)
        opened = earlier.opened.and_then(later.opened)
        return replace(
            later,
            model=self.readout.model(opened),
            opened=opened,
            ledger=together(earlier.ledger, later.ledger),
            learned=self.learned(opened),
            refused={**earlier.refused, **later.refused},
            witnesses=both(earlier.witnesses, later.witnesses),
        )

    def charged(self, groups: Groups, opened: Sequence[Sequence[str]] | None = None, cap: int = 1) -> Ledger:
        """What opening these rows costs, by default all groups, and what readers of vectors see besides.

        Doses counted on `groups`, who was to be summed with whom; `cap` as for `charges`.
        """
        rows = groups if opened is None else opened
        if self.registry is not None:  # a node with several submissions to a row pays for it once
            groups, rows = tuple(map(identities, groups)), [identities(row) for row in rows]
        return charges(self.noise, groups, rows, vectors=self.vectors_are_read, cap=cap)
