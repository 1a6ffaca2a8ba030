"""Records that an attacker judges forgeries on."""

from collections.abc import Sequence

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.schema.feature import Numeric
from securenb.schema.records import Records
from securenb.schema.schema import Schema


def joined(parts: Sequence[Records]) -> Records:
    """All records of several nodes."""
    return Records(
        np.concatenate([part.codes for part in parts]), np.concatenate([part.labels for part in parts])
    )


def drawn(schema: Schema, model: Floats, records: int, rng: np.random.Generator) -> Records:
    """Records drawn from a model, the same number of each class."""
    labels = np.repeat(np.arange(len(schema.classes)), records).astype(np.int32)
    codes = np.zeros((len(labels), len(schema.features)), dtype=np.int32)
    for block in schema.blocks:
        for row in range(len(schema.classes)):
            chosen = labels == row
            if block.kind == "levels":
                levels = model[row, block.columns]
                codes[chosen, block.feature] = rng.choice(len(levels), records, p=levels / levels.sum())
            elif block.kind == "sum":
                feature = schema.features[block.feature]
                assert isinstance(feature, Numeric)
                mean, variance = model[row, block.start], model[row, block.start + 1]
                values = rng.normal(mean, np.sqrt(variance), records) + feature.offset
                codes[chosen, block.feature] = np.clip(np.rint(values), 0, feature.steps)
    return Records(codes, labels)
