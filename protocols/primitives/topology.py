"""Who is whose neighbour where there is no centre: four families of graphs, drawn from public randomness."""

from typing import Literal, get_args

import numpy as np

from protocols.canonical import digest
from protocols.primitives.mask import expand

Topology = Literal["complete", "ring", "regular", "erdos-renyi"]
Neighbours = tuple[tuple[int, ...], ...]

DRAWS = 64
"""How often a random graph is drawn before it is said not to be connected."""


def neighbours(topology: Topology, size: int, degree: int, seed: bytes) -> Neighbours:
    """The neighbours of each of `size` nodes, ascending; the graph is connected and undirected.

    Parameters
    ----------
    topology
        ``complete``; ``ring``, in the order of the nodes; ``regular``, every node with `degree` random
        neighbours; ``erdos-renyi``, every edge present with probability `degree` / (`size` − 1).
    degree
        Used by the last two; a group of at most `degree` + 1 nodes is complete.
    seed
        Public randomness; the same seed draws the same graph.

    Raises
    ------
    ValueError
        For an unknown topology, an odd or too small degree, or if no connected graph was drawn.
    """
    if topology not in get_args(Topology):
        raise ValueError(f"unknown topology {topology!r}; known: {', '.join(get_args(Topology))}")
    if degree < 2 or (topology == "regular" and degree % 2):
        raise ValueError(f"the degree must be at least 2, and even in a regular graph, got {degree}")
    if topology == "ring":
        return circle(size, 1)
    if topology == "complete" or size <= degree + 1:
        return tuple(tuple(j for j in range(size) if j != i) for i in range(size))
    for draw in range(DRAWS):
        drawn = digest("securenb random graph", topology, seed, draw)
        if topology == "regular":
            graph = regular(size, degree, drawn)
        else:
            graph = erdos_renyi(size, degree / (size - 1), drawn)
        if connected(graph):
            return graph
    raise ValueError(f"{DRAWS} random graphs of {size} nodes with mean degree {degree} were not connected")


def regular(size: int, degree: int, seed: bytes) -> Neighbours:
    """A random graph in which every node has `degree` neighbours; not necessarily connected.

    A circle whose edges were exchanged in pairs, each ten times on average (Maslov and Sneppen 2002).
    """
    near = [set(each) for each in circle(size, degree // 2)]
    edges = [(one, other) for one in range(size) for other in near[one] if one < other]
    picks = (expand(seed, 20 * len(edges)) % np.uint64(len(edges))).reshape(-1, 2).tolist()
    for first, second in picks:
        (a, b), (c, d) = edges[first], edges[second]
        if len({a, b, c, d}) == 4 and d not in near[a] and b not in near[c]:
            for one, old, new in ((a, b, d), (b, a, c), (c, d, b), (d, c, a)):
                near[one].remove(old)
                near[one].add(new)
            edges[first], edges[second] = (a, d), (c, b)
    return tuple(tuple(sorted(each)) for each in near)


def circle(size: int, reach: int) -> Neighbours:
    """The nodes stand in a circle; neighbours are at most `reach` places apart."""
    steps = [step for step in range(-reach, reach + 1) if step % size]
    return tuple(tuple(sorted({(node + step) % size for step in steps})) for node in range(size))


def erdos_renyi(size: int, probability: float, seed: bytes) -> Neighbours:
    """Each edge is there with this probability, independently; not necessarily connected."""
    rows, columns = np.triu_indices(size, 1)
    present = expand(seed, len(rows)) < np.uint64(probability * 2.0**63) * np.uint64(2)
    found: list[list[int]] = [[] for _ in range(size)]
    for i, j in zip(rows[present].tolist(), columns[present].tolist(), strict=True):
        found[i].append(j)
        found[j].append(i)
    return tuple(tuple(sorted(each)) for each in found)


def connected(graph: Neighbours) -> bool:
    """Whether every node is reached from the first."""
    reached, frontier = {0}, [0]
    while frontier:
        fresh = [node for node in graph[frontier.pop()] if node not in reached]
        reached.update(fresh)
        frontier += fresh
    return len(reached) == len(graph)
