"""The sum and the median, by what they promise beyond the contract."""

import numpy as np
import pytest

from securenb.bayes.parameters import estimate
from securenb.robust.rule import Rows
from securenb.robust.rules.median import Median
from securenb.robust.rules.sum import Sum
from securenb.schema.features import Categorical
from securenb.schema.schema import Schema

SCHEMA = Schema(("a", "b"), (Categorical("c", ("x", "y")),))


def rows(*tables):
    return Rows(SCHEMA, np.array(tables, dtype=np.int64), np.ones(len(tables), dtype=np.int64))


GOOD = [[40, 30, 10], [60, 20, 40]]
EMPTY_B = [[40, 30, 10], [0, 0, 0]]
POISON = [[40, -(10**9), 10**9], [10**9, 10**9, 0]]


def test_the_sum_is_the_model_of_the_pooled_records():
    combined = Sum().combine(rows(GOOD, GOOD, EMPTY_B))
    pooled = estimate(SCHEMA, np.array([[120, 90, 30], [120, 40, 80]]))
    assert np.array_equal(combined.table, pooled.table)


def test_a_minority_of_poisoned_rows_does_not_move_the_median():
    clean = Median().combine(rows(GOOD, GOOD, GOOD))
    poisoned = Median().combine(rows(GOOD, POISON, GOOD, POISON, GOOD))
    assert np.allclose(clean.table[:, 1:], poisoned.table[:, 1:], atol=0.01)
    assert np.abs(clean.table[:, 0] - poisoned.table[:, 0]).max() <= 2 / 5


def test_rows_without_a_class_are_skipped_for_that_class():
    most_lack_b = Median().combine(rows(*[EMPTY_B] * 7, GOOD, GOOD, GOOD))
    alone = estimate(SCHEMA, np.array(GOOD), smoothing=1 / 10)
    assert np.allclose(most_lack_b.table[:, 1:], alone.table[:, 1:], rtol=1e-12)


def test_nodes_of_one_class_each_leave_the_other_class_its_probability():
    only_a, only_b = [[40, 30, 10], [0, 0, 0]], [[0, 0, 0], [40, 10, 30]]
    combined = Median().combine(rows(*[only_a] * 7, *[only_b] * 3))
    assert np.allclose(combined.table[:, 0], [0.7, 0.3], atol=0.01)


def test_the_median_refuses_a_cell_that_too_few_rows_define():
    with pytest.raises(ValueError, match="class 'b', feature 'c': 2 of 5 rows define it"):
        Median().combine(rows(EMPTY_B, EMPTY_B, EMPTY_B, GOOD, GOOD))


def test_the_median_of_one_group_is_refused_instead_of_being_that_group():
    with pytest.raises(ValueError, match="it needs 3|cannot run on 1"):
        Median().combine(rows(GOOD))


def test_the_median_of_an_even_number_of_rows_is_the_midpoint():
    tables = [[[10, k, 10 - k], [10, 5, 5]] for k in (1, 3, 7, 9)]
    combined = Median().combine(rows(*tables))
    assert combined.table[0, 1] == pytest.approx((4 / 12 + 8 / 12) / 2)
