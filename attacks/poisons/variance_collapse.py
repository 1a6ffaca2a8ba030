"""Variance collapse: many records, all at the same place."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison


@dataclass(frozen=True)
class VarianceCollapse(Poison):
    """Makes one class's Gaussian a needle, so that no record fits it any more.

    It is aimed at the last class; features with levels collapse onto their most frequent one, others onto
    what is closest to a node's own mean.

    Parameters
    ----------
    factor
        How many times each record counts.
    """

    factor: int = 100

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        forged = known.own * self.factor
        row = len(known.schema.classes) - 1
        counts = forged[:, row, 0]
        for feature, columns in zip(known.schema.features, known.schema.columns, strict=True):
            own = known.own[:, row, columns]
            sums = np.broadcast_to(own.sum(axis=0), own.shape) if feature.partition else own
            place = feature.closest(sums / np.maximum(known.own[:, row, :1], 1))
            forged[:, row, columns] = counts[:, None] * feature.added(place.astype(np.int32))
        return list(forged)
