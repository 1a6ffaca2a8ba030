"""Outlier injection: numbers at the public bounds, alternating between the classes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.forging import alike


@dataclass(frozen=True)
class Outliers(Poison):
    """Records whose numbers all lie at one end in even classes and at the other in odd ones.

    Features with levels take their last, or first, level. Tight bounds make it harmless.
    """

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        schema = known.schema
        forged = known.own.copy()
        for feature, columns in zip(schema.features, schema.columns, strict=True):
            for row in range(len(schema.classes)):
                end = 0 if row % 2 else feature.size - 1
                forged[:, row, columns] = alike(feature, end, forged[:, row, 0])
        return list(forged)
