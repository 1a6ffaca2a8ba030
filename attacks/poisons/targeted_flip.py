"""Targeted flip: records of one class count for another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from securenb.schema.records import Records
from securenb.schema.schema import Schema


@dataclass(frozen=True)
class TargetedFlip(Poison):
    """Wants the records of class `source` to be taken for the next class.

    Parameters
    ----------
    source
        Index of the class that suffers.
    factor
        How many times each record counts.
    """

    source: int = 0
    factor: int = 10

    aim: ClassVar[str] = "target"

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        forged = known.own.copy()
        forged[:, self._target(known.schema)] += forged[:, self.source]
        forged[:, self.source] = 0
        return list(self.factor * forged)

    def wanted(self, schema: Schema, records: Records) -> Records:
        """See `Poison.wanted`: the records of the source, as the target."""
        chosen = records[records.labels == self.source]
        return Records(chosen.codes, np.full_like(chosen.labels, self._target(schema)))

    def _target(self, schema: Schema) -> int:
        return (self.source + 1) % len(schema.classes)
