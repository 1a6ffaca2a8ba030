"""What one protocol costs a node as nodes are added: runs on random vectors, and the slope of the cost."""

import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
import pandas as pd

from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.engines.streamed import StreamedRun
from protocols.engines.transcript import Frame
from protocols.entropy import seeded
from protocols.grouping import one_group
from protocols.party import PartyId
from protocols.protocol import Protocol
from protocols.ring import Capacity, Integers
from securenb.randomness import Streams

BOUND = 1 << 20
"""Random vectors stay within it: costs hardly depend on it."""

COSTS = ("sent", "received", "node_cpu", "aggregator_cpu")
"""Per node, in bytes and in seconds."""


@dataclass(frozen=True)
class Cost:
    """One run.

    Attributes
    ----------
    nodes, length
        One group of so many, with vectors of so many coordinates.
    rounds
        The longest chain of messages of which each waited for the one before.
    sent, received
        Bytes, mean over nodes.
    node_cpu
        Seconds, mean over nodes.
    aggregator_cpu
        Seconds, divided by the number of nodes.
    process_cpu
        Seconds that the whole run took this process: all parties, transport and encoding.
    """

    protocol: str
    nodes: int
    length: int
    rounds: int
    sent: float
    received: float
    node_cpu: float
    aggregator_cpu: float
    process_cpu: float


def scale(
    name: str,
    protocol: Protocol,
    nodes: Sequence[int],
    length: int,
    seed: int,
    progress: Callable[[str, float], None] = lambda _, __: None,
    *,
    streamed: bool = False,
) -> pd.DataFrame:
    """Run the protocol once for each number of nodes; one row of `Cost` each, tidy.

    Every run is checked: it must open the exact sum of all vectors.

    Parameters
    ----------
    streamed
        Make the nodes one after another, see `protocols.engines.streamed`: there is memory for many more of
        them where a node speaks once.
    progress
        Told which run it is and, from the second on, how much of its time has passed: from 0 to 1, by
        comparison with the run before.

    Raises
    ------
    ValueError
        If a number is given twice, or the protocol cannot run with so many nodes.
    """
    if not nodes or len(set(nodes)) != len(nodes) or min(nodes) < 1:
        raise ValueError(f"needs numbers of nodes, at least one, each once, got {list(nodes)}")
    costs = []
    clock = _Clock()
    for count in sorted(nodes):
        title = f"{count:,} nodes"
        progress(title, 0.0)
        clock = _Clock(clock, count, partial(progress, title))
        costs.append(_measured(name, protocol, count, length, seed, clock, streamed=streamed))
    return pd.DataFrame([asdict(cost) for cost in costs])


class _Clock(Faults):
    """A good network that notes when each frame of a run is sent, and so knows how far the next run is.

    Runs of a protocol take their time at the same places, whatever the number of nodes.
    """

    def __init__(
        self,
        before: "_Clock | None" = None,
        nodes: int = 0,
        passed: Callable[[float], None] = lambda _: None,
    ) -> None:
        super().__init__()
        self.nodes = nodes
        self._passed = passed
        self.times = array("d")
        self._expected = 0
        self._shares = np.zeros(101)  # of the time that has passed, by hundredths of the frames
        if before is not None and before.times:
            times = np.array(before.times) - before.times[0]
            self._expected = len(times) * nodes // before.nodes
            hundredths = np.linspace(0, len(times) - 1, 101)
            self._shares = np.interp(hundredths, np.arange(len(times)), times / max(times[-1], 1e-9))

    def carry(self, frame: Frame) -> tuple[list[Frame], list[Frame]]:
        """See `Faults.carry`."""
        self.times.append(time.perf_counter())
        sent = len(self.times)
        if self._expected and sent % (1 + self._expected // 1000) == 0:
            self._passed(float(np.interp(100 * sent / self._expected, np.arange(101), self._shares)))
        return super().carry(frame)


def _measured(
    name: str, protocol: Protocol, count: int, length: int, seed: int, clock: Faults, *, streamed: bool
) -> Cost:
    rng = Streams(seed).rng("scale", count)
    group = tuple(f"node-{index}" for index in range(count))
    entropy = seeded(seed)
    total = np.zeros(length, np.int64)

    def drawn() -> Iterator[tuple[PartyId, Integers]]:
        for node in group:
            vector = rng.integers(-BOUND, BOUND, length, endpoint=True)
            np.add(total, vector, out=total)
            yield node, vector

    session = protocol.session(
        one_group(group), length, Capacity(BOUND, count), entropy(f"session {count}")(16)
    )
    began = time.process_time()
    run: LocalRun
    if streamed:
        run = StreamedRun(protocol, drawn(), session, entropy, clock)
    else:
        parties = protocol.parties(dict(drawn()), session, entropy)
        run = LocalRun(parties, protocol.codec(session), session, clock)
    opened = run.run()
    spent = time.process_time() - began
    if not np.array_equal(opened.rows[0], total):
        raise AssertionError(f"{name} opened another sum than that of its {count} nodes")
    seen = run.transcript
    return Cost(
        protocol=name,
        nodes=count,
        length=length,
        rounds=seen.rounds,
        sent=seen.mean("node", "sent"),
        received=seen.mean("node", "received"),
        node_cpu=seen.mean("node", "cpu"),
        aggregator_cpu=seen.mean("aggregator", "cpu") / count,
        process_cpu=spent,
    )


def slope(table: pd.DataFrame, cost: str) -> float | None:
    """The power of n with which a cost per node grows: the least-squares slope of log cost over log n.

    `None` if there is but one number of nodes, or the cost is nothing.
    """
    if len(table) < 2 or (table[cost] <= 0).any():
        return None
    return float(np.polyfit(np.log(table["nodes"]), np.log(table[cost]), 1)[0])
