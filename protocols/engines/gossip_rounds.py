"""Push-sum by rounds in floating point, with nodes that leave: how fast it converges, and how wrong it ends.

The protocol `gossip` opens exact sums or nothing, so it cannot show what churn does to gossip; this does.
Source: Jelasity, Montresor and Babaoglu 2005, section 4 (push-sum of Kempe et al. 2003 instead of push-pull).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protocols.primitives.topology import Neighbours


@dataclass(frozen=True)
class Trace:
    """What happened in one simulation.

    Attributes
    ----------
    errors
        After each round, the largest relative error among the nodes that are there: Euclidean distance of a
        node's sum from the sum of all vectors at the start, over that sum's norm.
    messages
        How many halves were pushed in all.
    left
        How many nodes left, with the mass that they held.
    """

    errors: tuple[float, ...]
    messages: int
    left: int

    def rounds_to(self, error: float) -> int | None:
        """After how many rounds every node is, and stays, within this relative error; `None` if never."""
        outside = [turn for turn, found in enumerate(self.errors, 1) if not found <= error]
        rounds = outside[-1] if outside else 0
        return None if rounds == len(self.errors) else rounds + 1


def push_sum(
    vectors: NDArray[np.float64],
    graph: Neighbours,
    rounds: int,
    rng: np.random.Generator,
    leave: float = 0.0,
) -> Trace:
    """Simulate synchronous rounds of push-sum.

    Parameters
    ----------
    vectors
        Shape (n, d); their sum must not be zero.
    graph
        The neighbours of each node.
    leave
        The probability for each node in each round to leave for good with what it holds; what others push to
        it afterwards is lost as well, for they do not know.

    Raises
    ------
    ValueError
        For shapes that do not fit, a sum of zero, or a probability that is none.
    """
    if len(vectors) != len(graph) or vectors.ndim != 2:
        raise ValueError(f"{len(graph)} nodes need vectors of shape ({len(graph)}, d), got {vectors.shape}")
    if not 0 <= leave < 1:
        raise ValueError(f"leave is a probability below 1, got {leave}")
    truth = vectors.sum(axis=0)
    if not np.linalg.norm(truth) > 0:
        raise ValueError("the sum is zero: it has no relative error")
    size = len(vectors)
    state = np.hstack([vectors, np.ones((size, 1))])
    there = np.ones(size, bool)
    degrees = np.array([len(near) for near in graph])
    padded = np.array([[*near, *[0] * (int(degrees.max()) - len(near))] for near in graph])
    errors: list[float] = []
    messages = 0
    for _ in range(rounds):
        there &= rng.random(size) >= leave
        state[~there] = 0
        goes = state / 2
        state = goes.copy()
        partner = padded[np.arange(size), rng.integers(degrees)]
        np.add.at(state, partner, goes)
        messages += int(there.sum())
        state[~there] = 0
        sums = size * state[there, :-1] / state[there, -1:]
        found = np.linalg.norm(sums - truth, axis=1) / np.linalg.norm(truth)
        errors.append(float(found.max()) if there.any() else float("nan"))
    return Trace(tuple(errors), messages, int(size - there.sum()))
