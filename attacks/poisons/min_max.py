"""Min-Max: as far out as the two most distant honest nodes are from each other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.forging import honest_points, pooled, table_at, towards_flip
from attacks.poison import Forged, Knowledge, Poison
from securenb.distances import squared_distances


@dataclass(frozen=True)
class MinMax(Poison):
    """Moves the honest mean towards flipped labels, no farther from any honest node than honest nodes are.

    Shejwalkar and Houmansadr 2021, "Manipulating the Byzantine", section IV; the largest step is found by
    bisection.
    """

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        schema, smoothing = known.schema, known.smoothing
        points = honest_points(schema, known.others, smoothing)
        middle, direction = towards_flip(schema, known.others, smoothing)
        squares = squared_distances(points)
        low, high = 0.0, 8.0
        for _ in range(40):
            step = (low + high) / 2
            point = middle + step * direction
            fits = np.square(points - point).sum(axis=1).max() <= squares.max()
            low, high = (step, high) if fits else (low, step)
        table = table_at(schema, middle + low * direction, pooled(known.others)[:, 0], smoothing)
        return [table] * len(known.own)
