"""Variance collapse: many records, all at the same place."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from securenb.schema.feature import Numeric


@dataclass(frozen=True)
class VarianceCollapse(Poison):
    """Makes one class's Gaussian a needle, so that no record fits it any more.

    It is aimed at the last class; features with levels collapse onto their most frequent one.

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
        for block in known.schema.blocks:
            if block.kind == "levels":
                common = block.start + int(np.argmax(known.own[:, row, block.columns].sum(axis=0)))
                forged[:, row, block.columns] = 0
                forged[:, row, common] = counts
            elif block.kind == "sum":
                feature = known.schema.features[block.feature]
                assert isinstance(feature, Numeric)
                value = np.rint(forged[:, row, block.start] / np.maximum(counts, 1)).astype(np.int64)
                forged[:, row, block.start] = counts * value
                forged[:, row, block.start + 1] = counts * (value**2 - feature.square_offset)
        return list(forged)
