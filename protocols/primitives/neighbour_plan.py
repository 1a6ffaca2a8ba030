"""How many neighbours and which threshold a sparse graph needs, for stated corrupt and drop-out rates.

Source: Bell et al. 2020, "Secure Single-Server Aggregation with (Poly)Logarithmic Overhead", section 3
(properties of the graph) and appendix: hypergeometric tails and union bounds over nodes. The lying
profile goes beyond the paper; its condition is derived in docs/protocols/secagg_plus.md.

An attack succeeds with probability at most 2^-40 over the random order of the nodes, for corrupt nodes
chosen before it; a run fails through drop-outs alone with probability at most 2^-30.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import exp, lgamma, log2

SECURITY_BITS = 40
LIVENESS_BITS = 30
LARGEST_COMPLETE = 99
"""Up to this many nodes the complete graph costs less than it is worth to sparsify."""


@dataclass(frozen=True)
class NeighbourPlan:
    """The neighbours of each node, and how many holders (neighbours or the node itself) rebuild a secret."""

    neighbours: int
    threshold: int


@lru_cache(maxsize=64)
def plan(size: int, corrupt: float, dropout: float, *, lying: bool) -> NeighbourPlan | None:
    """The fewest neighbours that suffice among `size` nodes; `None` if the complete graph is the answer.

    Beyond 256 neighbours, up to 2 % more than the fewest.

    Parameters
    ----------
    corrupt
        At most this fraction of the nodes works with the aggregator, 0 ≤ corrupt < 1.
    dropout
        At most this fraction of the nodes falls silent, 0 ≤ dropout < 1.
    lying
        Whether the aggregator may break the protocol, telling different nodes different things.
    """
    neighbours = 2
    while LARGEST_COMPLETE < size > neighbours + 1:
        threshold = smallest_threshold(size, neighbours, corrupt, dropout, lying=lying)
        alive = size - int(dropout * size)
        if threshold <= neighbours and _below(size, alive, neighbours, threshold) <= 2**-LIVENESS_BITS / size:
            return NeighbourPlan(neighbours, threshold)
        neighbours += max(2, neighbours // 128 * 2)
    return None


def smallest_threshold(size: int, neighbours: int, corrupt: float, dropout: float, *, lying: bool) -> int:
    """The smallest threshold that is safe with that many neighbours; above `neighbours` if none is."""
    holders = neighbours + 1
    faulty = int(corrupt * size)
    most_corrupt = _most(size, faulty, neighbours)
    if lying:
        one_view = (2 * holders + 2 * most_corrupt + 1) // 3 + 1
        no_gap = most_corrupt + neighbours // 2 + 2
        return max(one_view, no_gap)
    # honest survivors fall apart only where half of a neighbourhood in a row is corrupt or silent
    if corrupt + dropout > 0 and log2(size) + neighbours / 2 * log2(corrupt + dropout) > -SECURITY_BITS:
        return holders
    return max(most_corrupt + 1, neighbours // 2 + 1)


def _most(size: int, faulty: int, neighbours: int) -> int:
    """So many of a node's neighbours are corrupt at most, for all nodes at once, but for 2^-40."""
    upwards = _chances(size, faulty, neighbours)
    tails = list(accumulate(reversed(upwards)))[::-1]  # tails[x]: x or more are corrupt
    return next((x - 1 for x, tail in enumerate(tails) if tail <= 2**-SECURITY_BITS / size), neighbours)


def _below(size: int, alive: int, neighbours: int, threshold: int) -> float:
    """The probability that fewer than `threshold` of a node's neighbours are alive."""
    return sum(_chances(size, alive, neighbours)[:threshold])


def _chances(size: int, marked: int, drawn: int) -> list[float]:
    """The hypergeometric distribution: how many of `drawn` out of `size` nodes are among the `marked`."""

    def choose(n: int, k: int) -> float:
        return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)

    everything = choose(size, drawn)
    return [
        exp(choose(marked, x) + choose(size - marked, drawn - x) - everything)
        if 0 <= drawn - x <= size - marked and x <= marked
        else 0.0
        for x in range(drawn + 1)
    ]
