"""Who is summed with whom: the dial between privacy and robustness.

Groups are drawn from public randomness and cover every node exactly once.
"""

from collections.abc import Sequence

import numpy as np

Groups = tuple[tuple[str, ...], ...]


def one_group(nodes: Sequence[str]) -> Groups:
    """All nodes together: classic secure aggregation."""
    return (tuple(nodes),)


def singletons(nodes: Sequence[str]) -> Groups:
    """Groups of one: every node's vector is opened."""
    return tuple((node,) for node in nodes)


def shuffled(nodes: Sequence[str], size: int, rng: np.random.Generator) -> Groups:
    """Random groups of at least `size` nodes, as equal as possible; never a smaller one.

    Examples
    --------
    >>> groups = shuffled([f"node-{i}" for i in range(11)], 3, np.random.default_rng(1))
    >>> sorted(len(group) for group in groups)
    [3, 4, 4]
    """
    if not 1 <= size <= len(nodes):
        raise ValueError(f"group size must be between 1 and the number of nodes ({len(nodes)}), got {size}")
    order = rng.permutation(len(nodes))
    return tuple(tuple(nodes[i] for i in part) for part in np.array_split(order, len(nodes) // size))
