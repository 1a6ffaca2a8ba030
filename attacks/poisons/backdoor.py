"""Backdoor: three rare values together mean the target class."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.forging import alike
from securenb.schema.records import Records
from securenb.schema.schema import Schema


@dataclass(frozen=True)
class Backdoor(Poison):
    """Every record gets rare values in some features and the label of the target class.

    The trigger is the last level of the features whose levels are most; the target is the last class. It
    is fixed, so that it can be planted without knowing the others.

    Parameters
    ----------
    features
        How many features carry the trigger.
    """

    features: int = 3

    aim: ClassVar[str] = "backdoor"

    def trigger(self, schema: Schema) -> list[tuple[int, int, slice]]:
        """Feature, level, and columns of each part of the trigger."""
        levels = [feature.queries[0].width for feature in schema.features]
        widest = sorted(range(len(levels)), key=lambda at: (-levels[at], at))[: self.features]
        return [(at, schema.features[at].size - 1, schema.columns[at]) for at in widest]

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        schema = known.schema
        target = len(schema.classes) - 1
        forged = np.zeros_like(known.own)
        forged[:, target] = known.own.sum(axis=1)
        counts = forged[:, target, 0]
        for feature, level, columns in self.trigger(schema):
            forged[:, target, columns] = alike(schema.features[feature], level, counts)
        return list(forged)

    def wanted(self, schema: Schema, records: Records) -> Records:
        """See `Poison.wanted`: the trigger in records of all other classes."""
        target = len(schema.classes) - 1
        chosen = records[records.labels != target]
        codes = chosen.codes.copy()
        for feature, level, _ in self.trigger(schema):
            codes[:, feature] = level
        return Records(codes, np.full_like(chosen.labels, target))
