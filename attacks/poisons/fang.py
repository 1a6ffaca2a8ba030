"""Fang: just beyond the honest nodes against the direction of learning, or as far as Krum still selects."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.forging import honest_points, point_among, pooled, table_at, towards_flip
from attacks.toolkit.projection import into_invariants
from securenb.bayes.parameters import Floats
from securenb.robust.distances import squared_distances
from securenb.robust.rules.bulyan import Bulyan
from securenb.robust.rules.krum import Krum
from securenb.robust.rules.multi_krum import MultiKrum

BEYOND = 2.0
"""Their b: how many times the extreme honest value to go, at most."""


@dataclass(frozen=True)
class Fang(Poison):
    """Fang, Cao, Jia and Gong 2020, "Local Model Poisoning Attacks to Byzantine-Robust Federated Learning".

    Against Krum, multi-Krum and Bulyan (their section 4.2): all malicious nodes at the honest mean less λ
    times the sign of the direction of learning, λ halved from their upper bound until Krum selects one of
    them. Against every other rule (4.3 and 4.4, trimmed mean and median): each coordinate of each node
    drawn just beyond the extreme honest value on the wrong side. Statistics are sent once and learn in no
    direction: flipped labels are what theirs is against.

    Uses the schema, the statistics of the nodes that it sees, which rule, the group size and the cap.
    """

    against_rule: ClassVar[bool] = True

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        schema, smoothing, bad = known.schema, known.smoothing, len(known.own)
        points = honest_points(schema, known.others, smoothing)
        middle, direction = towards_flip(schema, known.others, smoothing)
        signs, counts = np.sign(direction), pooled(known.others)[:, 0]

        def table(point: object) -> Forged:
            forged = table_at(schema, np.asarray(point), counts, smoothing)
            return into_invariants(schema, forged, known.cap) if self.inside else forged

        if isinstance(known.rule, Krum | MultiKrum | Bulyan):
            step = self._upper(points, bad)
            while step > 1e-5:
                forged = table(middle + step * signs)
                if self._selected(points, point_among(schema, forged, smoothing, points), bad):
                    break
                step /= 2
            return [table(middle + step * signs)] * bad
        low, high = points.min(axis=0), points.max(axis=0)
        wide = BEYOND - 1
        above = high + rng.random((bad, len(middle))) * wide * np.abs(high)
        below = low - rng.random((bad, len(middle))) * wide * np.abs(low)
        return [table(point) for point in np.where(signs > 0, above, np.where(signs < 0, below, middle))]

    @staticmethod
    def _upper(points: Floats, bad: int) -> float:
        """Their bound on λ (theorem 1)."""
        n, size = len(points) + bad, points.shape[1]
        near = np.sort(np.sqrt(squared_distances(points)), axis=1)[:, 1 : max(n - bad - 1, 2)]
        least = near.sum(axis=1).min() / max(np.sqrt(size) * max(n - 2 * bad - 1, 1), 1)
        most = np.sqrt(np.square(points - points.mean(axis=0)).sum(axis=1)).max() / np.sqrt(size)
        return float(least + most)

    @staticmethod
    def _selected(points: Floats, point: Floats, bad: int) -> bool:
        """Whether Krum selects a malicious node, all of which stand at one point."""
        every = np.concatenate([points, np.repeat(point[None], bad, axis=0)])
        kept = max(len(every) - bad - 2, 1)
        scores = np.sort(squared_distances(every), axis=1)[:, 1 : kept + 1].sum(axis=1)
        return bool(np.argmin(scores) >= len(points))
