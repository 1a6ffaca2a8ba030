"""What every rule promises, over the catalogue."""

import numpy as np
import pytest

from securenb.feature import Categorical, Numeric
from securenb.parameters import estimate
from securenb.rule import RULES, Rows
from securenb.schema import Schema

SCHEMA = Schema(("a", "b"), (Categorical("c", ("x", "y", "z")), Numeric("n", 0, 1)))
SHAPE = (len(SCHEMA.classes), SCHEMA.width)


def honest_rows(rng, g=9, per_class=60):
    """Rows of nodes with the same distribution, consistent as real statistics are."""
    tables = np.empty((g, *SHAPE), dtype=np.int64)
    for table in tables:
        for y, row in enumerate(table):
            values = np.clip(rng.normal(5 * y, 4, per_class).round(), -32, 32).astype(np.int64)
            shares = [0.5, 0.3, 0.2] if y == 0 else [0.2, 0.3, 0.5]
            row[:] = [per_class, *rng.multinomial(per_class, shares), values.sum(), (values**2 - 512).sum()]
    return Rows(SCHEMA, tables, np.full(g, 3))


@pytest.mark.parametrize("name", RULES)
def test_equal_rows_give_their_own_parameters(name):
    rows = honest_rows(np.random.default_rng(1))
    same = Rows(SCHEMA, np.repeat(rows.tables[:1], 7, axis=0), np.full(7, 3))
    combined = RULES[name]().combine(same)
    expected = estimate(SCHEMA, rows.tables[0])
    # the sum of seven equal rows is smoothed a seventh as much
    assert np.allclose(combined.table, expected.table, atol=0.03)


@pytest.mark.parametrize("name", RULES)
def test_the_result_is_one_finite_model_and_the_input_is_untouched(name):
    rows = honest_rows(np.random.default_rng(2))
    before = rows.tables.copy()
    combined = RULES[name]().combine(rows)
    assert combined.table.shape == SHAPE
    assert np.isfinite(combined.table).all()
    assert np.isclose(combined.table[:, 0].sum(), 1)
    assert np.array_equal(rows.tables, before)


@pytest.mark.parametrize("name", RULES)
def test_the_order_of_rows_does_not_matter(name):
    rng = np.random.default_rng(3)
    rows = honest_rows(rng)
    order = rng.permutation(len(rows.sizes))
    shuffled = Rows(SCHEMA, rows.tables[order], rows.sizes[order])
    rule = RULES[name]()
    assert np.allclose(rule.combine(rows).table, rule.combine(shuffled).table, rtol=1e-12)


@pytest.mark.parametrize(
    "bad", [np.zeros((0, *SHAPE), np.int64), np.zeros((2, *SHAPE)), np.zeros((2, 2, 2), np.int64)]
)
def test_rows_of_wrong_shape_or_dtype_are_refused(bad):
    with pytest.raises(ValueError, match="expected int64 tables"):
        Rows(SCHEMA, bad, np.full(len(bad), 1))
