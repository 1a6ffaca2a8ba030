"""The attack on rules that bound every cell apart, against all choices of ends on small cases."""

import itertools

import numpy as np
import pytest

from attacks.toolkit.extremes import SHARP, Ends, worst
from securenb.schema.features import Categorical
from securenb.schema.records import Records
from securenb.schema.schema import Schema

SCHEMA = Schema(("a", "b"), (Categorical("c", ("x", "y")), Categorical("d", ("u", "v"))))


def case(seed, classes=2, draws=3):
    rng = np.random.default_rng(seed)
    schema = SCHEMA if classes == 2 else Schema(("a", "b", "c"), SCHEMA.features)
    low = np.log(rng.uniform(0.01, 0.9, (draws, classes, schema.width)))
    high = low + rng.exponential(1.0, (1, *low.shape[1:]))
    low[:, :, 0] = high[:, :, 0] = 0.0
    labels = rng.integers(0, classes, 60).astype(np.int32)
    codes = np.column_stack([rng.integers(0, 2, 60), (labels + rng.integers(0, 2, 60)) % 2]).astype(np.int32)
    return Ends(schema, low, high), Records(codes, labels)


def soft(ends, up, records):
    """Soft balanced accuracy, written straight."""
    found = []
    for cells in ends.scores(up):
        scores = np.tile(cells[:, 0], (len(records), 1))
        for columns, codes in zip(ends.schema.columns, records.codes.T, strict=True):
            scores += cells[:, columns][:, codes].T
        true = scores[np.arange(len(records)), records.labels].copy()
        scores[np.arange(len(records)), records.labels] = -np.inf
        right = 1 / (1 + np.exp(-(true - scores.max(axis=1)) / SHARP))
        found.append(np.mean([right[records.labels == c].mean() for c in np.unique(records.labels)]))
    return float(np.mean(found))


@pytest.mark.parametrize("seed", range(4))
def test_it_finds_nearly_the_worst_of_all_choices(seed):
    ends, records = case(seed)
    cells = [(c, w) for c in range(2) for w in range(1, SCHEMA.width)]
    values = []
    for choice in itertools.product((False, True), repeat=len(cells)):
        up = np.zeros(ends.low.shape[1:], dtype=bool)
        up[tuple(np.transpose(cells))] = choice
        values.append(soft(ends, up, records))
    found = soft(ends, worst(ends, records, np.random.default_rng(seed)), records)
    assert found <= min(values) + 0.01
    assert found < np.median(values)


def test_more_classes_and_records_of_one_class_alone():
    ends, records = case(9, classes=3)
    one = records[records.labels == 2]
    before = soft(ends, np.zeros(ends.low.shape[1:]), one)
    assert soft(ends, worst(ends, one, np.random.default_rng(1)), one) < before
    up = worst(ends, records, np.random.default_rng(1))
    assert up.shape == ends.low.shape[1:]
    assert soft(ends, up, records) < soft(ends, ~up, records)


def test_the_same_randomness_gives_the_same_choice():
    ends, records = case(3)
    first, second = (worst(ends, records, np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(first, second)
