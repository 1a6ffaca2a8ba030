"""Records that an attacker judges forgeries on."""

from collections.abc import Sequence

import numpy as np

from securenb.bayes.parameters import Floats
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
    for at, (feature, columns) in enumerate(zip(schema.features, schema.columns, strict=True)):
        for row in range(len(schema.classes)):
            codes[labels == row, at] = feature.draw(model[row, columns], records, rng)
    return Records(codes, labels)
