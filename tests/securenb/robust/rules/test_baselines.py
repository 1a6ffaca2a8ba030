"""Baselines that staircase sums are measured against: what they promise beyond the contract of a rule."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from securenb.robust.rule import RULES, Rows
from securenb.robust.rules.flcert import Flcert
from securenb.robust.rules.public_records import PublicRecords
from securenb.robust.rules.sum import Sum
from securenb.robust.spec import choose_rule, spell_rule
from securenb.schema.features import Binned, Categorical, Numeric
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

SCHEMA = Schema(("a", "b"), (Categorical("c", ("x", "y", "z")), Numeric("n", 0, 1), Binned("h", (0, 1, 2))))


def drawn(rng, count=200):
    labels = rng.integers(0, 2, count).astype(np.int32)
    levels = (labels + rng.integers(0, 2, count)) % 3
    values = np.clip(rng.normal(24 + 16 * labels, 10).round(), 0, 64)
    return Records(np.column_stack([levels, values, rng.integers(0, 2, count)]).astype(np.int32), labels)


def nodes(rng, count=11):
    tables = np.array([Statistics.of(SCHEMA, drawn(rng)).table for _ in range(count)])
    return Rows(SCHEMA, tables, np.ones(count, dtype=np.int64))


def test_whatever_malicious_rows_say_certified_predictions_are_those_of_the_others():
    rng = np.random.default_rng(1)
    points = drawn(rng, 400).codes
    for case in range(20):
        honest, bad = nodes(rng), int(rng.integers(1, 5))
        lies = rng.integers(-(10**6), 10**6, (bad, *honest.tables.shape[1:]))
        if case % 2:
            lies = honest.tables[:bad, ::-1]
        rows = Rows(SCHEMA, np.concatenate([honest.tables, lies]), np.ones(11 + bad, dtype=np.int64))
        found = Flcert().model(rows)
        sure = found.withstood(points) >= bad
        assert np.array_equal(
            found.predict_codes(points)[sure], Flcert().model(honest).predict_codes(points)[sure]
        )
        assert sure.any()


def test_public_records_alone_do_not_hear_the_rows():
    rng = np.random.default_rng(2)
    reference, test = drawn(rng, 100), drawn(rng, 400)
    for learner in ("logistic", "naive_bayes"):
        rule = PublicRecords(reference=reference, learner=learner)
        first, second = (rule.combine(nodes(np.random.default_rng(seed))).table for seed in (1, 2))
        assert np.array_equal(first, second)
        assert rule.model(nodes(rng)).balanced_score(test) > 0.75


def test_a_logistic_regression_is_that_of_scikit_learn():
    rng = np.random.default_rng(3)
    reference, test = drawn(rng, 150), drawn(rng, 50)
    model = PublicRecords(reference=reference, penalty=2.0).model(nodes(rng))

    def design(records):
        levels, number, bins = records.codes.T
        dummies = [
            levels[:, None] == np.arange(3),
            bins[:, None] == np.arange(2),
            (number[:, None] - 32) / 16,
        ]
        return np.concatenate(dummies, axis=1)

    # two classes share a weight evenly, and the penalty falls on each half
    oracle = LogisticRegression(C=2 / 2.0, class_weight="balanced", tol=1e-10, max_iter=1000)
    oracle.fit(design(reference), reference.labels)
    odds = model.log_joint(test.codes) @ np.array([-1.0, 1.0])
    assert np.allclose(odds, oracle.decision_function(design(test)), atol=0.01)


@pytest.mark.parametrize("name", [name for name in RULES if not RULES[name].increments])
def test_equal_priors_are_equal_and_nothing_else_changes(name):
    rng = np.random.default_rng(4)
    reference, rows = drawn(rng, 60), nodes(rng)
    counted, equal = (
        choose_rule({"name": name, "priors": priors}, reference=reference) for priors in ("counted", "equal")
    )
    before, after = counted.model(rows).parameters.table, equal.model(rows).parameters.table
    assert np.array_equal(before[..., 1:], after[..., 1:])
    assert (after[..., 0] == 0.5).all()
    assert equal.pooled(rows) is None
    assert spell_rule(f"{name}(priors=equal)") == f"{name}(priors=equal)"


def test_choices_that_do_not_exist_are_refused_by_name():
    with pytest.raises(ValueError, match="priors are counted or equal, got 'flat'"):
        Sum(priors="flat")
    with pytest.raises(ValueError, match="the learner is logistic or naive_bayes, got 'forest'"):
        PublicRecords(learner="forest")
    with pytest.raises(ValueError, match="the penalty is positive and finite, got 0"):
        PublicRecords(penalty=0)
    with pytest.raises(ValueError, match="needs a reference"):
        PublicRecords().combine(nodes(np.random.default_rng(5)))
