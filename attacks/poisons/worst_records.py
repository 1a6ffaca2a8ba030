"""Worst records: as many records as the cap allows, each as misleading as a record can be."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.forging import alike
from securenb.bayes.parameters import Floats, estimate
from securenb.schema.feature import Feature
from securenb.schema.features import Numeric


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
        for feature, columns in zip(schema.features, schema.columns, strict=True):
            for row in range(len(schema.classes)):
                rivals = np.delete(parameters[:, columns], row, axis=0)
                code = _against(feature, parameters[row, columns], rivals)
                table[row, columns] = alike(feature, code, table[row, :1])[0]
        return [table] * len(known.own)


def _against(feature: Feature, own: Floats, rivals: Floats) -> int:
    """The code that is most probable in some other class, less its probability in the class itself.

    For a Gaussian the mean that is farthest: the density is greatest there, in so far as it is theirs.
    """
    if isinstance(feature, Numeric):
        rival = rivals[np.argmax(np.abs(rivals[:, 0] - own[0]))]
        return int(np.rint(rival[0])) + feature.offset
    every = np.arange(feature.size, dtype=np.int32)
    densities = np.exp(feature.log_density(np.stack([own, *rivals])[:, None, :], every))
    return int(np.argmax(densities[1:].max(axis=0) - densities[0]))
