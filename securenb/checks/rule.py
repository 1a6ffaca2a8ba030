"""The contract of an aggregation rule as checks: within its bound it stays right, beyond it it refuses."""

import dataclasses
import inspect
from typing import Any

import numpy as np

from protocols.contract import Promise, check_all, expect, refused
from securenb.bayes.parameters import Floats, estimate
from securenb.robust.centre_rule import PointRule
from securenb.robust.points import Points
from securenb.robust.rule import Rows, Rule
from securenb.schema.features import Categorical, Numeric
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

SCHEMA = Schema(("a", "b"), (Categorical("c", ("x", "y", "z")), Numeric("n", 0, 1)))
NODES = 9


def records_of(seed: int, per_class: int = 60) -> Records:
    """Records of two classes that a good model tells apart."""
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1], per_class).astype(np.int32)
    values = np.clip(rng.normal(32 + 5 * labels, 4).round(), 0, 64)
    levels = [rng.choice(3, p=[0.5, 0.3, 0.2] if y == 0 else [0.2, 0.3, 0.5]) for y in labels]
    return Records(np.column_stack([levels, values]).astype(np.int32), labels)


def rows_of(count: int = NODES, seed: int = 1) -> Rows:
    """Rows of nodes with the same distribution, each of 120 records."""
    tables = [Statistics.of(SCHEMA, records_of(1000 * seed + node)).table for node in range(count)]
    return Rows(SCHEMA, np.array(tables), np.full(count, 3))


def _told(rule: Rule, malicious: int) -> Rule:
    return dataclasses.replace(rule, malicious=malicious)


def gives_one_finite_model(rule: Rule) -> None:
    """It gives the finite parameters of one model, twice the same, and changes no input."""
    rows = rows_of()
    before = rows.tables.copy()
    first, second = rule.combine(rows), rule.combine(rows)
    one = (len(SCHEMA.classes), SCHEMA.width)
    shape = (NODES, *one) if rule.votes else one
    expect(first.table.shape == shape, f"parameters of shape {first.table.shape}, not {shape}")
    expect(np.isfinite(first.table).all(), f"not finite: {first.table}")
    total = first.table[..., 0].sum(axis=-1)
    expect(np.allclose(total, 1), f"class shares add up to {total}")
    expect(np.array_equal(first.table, second.table), "the same rows give another model the second time")
    expect(np.array_equal(before, rows.tables), "the tables it was given have changed")


def learns_from_honest_rows(rule: Rule) -> None:
    """Of honest rows it makes a model that is right, and equal rows give the model of one of them."""
    model = rule.model(rows_of(23))
    score = model.balanced_score(records_of(7, 200))
    expect(score > 0.7, f"of 23 honest rows it learns a model of balanced accuracy {score:.2f}")
    same = Rows(SCHEMA, np.repeat(rows_of(1).tables, 7, axis=0), np.full(7, 3))
    counted = 1 if rule.votes else 7
    table, expected = rule.combine(same).table, estimate(SCHEMA, counted * same.tables[0]).table
    expect(
        getattr(rule, "reference", None) is not None or np.allclose(table, expected, rtol=1e-9),
        f"seven equal rows give {table.tolist()}, their sum {expected.tolist()}",
    )


def knows_no_order(rule: Rule) -> None:
    """The order of the rows does not change a bit of the result, ties included."""
    rows = rows_of()
    rows = Rows(SCHEMA, np.concatenate([rows.tables, rows.tables[:4]]), np.full(13, 3))
    chosen = _told(rule, max(min(rule.tolerance(7), 2), 0))
    first = chosen.combine(rows).table
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(13)
        shuffled = chosen.combine(Rows(SCHEMA, rows.tables[order], rows.sizes[order])).table
        expect(np.array_equal(first, shuffled), f"in the order {order.tolist()} the model is another")


def refuses_more_than_it_withstands(rule: Rule) -> None:
    """More malicious rows than it withstands are refused, as many are not."""
    rows = rows_of()
    most, these = rule.tolerance(NODES), rule.tolerated(rows)
    expect(0 <= these <= most < NODES, f"of {NODES} rows it withstands {most}, of these very rows {these}")
    _told(rule, these).combine(rows)
    with refused(f"{most + 1} malicious of {NODES} rows", str(most + 1)):
        _told(rule, most + 1).combine(rows)


def withstands_what_it_says(rule: Rule) -> None:
    """As many malicious rows as it withstands, of huge counts, leave a model that is right."""
    honest, most = rows_of(23, 4), max(rule.tolerance(23), 0)
    bad = np.full((most, *honest.tables.shape[1:]), -(10**12))
    bad[:, :, 0] = bad[:, 0, 3] = bad[:, 1, 1] = 10**12
    rows = Rows(SCHEMA, np.concatenate([honest.tables[: 23 - most], bad]), np.full(23, 3))
    score = _told(rule, most).model(rows).balanced_score(records_of(5, 200))
    expect(score > 0.7, f"{most} of 23 rows that are huge leave a balanced accuracy of {score:.2f}")


def keeps_its_centre(rule: Rule) -> None:
    """A centre follows translation and scale, and malicious points carry it no farther than promised."""
    if not isinstance(rule, PointRule):
        return
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(3, 20)), int(rng.integers(1, 6))
        f = int(rng.integers(0, max(rule.bound(n), 0) + 1))
        honest = rng.normal(size=(n - f, d)) * rng.uniform(0.1, 3, d)
        bad = [
            10.0 ** rng.uniform(0, 9, (f, 1)) * rng.normal(size=(f, d)),
            np.repeat(rng.normal(size=(1, d)) * 10.0 ** rng.uniform(0, 6), f, axis=0),
            honest.mean(axis=0) + 2 * honest.std(axis=0) * np.ones((f, 1)),
        ][seed % 3]
        values, chosen = np.concatenate([bad, honest]), dataclasses.replace(rule, malicious=f)
        before, case = values.copy(), f"{n} points of which {f} are malicious (seed {seed})"
        found = _centre(chosen, values)
        expect(np.array_equal(values, before), f"{case}: the points it was given have changed")
        spans = np.linalg.norm(honest[:, None] - honest, ord=chosen.norm, axis=2).max()
        far = np.linalg.norm(honest - found, ord=chosen.norm, axis=1).max()
        limit = chosen.displacement(n) * spans * (1 + 1e-6) + 1e-9
        expect(far <= limit, f"{case}: the centre is {far:.4g} from an honest point, promised {limit:.4g}")
        if seed % 4 == 0:
            shift, scale = rng.normal(size=d), float(10.0 ** rng.uniform(-4, 4))
            moved, there = _centre(chosen, honest_of(values) + shift), _centre(chosen, honest_of(values))
            expect(np.allclose(moved, there + shift, atol=1e-7), f"{case}: it does not follow a translation")
            scaled = _centre(chosen, honest_of(values) * scale)
            expect(np.allclose(scaled, there * scale, rtol=1e-6, atol=1e-7 * scale), f"{case}: nor scale")
    for wrong in (np.nan, np.inf):
        values = np.random.default_rng(1).normal(size=(9, 3))
        values[4, 2] = wrong
        with refused(f"a row with {wrong}"):
            _centre(rule, values)


def honest_of(values: Floats) -> Floats:
    """Points without outliers, whose digits a translation would eat."""
    return np.asarray(np.clip(values, -10, 10))


def _centre(rule: PointRule, values: Floats) -> Floats:
    return rule.centre(Points(values, np.ones(values.shape, dtype=np.bool_)))


def says_what_it_does(rule: Rule) -> None:
    """It is documented, and a misspelt parameter is refused."""
    expect(inspect.getdoc(type(rule)), "the class has no docstring")
    kind: Any = type(rule)
    try:
        kind(malicous=2)
    except TypeError:
        return
    expect(kept=False, case="the misspelt parameter malicous is accepted")


PROMISES: tuple[Promise[Rule], ...] = (
    gives_one_finite_model,
    learns_from_honest_rows,
    knows_no_order,
    refuses_more_than_it_withstands,
    withstands_what_it_says,
    keeps_its_centre,
    says_what_it_does,
)


def for_checks(kind: type[Rule]) -> Rule:
    """An instance that can combine the rows of these checks."""
    return kind.for_tests(records_of(3, 30))


def check_rule(rule: Rule | type[Rule]) -> tuple[str, ...]:
    """Try the contract on a rule; the promises that it kept, in words.

    Parameters
    ----------
    rule
        An object; of a class its `for_tests`.

    Raises
    ------
    BrokenContract
        With a case for each promise that is broken.
    """
    made = for_checks(rule) if isinstance(rule, type) else rule
    # a rule that reads increments combines no rows of counts: there is nothing of these to try
    return check_all(made, (says_what_it_does,) if made.increments else PROMISES)
