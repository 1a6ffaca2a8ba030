"""How many neighbours and which threshold a sparse graph needs, for stated corrupt and drop-out rates.

Source: Bell et al. 2020, "Secure Single-Server Aggregation with (Poly)Logarithmic Overhead", section 3
(properties of the graph) and appendix: hypergeometric tails and union bounds over nodes. The malicious
profile goes beyond the paper; its condition is derived in docs/protocols/secagg_plus.md.

One draw of the order of the nodes is bad with probability at most 2^-draw_bits, for corrupt nodes chosen
before it. Who draws again and again, 2^tries_bits times, and keeps the order that suits its accomplices,
finds a bad one with probability at most 2^(tries_bits - draw_bits). A malicious aggregator may do so, since
it alone chooses the session's id; a semi-honest one draws once. A run fails through drop-outs alone with
probability at most 2^-30.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import exp, lgamma, log2

SECURITY_BITS = 40
"""What is left after all tries: an attack succeeds with probability at most 2^-40."""

TRIES_BITS = 40
"""So many draws, as a power of two, a malicious aggregator is taken to make before it opens a session."""

LIVENESS_BITS = 30
LARGEST_COMPLETE = 99
"""Up to this many nodes the complete graph costs less than it is worth to sparsify."""


@dataclass(frozen=True)
class NeighbourPlan:
    """The neighbours of each node, and how many holders (neighbours or the node itself) rebuild a secret.

    Attributes
    ----------
    neighbours, threshold
        Of each node.
    draw_bits
        One draw of the order is bad with probability at most 2^-draw_bits; 0 promises nothing.
    tries_bits
        The draws that the promise counts on, as a power of two.
    """

    neighbours: int
    threshold: int
    draw_bits: int = 0
    tries_bits: int = 0


@lru_cache(maxsize=64)
def plan(
    size: int,
    corrupt: float,
    dropout: float,
    *,
    malicious: bool,
    security_bits: int = SECURITY_BITS,
    tries_bits: int = TRIES_BITS,
) -> NeighbourPlan | None:
    """The fewest neighbours that suffice among `size` nodes; `None` if the complete graph is the answer.

    Beyond 256 neighbours, up to 2 % more than the fewest.

    Parameters
    ----------
    corrupt
        At most this fraction of the nodes works with the aggregator, 0 ≤ corrupt < 1.
    dropout
        At most this fraction of the nodes falls silent, 0 ≤ dropout < 1.
    malicious
        Whether the aggregator may break the protocol: tell different nodes different things, and draw
        sessions until one suits it.
    security_bits, tries_bits
        See `NeighbourPlan`; a semi-honest aggregator tries once. Others than the defaults are for tests.
    """
    tries = tries_bits if malicious else 0
    bits = security_bits + tries
    neighbours = 2
    while LARGEST_COMPLETE < size > neighbours + 1:
        threshold = smallest_threshold(
            size, neighbours, corrupt, dropout, malicious=malicious, draw_bits=bits
        )
        alive = size - part_of(size, dropout)
        if threshold <= neighbours and _below(size, alive, neighbours, threshold) <= 2**-LIVENESS_BITS / size:
            return NeighbourPlan(neighbours, threshold, bits, tries)
        neighbours += max(2, neighbours // 128 * 2)
    return None


def part_of(size: int, rate: float) -> int:
    """The most nodes that are at most this fraction of `size`, for the fraction as it is written."""
    return int(Fraction(str(rate)) * size)


def smallest_threshold(
    size: int, neighbours: int, corrupt: float, dropout: float, *, malicious: bool, draw_bits: int
) -> int:
    """The smallest threshold that is safe with that many neighbours; above `neighbours` if none is.

    Safe but for draws of the order that have a probability of 2^-draw_bits in all.
    """
    holders = neighbours + 1
    faulty = part_of(size, corrupt)
    most_corrupt = _most(size, faulty, neighbours, draw_bits)
    if malicious:
        one_view = (2 * holders + 2 * most_corrupt + 1) // 3 + 1
        no_gap = most_corrupt + neighbours // 2 + 2
        return max(one_view, no_gap)
    # honest survivors fall apart only where half of a neighbourhood in a row is corrupt or silent
    if corrupt + dropout > 0 and log2(size) + neighbours / 2 * log2(corrupt + dropout) > -draw_bits:
        return holders
    return max(most_corrupt + 1, neighbours // 2 + 1)


def _most(size: int, faulty: int, neighbours: int, bits: int) -> int:
    """So many of an honest node's neighbours are corrupt at most, for all at once, but for 2^-bits."""
    upwards = _chances(size - 1, faulty, neighbours)  # its neighbours come from the others
    tails = list(accumulate(reversed(upwards)))[::-1]  # tails[x]: x or more are corrupt
    return next((x - 1 for x, tail in enumerate(tails) if tail <= 2**-bits / size), neighbours)


def _below(size: int, alive: int, neighbours: int, threshold: int) -> float:
    """The probability that fewer than `threshold` of a silent node's neighbours are alive.

    A node that is alive itself has one more chance: it holds a share of its own.
    """
    return sum(_chances(size - 1, min(alive, size - 1), neighbours)[:threshold])


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
