"""The same noised round under several protocols: what each costs, and what its aggregator learns."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from protocols.catalogue import Choice
from protocols.engines.faults import NO_FAULTS, Faults
from protocols.engines.transcript import Transcript
from protocols.errors import Abort
from protocols.opened import Opened
from protocols.party import PartyId
from protocols.protocol import PROTOCOLS, Protocol
from protocols.ring import Integers
from protocols.spec import Spec
from securenb._html import html_table
from securenb.data.dataset import Dataset
from securenb.data.node import Node
from securenb.experiments.intervals import over_records
from securenb.experiments.scenario import Scenario
from securenb.federation.federation import Federation
from securenb.federation.round import Round

ALL = "all"
"""Instead of names: every protocol there is."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One protocol's line.

    Attributes
    ----------
    accuracy, balanced_accuracy
        On the test records; `_low` and `_high` are the ends of a 95 % interval over test records, see
        `securenb.experiments.intervals.record_intervals`.
    identical
        Whether the opened rows equal the sums of the same members' vectors exactly.
    relative_error
        The largest Euclidean distance of an opened row from that sum, over the sum's norm; 0 if identical.
    rounds
        The longest chain of messages of which each waited for the one before: there and back is two.
    turns
        The most often that one node spoke.
    sent, received
        Bytes, mean over nodes.
    messages
        Frames, all parties together.
    node_cpu, aggregator_cpu, trustee_cpu
        Seconds; mean over nodes and over trustees.
    learned
        What the aggregator learned, in words.
    failure
        Why there is no result; empty if there is one. Traffic and time are then those until the end.
    trust, dropouts, malicious_aggregator, source
        What the protocol says of itself, see `protocols.protocol.Claims`.
    """

    protocol: str
    accuracy: float | None = None
    balanced_accuracy: float | None = None
    accuracy_low: float | None = None
    accuracy_high: float | None = None
    balanced_accuracy_low: float | None = None
    balanced_accuracy_high: float | None = None
    identical: bool | None = None
    relative_error: float | None = None
    rounds: int = 0
    turns: int = 0
    sent: float = 0.0
    received: float = 0.0
    messages: int = 0
    node_cpu: float = 0.0
    aggregator_cpu: float = 0.0
    trustee_cpu: float = 0.0
    learned: str = "nothing"
    failure: str = ""
    trust: str
    dropouts: str
    malicious_aggregator: str
    source: str


@dataclass(frozen=True, eq=False, repr=False)
class Compared:
    """All lines, and the rounds behind them (by protocol; those that failed are missing)."""

    lines: tuple[Comparison, ...]
    rounds: dict[str, Round]
    nodes: int
    among: int

    @property
    def frame(self) -> pd.DataFrame:
        """One row a protocol, tidy."""
        return pd.DataFrame([asdict(line) for line in self.lines])

    def table(self) -> pd.DataFrame:
        """The frame."""
        return self.frame

    def __repr__(self) -> str:
        failed = len(self.lines) - len(self.rounds)
        same = len({round_.digests()["model"] for round_ in self.rounds.values()})
        models = f"{same} different model{'s' if same != 1 else ''}"
        told = f"{len(self.lines)} protocols, {self.nodes} nodes, {models}"
        return f"<Comparison: {told}{f', {failed} without result' if failed else ''}>"

    def _repr_html_(self) -> str:
        shown = self.frame[
            ["protocol", "accuracy", "identical", "learned", "rounds", "sent", "node_cpu", "failure"]
        ]
        lines = [[str(value) for value in line] for line in shown.itertuples(index=False)]
        return html_table(repr(self)[1:-1], list(shown.columns), lines)


def compare(
    scenario: Scenario,
    data: Dataset,
    protocols: Sequence[Choice[Protocol]],
    drop: float = 0.0,
    progress: Callable[[str], None] = lambda _: None,
) -> Compared:
    """Run one noised round under each protocol.

    The vectors are drawn once. Noise shares count on the fewest survivors that any of the protocols
    guarantees, so that the dose holds under each of them.

    Parameters
    ----------
    protocols
        Specs or objects, each once; ``["all"]`` for every protocol, where those that cannot run with these
        groups get a line that says why.
    drop
        The share of nodes that fall silent, each at once or after its first message.
    progress
        Called with each protocol's name before it runs.

    Raises
    ------
    ValueError
        If a protocol is unknown, or cannot run with these groups.
    """
    if not 0 <= drop < 1:
        raise ValueError(f"the share of nodes that fall silent is from 0 to below 1, got {drop}")
    everything = list(protocols) == [ALL]
    names = list(PROTOCOLS) if everything else [PROTOCOLS.spelled(choice) for choice in protocols]
    nodes = scenario.deal(data)
    faults = _silence(nodes, drop, scenario.streams.rng("drop"))
    federations, refused = _federations(scenario, data, names, nodes)
    if refused and (not everything or not federations):
        raise next(iter(refused.values()))
    first = next(iter(federations.values()))
    contributions = first.prepare(nodes)
    lines, rounds = [], {}
    for name in names:
        progress(name)
        if name in refused:
            lines.append(_line(name, failure=f"cannot run: {refused[name]}"))
            continue
        federation = federations[name]
        run, turned_away = federation.local(contributions, faults)
        try:
            opened = run.run()
        except Abort as abort:
            lines.append(_line(name, failure=str(abort), **_cost(run.transcript)))
            continue
        dosed = federation.dosed(opened, contributions.groups)
        round_ = federation.concluded(dosed, contributions.groups, run.transcript, turned_away)
        off = _relative_error(opened, contributions.vectors)
        rounds[name] = round_
        lines.append(
            _line(
                name,
                accuracy=round_.model.score(data.test),
                balanced_accuracy=round_.model.balanced_score(data.test),
                **over_records(round_.model, data.test),
                identical=off == 0,
                relative_error=off,
                learned=round_.learned,
                **_cost(run.transcript),
            )
        )
    return Compared(tuple(lines), rounds, len(nodes), first.noise.honest(min(map(len, contributions.groups))))


def _line(name: str, **figures: Any) -> Comparison:
    claims = PROTOCOLS.build(name).claims
    return Comparison(
        protocol=name,
        trust=claims.trust,
        dropouts=claims.dropouts,
        malicious_aggregator=claims.malicious_aggregator,
        source=claims.source,
        **figures,
    )


def _cost(transcript: Transcript) -> dict[str, Any]:
    return {
        "rounds": transcript.rounds,
        "turns": max((tally.turns for tally in transcript.of_role("node")), default=0),
        "sent": transcript.mean("node", "sent"),
        "received": transcript.mean("node", "received"),
        "messages": sum(tally.sent_messages for tally in transcript.tallies.values()),
        **{f"{role}_cpu": transcript.mean(role, "cpu") for role in ("node", "aggregator", "trustee")},
    }


def _relative_error(opened: Opened, vectors: Mapping[PartyId, Integers]) -> float:
    """The largest of a row; 0 only if every integer is right."""
    errors = [0.0]
    for row, members in zip(opened.rows, opened.members, strict=True):
        truth = np.sum([vectors[node] for node in members], axis=0)
        off = math.dist(row.tolist(), truth.tolist())
        if not np.array_equal(row, truth):
            errors.append((off or 1.0) / (math.hypot(*truth.tolist()) or 1.0))
    return max(errors)


def _silence(nodes: Sequence[Node], drop: float, rng: np.random.Generator) -> Faults:
    """A share of the nodes falls silent, each at once or after its first message."""
    count = round(drop * len(nodes))
    silent = rng.choice(len(nodes), count, replace=False)
    return Faults(silent={nodes[index].id: int(rng.integers(2)) for index in silent}) if count else NO_FAULTS


def _federations(
    scenario: Scenario, data: Dataset, protocols: Sequence[str], nodes: Sequence[Node]
) -> tuple[dict[str, Federation], dict[str, ValueError]]:
    """One federation a protocol, all counting on the same number of survivors; and why others cannot run."""
    if not protocols or len(set(protocols)) != len(protocols):
        raise ValueError(f"needs protocols, each once, got {', '.join(protocols) or 'none'}")
    if scenario.record_cap is not None and "verified" in [Spec.of(name).name for name in protocols]:
        raise ValueError(
            "all protocols get the same noised vectors, of which verified proves no more than their bounds: "
            "leave out record_cap"
        )
    federations, refused = {}, {}
    for name in protocols:
        federation = scenario.model_copy(update={"protocol": name}).federation(data)
        try:
            federation.session(federation.grouped([node.id for node in nodes]))
        except ValueError as error:
            refused[name] = error
        else:
            federations[name] = federation
    size = scenario.group_size or len(nodes)
    fewest = min((federation.protocol.survivors(size) for federation in federations.values()), default=0)
    return {name: replace(each, survivors=fewest) for name, each in federations.items()}, refused
