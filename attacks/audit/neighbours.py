"""Neighbouring records that have broken a release before: empty classes, zeros, extremes, flips."""

from collections.abc import Iterator

import numpy as np

from securenb.feature import Codes, Numeric
from securenb.records import Records
from securenb.schema import Schema
from securenb.sensitivity import Adjacency

Pair = tuple[str, Records, Records]
"""What is special about it; D; and D', which has one record more, or one record changed."""


def neighbours(schema: Schema, adjacency: Adjacency, pairs: int, rng: np.random.Generator) -> Iterator[Pair]:
    """`pairs` pairs; the special ones come first and again, in turn, with other records around them."""
    classes = len(schema.classes)
    for number in range(pairs):
        label = (number // 4) % classes
        few = Records(*_drawn(schema, int(rng.integers(1, 12)), rng))
        corner = _record(schema, ("low", "high")[number % 2], label)
        match number % 4:
            case 0:
                what, base = "first record of a class", few[few.labels != label]
                if not len(base):
                    base = _record(schema, "low", (label + 1) % classes)
            case 1:
                what, base = (
                    "an extreme record joins alike ones",
                    Records.concatenate(*[_record(schema, "low", label)] * 3),
                )
            case 2:
                what, base = "an extreme record joins one of the middle", _record(schema, "middle", label)
            case _:
                what, base = "an extreme record joins any", few
        if adjacency == "add-remove":
            yield what, base, Records.concatenate(base, corner)
        else:
            other = _record(schema, "low" if number % 2 else "high", (label + 1 + number // 8) % classes)
            yield (
                f"{what}, and is replaced",
                Records.concatenate(base, other),
                Records.concatenate(base, corner),
            )


def _record(schema: Schema, where: str, label: int) -> Records:
    codes = []
    for feature in schema.features:
        top = feature.steps if isinstance(feature, Numeric) else len(feature.levels) - 1
        codes.append({"low": 0, "middle": top // 2, "high": top}[where])
    return Records(np.array([codes], dtype=np.int32), np.array([label], dtype=np.int32))


def _drawn(schema: Schema, count: int, rng: np.random.Generator) -> tuple[Codes, Codes]:
    tops = [f.steps if isinstance(f, Numeric) else len(f.levels) - 1 for f in schema.features]
    codes = rng.integers(0, np.array(tops) + 1, (count, len(tops))).astype(np.int32)
    return codes, rng.integers(0, len(schema.classes), count).astype(np.int32)
