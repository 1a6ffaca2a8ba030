"""Outlier injection: numbers at the public bounds, alternating between the classes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from securenb.schema.feature import Numeric


@dataclass(frozen=True)
class Outliers(Poison):
    """Records whose numbers all lie at one end in even classes and at the other in odd ones.

    Features with levels take their last, or first, level. Tight bounds make it harmless.
    """

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        schema = known.schema
        forged = known.own.copy()
        for block in schema.blocks:
            for row in range(len(schema.classes)):
                counts = forged[:, row, 0]
                if block.kind == "levels":
                    forged[:, row, block.columns] = 0
                    forged[:, row, block.start if row % 2 else block.stop - 1] = counts
                elif block.kind == "sum":
                    feature = schema.features[block.feature]
                    assert isinstance(feature, Numeric)
                    value = -feature.offset if row % 2 else feature.steps - feature.offset
                    forged[:, row, block.start] = counts * value
                    forged[:, row, block.start + 1] = counts * (value**2 - feature.square_offset)
        return list(forged)
