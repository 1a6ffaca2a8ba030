"""The same noised round under several protocols: what each costs, and what its aggregator learns."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import pandas as pd

from protocols.engines.faults import NO_FAULTS, Faults
from protocols.errors import Abort
from protocols.protocol import PROTOCOLS
from securenb.dataset import Dataset
from securenb.federation import Federation
from securenb.node import Node
from securenb.round import Round
from securenb.scenario import Scenario

ALL = "all"
"""Instead of names: every protocol there is."""


@dataclass(frozen=True)
class Comparison:
    """One protocol's line.

    Attributes
    ----------
    accuracy, balanced_accuracy
        On the test records.
    identical
        Whether the opened rows equal the sums of the same members' vectors exactly.
    sent, received
        Bytes, mean over nodes.
    messages
        Frames, all parties together.
    node_cpu, aggregator_cpu, trustee_cpu
        Seconds; mean over nodes and over trustees.
    learned
        What the aggregator learned, in words.
    failure
        Why there is no result; empty if there is one.
    """

    protocol: str
    accuracy: float | None = None
    balanced_accuracy: float | None = None
    identical: bool = False
    sent: float = 0.0
    received: float = 0.0
    messages: int = 0
    node_cpu: float = 0.0
    aggregator_cpu: float = 0.0
    trustee_cpu: float = 0.0
    learned: str = "nothing"
    failure: str = ""


@dataclass(frozen=True, eq=False)
class Compared:
    """All lines, and the rounds behind them (by protocol; those that failed are missing)."""

    lines: tuple[Comparison, ...]
    rounds: dict[str, Round]
    nodes: int
    among: int

    def table(self) -> pd.DataFrame:
        """One row a protocol, tidy."""
        return pd.DataFrame([asdict(line) for line in self.lines])


def compare(
    scenario: Scenario,
    data: Dataset,
    protocols: Sequence[str],
    drop: float = 0.0,
    progress: Callable[[str], None] = lambda _: None,
) -> Compared:
    """Run one noised round under each protocol.

    The vectors are drawn once. Noise shares count on the fewest survivors that any of the protocols
    guarantees, so that the dose holds under each of them.

    Parameters
    ----------
    protocols
        Names, each once; ``["all"]`` for every protocol, where those that cannot run with these groups
        get a line that says why.
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
    protocols = list(PROTOCOLS) if everything else protocols
    nodes = scenario.deal(data)
    faults = _silence(nodes, drop, scenario.streams.rng("drop"))
    federations = _federations(scenario, data, protocols, scenario.group_size or len(nodes))
    contributions = federations[0].prepare(nodes)
    refused = {}
    for name, federation in zip(protocols, federations, strict=True):
        try:
            federation.session(contributions.groups)  # refuse before the first one runs
        except ValueError as error:
            if not everything:
                raise
            refused[name] = f"cannot run: {error}"
    lines, rounds = [], {}
    for name, federation in zip(protocols, federations, strict=True):
        progress(name)
        if name in refused:
            lines.append(Comparison(name, failure=refused[name]))
            continue
        try:
            round_ = federation.open(contributions, faults)
        except Abort as abort:
            lines.append(Comparison(name, failure=str(abort)))
            continue
        expected = [
            np.sum([contributions.vectors[node] for node in members], axis=0)
            for members in round_.opened.members
        ]
        rounds[name] = round_
        lines.append(
            Comparison(
                protocol=name,
                accuracy=round_.model.score(data.test),
                balanced_accuracy=round_.model.balanced_score(data.test),
                identical=bool(np.array_equal(round_.opened.rows, expected)),
                sent=round_.transcript.mean("node", "sent"),
                received=round_.transcript.mean("node", "received"),
                messages=sum(tally.sent_messages for tally in round_.transcript.tallies.values()),
                node_cpu=round_.transcript.mean("node", "cpu"),
                aggregator_cpu=round_.transcript.mean("aggregator", "cpu"),
                trustee_cpu=round_.transcript.mean("trustee", "cpu"),
                learned=round_.learned,
            )
        )
    return Compared(
        tuple(lines), rounds, len(nodes), federations[0].among(min(map(len, contributions.groups)))
    )


def _silence(nodes: Sequence[Node], drop: float, rng: np.random.Generator) -> Faults:
    """A share of the nodes falls silent, each at once or after its first message."""
    count = round(drop * len(nodes))
    silent = rng.choice(len(nodes), count, replace=False)
    return Faults(silent={nodes[index].id: int(rng.integers(2)) for index in silent}) if count else NO_FAULTS


def _federations(scenario: Scenario, data: Dataset, protocols: Sequence[str], size: int) -> list[Federation]:
    """One federation a protocol, all counting on the same number of survivors."""
    if not protocols or len(set(protocols)) != len(protocols):
        raise ValueError(f"needs protocols, each once, got {', '.join(protocols) or 'none'}")
    if scenario.record_cap is not None and "verified" in protocols:
        raise ValueError(
            "all protocols get the same noised vectors, of which verified proves no more than their bounds: "
            "leave out record_cap"
        )
    federations = []
    for name in protocols:
        PROTOCOLS[name]
        federations.append(scenario.model_copy(update={"protocol": name}).federation(data))
    fewest = min(federation.protocol.survivors(size) for federation in federations)
    return [replace(federation, survivors=fewest) for federation in federations]
