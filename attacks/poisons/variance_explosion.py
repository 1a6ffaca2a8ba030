"""Variance explosion: true counts, and sums of squares beyond all bounds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from securenb.schema.features import Numeric


@dataclass(frozen=True)
class VarianceExplosion(Poison):
    """Makes numbers worthless: a class with an enormous variance fits nothing, and everything a little.

    It is aimed at the first class; without numeric features it does nothing.

    Parameters
    ----------
    factor
        Squares added for each record, in squared ranges.
    """

    factor: int = 100

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        forged = known.own.copy()
        for feature, columns in zip(known.schema.features, known.schema.columns, strict=True):
            if isinstance(feature, Numeric):
                forged[:, 0, columns.start + 1] += self.factor * feature.steps**2 * forged[:, 0, 0]
        return list(forged)
