"""What one protocol costs a node as nodes are added: runs on random vectors, and the slope of the cost."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from protocols.engines.local import LocalRun
from protocols.entropy import seeded
from protocols.grouping import one_group
from protocols.protocol import Protocol
from protocols.ring import Capacity
from securenb.streams import Streams

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
    progress: Callable[[str], None] = lambda _: None,
) -> pd.DataFrame:
    """Run the protocol once for each number of nodes; one row of `Cost` each, tidy.

    Every run is checked: it must open the exact sum of all vectors.

    Raises
    ------
    ValueError
        If a number is given twice, or the protocol cannot run with so many nodes.
    """
    if not nodes or len(set(nodes)) != len(nodes) or min(nodes) < 1:
        raise ValueError(f"needs numbers of nodes, at least one, each once, got {list(nodes)}")
    costs = []
    for count in sorted(nodes):
        progress(f"{count:,} nodes")
        costs.append(_measured(name, protocol, count, length, seed))
    return pd.DataFrame([asdict(cost) for cost in costs])


def _measured(name: str, protocol: Protocol, count: int, length: int, seed: int) -> Cost:
    rng = Streams(seed).rng("scale", count)
    group = tuple(f"node-{index}" for index in range(count))
    drawn = rng.integers(-BOUND, BOUND, (count, length), endpoint=True)
    vectors = dict(zip(group, drawn, strict=True))
    entropy = seeded(seed)
    session = protocol.session(
        one_group(group), length, Capacity(BOUND, count), entropy(f"session {count}")(16)
    )
    began = time.process_time()
    run = LocalRun(protocol.parties(vectors, session, entropy), protocol.codec(session), session)
    opened = run.run()
    spent = time.process_time() - began
    if not np.array_equal(opened.rows[0], drawn.sum(axis=0)):
        raise AssertionError(f"{name} opened another sum than that of its {count} nodes")
    seen = run.transcript
    return Cost(
        protocol=name,
        nodes=count,
        length=length,
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
