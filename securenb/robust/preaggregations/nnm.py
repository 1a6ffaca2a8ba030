"""Nearest-neighbour mixing: every row becomes the mean of its nearest rows."""

from dataclasses import dataclass

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.robust.distances import squared_distances
from securenb.robust.points import checked
from securenb.robust.preaggregation import Preaggregation


def nearest_neighbour_mixing(points: Floats, malicious: int) -> Floats:
    """Each row replaced by the mean of the n - f rows nearest to it, itself included.

    Allouah et al. 2023, "Fixing by Mixing", algorithm 2. Needs three matrices of the size of `points`
    at most, the input included. Of rows at the same distance the first are taken.
    """
    checked(points, malicious, (len(points) - 1) // 2)
    n = len(points)
    kept = n - malicious
    order = np.argsort(squared_distances(points), axis=1, kind="stable")[:, :kept]
    weights = np.zeros((n, n))
    np.put_along_axis(weights, order, 1 / kept, axis=1)
    mixed: Floats = weights @ points
    return mixed


@dataclass(frozen=True)
class NearestNeighbourMixing(Preaggregation):
    """Shrinks honest rows towards their mean, so that a malicious row has less room among them."""

    def apply(self, points: Floats, malicious: int) -> Floats:
        """See `Preaggregation.apply`."""
        return nearest_neighbour_mixing(points, malicious)
