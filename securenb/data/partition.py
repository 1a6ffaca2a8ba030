"""Dealing records to nodes: by record, with equal or unequal sizes and skewed labels, or by feature."""

import math
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from protocols.party import PartyId
from securenb.data.node import Node, VerticalNode
from securenb.schema.records import Records

Sizes = Literal["equal", "uniform", "exponential"]
"""How many records the nodes get: the same; or shares drawn from U(0, 1), or from Exp(1)."""


def deal(
    records: Records,
    classes: int,
    nodes: int,
    *,
    sizes: Sizes = "equal",
    label_skew: float | None = None,
    at_least: int = 2,
    rng: np.random.Generator,
) -> list[Node]:
    """Deal records to nodes at random, each record to exactly one.

    Sizes and skew are independent: the sizes are drawn first, and skewed labels keep them.

    Parameters
    ----------
    records
        What to deal.
    classes
        The number of classes.
    nodes
        How many nodes, at least 2.
    sizes
        `"equal"`: sizes differ by at most one. Otherwise every node gets `at_least` records, and the rest
        is apportioned to shares drawn independently.
    label_skew
        The α of Hsu, Qi and Brown, "Measuring the Effects of Non-Identical Data Distribution for Federated
        Visual Classification" (2019), section 3: a node's class proportions are drawn from
        Dirichlet(α·p), p being the overall proportions. Small is skewed; `None` is no skew. Where
        classes run out, proportions follow what is left, so that every record is dealt.
    at_least
        The fewest records of a node; 2 as in the paper.
    rng
        Decides everything that is random.

    Raises
    ------
    ValueError
        If there are fewer records than the nodes need, or a parameter is out of its range.
    """
    if sizes not in get_args(Sizes):
        raise ValueError(f"sizes must be one of {', '.join(get_args(Sizes))}, got {sizes!r}")
    if label_skew is not None and not (math.isfinite(label_skew) and label_skew > 0):
        raise ValueError(f"label_skew must be a positive number, got {label_skew}")
    if at_least < 1:
        raise ValueError(f"a node needs at least 1 record, got at_least={at_least}")
    ids = node_ids(nodes)
    if nodes * at_least > len(records):
        raise ValueError(
            f"{nodes} nodes with at least {at_least} records each need {nodes * at_least} records; "
            f"there are {len(records)}"
        )
    wanted = _draw_sizes(len(records), nodes, sizes, at_least, rng)
    order = rng.permutation(len(records))
    if label_skew is None:
        owners = np.repeat(np.arange(nodes), wanted)
    else:
        totals = np.bincount(records.labels, minlength=classes)
        counts = _draw_labels(totals, wanted, label_skew, rng)
        order = order[np.argsort(records.labels[order], kind="stable")]
        owners = np.repeat(np.tile(np.arange(nodes), classes), counts.T.reshape(-1))
    dealt = records[order[np.argsort(owners, kind="stable")]]
    ends = np.cumsum(wanted)
    return [
        Node(name, dealt[int(end - size) : int(end)])
        for name, size, end in zip(ids, wanted, ends, strict=True)
    ]


def deal_vertical(records: Records, nodes: int, *, rng: np.random.Generator) -> list[Node]:
    """Deal features to nodes at random, each feature to exactly one; numbers differ by at most one.

    Every node has every record's label, as in vertical federated learning on entities that all nodes
    know. All of them could count the classes; only the first does, so that the sum over nodes is the
    pooled statistics.

    Raises
    ------
    ValueError
        If there are fewer features than nodes, or fewer than 2 nodes.
    """
    ids = node_ids(nodes)
    features = records.codes.shape[1]
    if nodes > features:
        raise ValueError(f"{nodes} nodes need at least a feature each; there are {features}")
    held = np.array_split(rng.permutation(features), nodes)
    return [
        VerticalNode(name, Records(records.codes[:, own], records.labels), tuple(own.tolist()), index == 0)
        for index, (name, own) in enumerate(zip(ids, map(np.sort, held), strict=True))
    ]


def node_ids(nodes: int) -> list[PartyId]:
    """`node-0001`, `node-0002`, …: sorting them as text keeps their order."""
    if nodes < 2:
        raise ValueError(f"a federation needs at least 2 nodes, got {nodes}")
    width = max(4, len(str(nodes)))
    return [f"node-{index:0{width}}" for index in range(1, nodes + 1)]


def _draw_sizes(
    total: int, nodes: int, sizes: Sizes, at_least: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    match sizes:
        case "equal":
            shares = np.ones(nodes)
        case "uniform":
            shares = rng.uniform(size=nodes)
        case "exponential":
            shares = rng.exponential(size=nodes)
    ideal = (total - nodes * at_least) * shares / shares.sum()
    drawn: NDArray[np.int64] = np.floor(ideal).astype(np.int64)
    left = total - nodes * at_least - int(drawn.sum())
    drawn[np.argsort(drawn - ideal, kind="stable")[:left]] += 1
    return drawn + at_least


def _draw_labels(
    totals: NDArray[np.int64], sizes: NDArray[np.int64], skew: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Records of each class for each node, shape (N, C), with exactly these margins."""
    left = totals.copy()
    counts = np.zeros((len(sizes), len(totals)), dtype=np.int64)
    present = totals > 0
    proportions = np.zeros(counts.shape)
    proportions[:, present] = rng.dirichlet(skew * totals[present] / totals.sum(), size=len(sizes))
    for node in rng.permutation(len(sizes)):
        while (short := int(sizes[node] - counts[node].sum())) > 0:
            weights = proportions[node, present] * left[present] / totals[present]
            if not weights.sum() > 0:
                weights = left[present].astype(np.float64)
            drawn = np.zeros_like(left)
            drawn[present] = rng.multinomial(short, weights / weights.sum())
            drawn = np.minimum(drawn, left)
            counts[node] += drawn
            left -= drawn
    return counts


def gather(records: Records, holders: NDArray[np.object_]) -> list[Node]:
    """The nodes that the data name, each with its records, in the order of their names.

    Parameters
    ----------
    records
        All records.
    holders
        The name of each record's node, shape (n,).
    """
    names, places = np.unique(holders.astype(str), return_inverse=True)
    order = np.argsort(places, kind="stable")
    starts = np.searchsorted(places[order], np.arange(1, len(names)))
    parts = np.split(order, starts)
    return [Node(str(name), records[part]) for name, part in zip(names, parts, strict=True)]
