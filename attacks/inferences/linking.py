"""Which node of one round is which of another, under other names, from their rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from attacks.inference import Attempt, Inference, View, drawn_seed, look
from securenb.data.node import Node
from securenb.federation.federation import Federation


@dataclass(frozen=True)
class Linking(Inference):
    """Matches the rows of two rounds so that they lie closest, in units of the noise and of their spread.

    A group hides its members from each other: in the right row, one of them is guessed.
    """

    def attempt(self, federation: Federation, nodes: Sequence[Node], rng: np.random.Generator) -> Attempt:
        """See `Inference.attempt`."""
        first, second = (look(federation, nodes, drawn_seed(rng)) for _ in range(2))
        distances = _distances(first, second)
        match = linear_sum_assignment(distances)[1]
        linked = sum(
            len(set(members) & set(second.members[other])) / len(second.members[other])
            for members, other in zip(first.members, match, strict=True)
        )
        return Attempt(linked / len(nodes), 1 / len(nodes))


def _distances(first: View, second: View) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Squared distances of all pairs of rows, shape (g, g)."""
    spread = first.noise[:, None, None, :] + second.noise[None, :, None, :] + first.rows.var(axis=0) + 1e-9
    gaps = (first.rows[:, None] - second.rows[None]) ** 2 / spread
    distances: np.ndarray[tuple[int, int], np.dtype[np.float64]] = gaps.sum(axis=(2, 3))
    return distances
