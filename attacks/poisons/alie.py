"""A little is enough: as far from the honest mean as honest nodes scatter."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.forging import honest_points, pooled, table_at, towards_flip


@dataclass(frozen=True)
class Alie(Poison):
    """All malicious nodes stand at the honest mean, moved by z standard deviations in every coordinate.

    Baruch, Baruch and Goldberg 2019, "A Little Is Enough", algorithm 3: z is the largest for which enough
    honest nodes stand still farther out to make a majority with the malicious ones. The paper leaves the
    signs open; here they lead towards flipped labels. With few malicious nodes z is zero or less, and the
    paper's attack is none: then z = 0, which is a copy of the mean.
    """

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        schema, smoothing = known.schema, known.smoothing
        points = honest_points(schema, known.others, smoothing)
        middle, direction = towards_flip(schema, known.others, smoothing)
        point = middle + self.z(len(known.own), len(points)) * points.std(axis=0) * np.sign(direction)
        table = table_at(schema, point, pooled(known.others)[:, 0], smoothing)
        return [table] * len(known.own)

    def z(self, malicious: int, honest: int) -> float:
        """How many standard deviations go unnoticed."""
        needed = (malicious + honest) // 2 + 1 - malicious
        share = (honest - needed) / honest
        return max(float(norm.ppf(min(share, 1 - 1e-6))), 0.0) if share > 0 else 0.0
