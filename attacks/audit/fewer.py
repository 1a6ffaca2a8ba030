"""The same release among fewer nodes, for levels that run rounds often."""

from collections.abc import Sequence
from dataclasses import replace

from securenb.data.node import Node
from securenb.federation.federation import Federation

FEW = 6
"""Nodes in a group of the rounds that statistical levels run, or in all small groups together.

A row of more nodes costs the same, and so do more rows of other nodes.
"""


def fewer_groups(federation: Federation, nodes: Sequence[Node], size: int) -> Sequence[Node]:
    """Nodes of as few whole groups as will do where rows, or vectors, are seen; all, if groups differ.

    Parameters
    ----------
    size
        Of the smallest group.
    """
    count = -(-FEW // size) * size
    if federation.group_size != size or len(nodes) % size or count >= len(nodes):
        return nodes
    return nodes[:count] if _runs(federation, nodes[:count]) else nodes


def smaller_groups(
    federation: Federation, nodes: Sequence[Node], size: int, count: int
) -> tuple[Federation, Sequence[Node]]:
    """The federation of `count` groups of as few nodes as share a dose, and its nodes.

    Parameters
    ----------
    size
        Of the smallest group.
    """
    for fewest in range(FEW, size):
        smaller = replace(federation, group_size=None if count == 1 else fewest)
        chosen = nodes[: fewest * count]
        if _runs(smaller, chosen):
            return smaller, chosen
    return federation, nodes


def _runs(federation: Federation, nodes: Sequence[Node]) -> bool:
    try:
        groups = federation.grouped([node.id for node in nodes])
        federation.session(groups)
        return all(federation.noise.honest(len(group)) >= 1 for group in groups)
    except ValueError:
        return False
