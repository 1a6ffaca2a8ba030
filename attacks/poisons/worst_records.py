"""Worst records: as many records as the cap allows, each as misleading as a record can be."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from securenb.bayes.parameters import estimate
from securenb.schema.feature import Numeric


@dataclass(frozen=True)
class WorstRecords(Poison):
    """What data poisoning can do to a sum: every true record gets evidence against its own class.

    In every class, each feature takes the value that speaks most against that class. Greedy: features
    are independent given the class, so the worst value of each makes the worst record.
    """

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        schema = known.schema
        parameters = estimate(schema, known.others.sum(axis=0), known.rule.smoothing).table
        share = known.cap // len(schema.classes)
        table = np.zeros(parameters.shape, dtype=np.int64)
        table[:, 0] = share
        for block in schema.blocks:
            for row in range(len(schema.classes)):
                rivals = np.delete(parameters, row, axis=0)
                if block.kind == "levels":
                    against = rivals[:, block.columns].max(axis=0) - parameters[row, block.columns]
                    table[row, block.start + int(np.argmax(against))] = share
                elif block.kind == "sum":
                    feature = schema.features[block.feature]
                    assert isinstance(feature, Numeric)
                    rival = rivals[np.argmax(np.abs(rivals[:, block.start] - parameters[row, block.start]))]
                    value = int(np.rint(rival[block.start]))
                    table[row, block.start] = share * value
                    table[row, block.start + 1] = share * (value**2 - feature.square_offset)
        return [table] * len(known.own)
