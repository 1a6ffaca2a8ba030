"""What every rule promises, over the catalogue."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from securenb.bayes.parameters import estimate
from securenb.robust.centre_rule import PointRule
from securenb.robust.points import Points
from securenb.robust.preaggregation import PREAGGREGATIONS
from securenb.robust.rule import RULES, Rows
from securenb.schema.features import Categorical, Numeric
from securenb.schema.records import Records
from securenb.schema.schema import Schema

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


def reference(rng, per_class=30):
    """Public records like those behind `honest_rows`."""
    labels = np.repeat([0, 1], per_class).astype(np.int32)
    values = np.clip(rng.normal(32 + 5 * labels, 4).round(), 0, 64)
    levels = [rng.choice(3, p=[0.5, 0.3, 0.2] if y == 0 else [0.2, 0.3, 0.5]) for y in labels]
    return Records(np.column_stack([levels, values]).astype(np.int32), labels)


def rule(name, malicious=0):
    return replace(RULES[name].for_tests(reference(np.random.default_rng(0))), malicious=malicious)


COUNTING = [name for name in RULES if not RULES[name].increments]
"""What combines rows of counts; rules that read increments are tried in `tests/securenb/staircase`."""

POINT_RULES = [name for name in RULES if issubclass(RULES[name], PointRule)]


def points(rng, n=23, d=6):
    return rng.normal(size=(n, d)) * rng.uniform(0.1, 3, d)


def centre(name, values, malicious=0):
    return rule(name, malicious).centre(Points(values, np.ones(values.shape, dtype=bool)))


@pytest.mark.parametrize("name", COUNTING)
def test_equal_rows_give_the_model_of_their_sum(name):
    rows = honest_rows(np.random.default_rng(1))
    same = Rows(SCHEMA, np.repeat(rows.tables[:1], 7, axis=0), np.full(7, 3))
    combined = rule(name).combine(same)
    if name in ("calibrated_sum", "public_records"):
        pytest.skip("made of public records: see its own test")
    # trusted_rows sums half of them, so that its pseudo-count weighs twice as much
    kept = 4 if name == "trusted_rows" else 1 if rule(name).votes else 7
    expected = estimate(SCHEMA, rows.tables[0] * kept)
    assert np.allclose(combined.table, expected.table, rtol=1e-12)


@pytest.mark.parametrize("name", COUNTING)
def test_the_result_is_one_finite_model_and_the_input_is_untouched(name):
    rows = honest_rows(np.random.default_rng(2))
    before = rows.tables.copy()
    combined = rule(name).combine(rows)
    assert combined.table.shape == ((len(rows.sizes), *SHAPE) if rule(name).votes else SHAPE)
    assert np.isfinite(combined.table).all()
    assert np.allclose(combined.table[..., 0].sum(axis=-1), 1)
    assert np.array_equal(rows.tables, before)


@pytest.mark.parametrize("before", ["", *PREAGGREGATIONS])
@pytest.mark.parametrize("name", COUNTING)
def test_neither_order_nor_repetition_changes_a_bit_of_the_result(name, before):
    rng = np.random.default_rng(3)
    rows = honest_rows(rng)
    rows = Rows(SCHEMA, np.concatenate([rows.tables, rows.tables[:4]]), np.full(13, 3))  # ties
    order = rng.permutation(len(rows.sizes))
    shuffled = Rows(SCHEMA, rows.tables[order], rows.sizes[order])
    chosen = rule(name, min(rule(name).tolerance(7), 2))
    if before:
        if name not in POINT_RULES:
            pytest.skip("combines statistics: nothing can come before it")
        chosen = replace(chosen, before=(PREAGGREGATIONS[before](),))
    first = chosen.combine(rows).table
    assert np.array_equal(first, chosen.combine(rows).table)
    assert np.array_equal(first, chosen.combine(shuffled).table)


@pytest.mark.parametrize("name", COUNTING)
def test_malicious_rows_within_the_bound_leave_a_model_that_is_still_right(name):
    honest = honest_rows(np.random.default_rng(4), g=23)
    most = rule(name).tolerance(23)
    bad = np.full((most, *SHAPE), -(10**12))
    bad[:, :, 0] = bad[:, 0, 3] = bad[:, 1, 1] = 10**12
    rows = Rows(SCHEMA, np.concatenate([honest.tables[: 23 - most], bad]), np.full(23, 3))
    truth = reference(np.random.default_rng(5), 200)
    assert rule(name, most).model(rows).balanced_score(truth) > 0.7


@pytest.mark.parametrize("name", COUNTING)
def test_more_malicious_rows_than_the_bound_are_refused(name):
    rows = honest_rows(np.random.default_rng(6))
    most = rule(name).tolerance(len(rows.sizes))
    assert 0 <= rule(name).tolerated(rows) <= most < len(rows.sizes)
    rule(name, rule(name).tolerated(rows)).combine(rows)
    with pytest.raises(ValueError, match=f"at most {most} malicious of 9 rows, not {most + 1}"):
        rule(name, most + 1).combine(rows)


@pytest.mark.parametrize("name", POINT_RULES)
def test_the_bound_holds_for_every_cell_not_only_for_all_rows(name):
    rows = honest_rows(np.random.default_rng(7))
    tables = rows.tables.copy()
    tables[3:, 1] = 0
    few = Rows(SCHEMA, tables, rows.sizes)
    assert rule(name).tolerated(few) <= 1
    if name != "mean":
        rule(name, rule(name).tolerated(few)).combine(few)
        with pytest.raises(ValueError, match="class 'b'.*3 of 9 rows define it|rule .* tolerates at most"):
            rule(name, 2).combine(few)
        tables[1:, 1] = 0
        with pytest.raises(ValueError, match="class 'b', class count: 1 of 9|class 'b', .*1 of 9 rows"):
            rule(name).combine(Rows(SCHEMA, tables, rows.sizes))


@pytest.mark.parametrize("name", POINT_RULES)
def test_undefined_cells_neither_attract_nor_repel(name):
    honest = honest_rows(np.random.default_rng(8), g=12)
    tables = honest.tables.copy()
    tables[:6, 1] = 0
    combined = rule(name, 1 if rule(name).tolerance(12) else 0).combine(Rows(SCHEMA, tables, honest.sizes))
    truth = estimate(SCHEMA, honest.tables[6:].sum(axis=0))
    assert np.allclose(combined.table[1, 1:4], truth.table[1, 1:4], atol=0.12)


@pytest.mark.parametrize("name", POINT_RULES)
def test_the_centre_follows_translation_and_scale(name):
    rng = np.random.default_rng(9)
    values = points(rng)
    f = rule(name).bound(len(values))
    before = centre(name, values, f)
    shift = rng.normal(size=values.shape[1])
    assert np.allclose(centre(name, values + shift, f), before + shift, atol=1e-8)
    for factor in (1e-6, 3.0, 1e6):
        assert np.allclose(centre(name, values * factor, f), before * factor, rtol=1e-7, atol=1e-8 * factor)


@pytest.mark.parametrize("name", POINT_RULES)
def test_points_are_left_as_they_were(name):
    values = points(np.random.default_rng(12))
    before = values.copy()
    centre(name, values, rule(name).bound(len(values)))
    for step in PREAGGREGATIONS:
        PREAGGREGATIONS[step]().apply(values, 3)
    assert np.array_equal(values, before)


@pytest.mark.parametrize("name", RULES)
def test_a_misspelt_parameter_is_refused_instead_of_dropped(name):
    with pytest.raises(TypeError, match="malicous"):
        RULES[name](malicous=2)


@pytest.mark.parametrize("name", POINT_RULES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_malicious_rows_carry_the_centre_no_farther_than_promised(name, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, d = data.draw(st.integers(3, 19)), data.draw(st.integers(1, 5))
    most = rule(name).bound(n)
    f = data.draw(st.integers(0, max(most, 0)))
    honest = points(rng, n - f, d)
    kind = data.draw(st.sampled_from(["far", "together", "near", "copies"]))
    bad = {
        "far": lambda: 10.0 ** rng.uniform(0, 9, (f, 1)) * rng.normal(size=(f, d)),
        "together": lambda: np.repeat(rng.normal(size=(1, d)) * 10.0 ** rng.uniform(0, 6), f, axis=0),
        "near": lambda: honest.mean(axis=0) + 2 * honest.std(axis=0) * np.ones((f, 1)),
        "copies": lambda: np.repeat(honest[:1], f, axis=0),
    }[kind]()
    chosen = rule(name, f)
    found = chosen.centre(Points(np.concatenate([bad, honest]), np.ones((n, d), dtype=bool)))
    spans = np.linalg.norm(honest[:, None] - honest, ord=chosen.norm, axis=2)
    distances = np.linalg.norm(honest - found, ord=chosen.norm, axis=1)
    assert distances.max() <= chosen.displacement(n) * spans.max() * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize("name", POINT_RULES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_one_row_that_is_not_finite_is_refused_and_never_wins(name, bad):
    values = points(np.random.default_rng(10))
    values[4, 2] = bad
    with pytest.raises(ValueError, match="row 4 is not finite"):
        centre(name, values)


@pytest.mark.parametrize("name", POINT_RULES)
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_points_of_another_dtype_are_refused_instead_of_rounded(name, dtype):
    with pytest.raises(ValueError, match="expected float64 points"):
        centre(name, (points(np.random.default_rng(11)) * 100).astype(dtype))


@pytest.mark.parametrize(
    "bad", [np.zeros((0, *SHAPE), np.int64), np.zeros((2, *SHAPE)), np.zeros((2, 2, 2), np.int64)]
)
def test_rows_of_wrong_shape_or_dtype_are_refused(bad):
    with pytest.raises(ValueError, match="expected int64 tables"):
        Rows(SCHEMA, bad, np.full(len(bad), 1))
