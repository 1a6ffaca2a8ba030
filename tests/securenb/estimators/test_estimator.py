"""Estimators among scikit-learn's own."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.utils.estimator_checks import estimator_checks_generator

from securenb.estimators.estimator import MixedNB
from securenb.estimators.moments import Moments

finite = st.floats(allow_nan=False, allow_infinity=False)


def test_every_check_of_scikit_learn_passes():
    failed = []
    for estimator, check in estimator_checks_generator(MixedNB()):
        try:
            check(estimator)
        except Exception as error:
            if type(error).__name__ != "SkipTest":
                failed.append((check.func.__name__, repr(error)))
    assert failed == []


@given(st.lists(finite, max_size=20), st.lists(finite, max_size=20))
def test_moments_of_a_concatenation_are_the_sum_of_the_moments(first, second):
    a, b = np.array(first, dtype=float), np.array(second, dtype=float)
    assert Moments.of(np.concatenate([a, b])) == Moments.of(a) + Moments.of(b)


@given(st.lists(finite, min_size=1, max_size=20))
def test_moments_are_exact(values):
    moments = Moments.of(np.array(values))
    exact = [Fraction(value) for value in values]
    mean = sum(exact) / len(exact)
    assert moments.mean == mean
    assert moments.variance == sum((value - mean) ** 2 for value in exact) / len(exact)


def table(n=300, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    return pd.DataFrame(
        {
            "age": rng.normal(40 + 10 * y, 12),
            "colour": np.where(rng.random(n) < 0.3 + 0.4 * y, "red", "blue"),
            "height": rng.normal(1.7, 0.1, n),
        }
    ), np.where(y == 1, "yes", "no")


@pytest.mark.parametrize("batches", [2, 7, 300])
def test_partial_fit_in_any_batching_equals_fit(batches):
    X, y = table()
    whole, parts = MixedNB().fit(X, y), MixedNB()
    for rows in np.array_split(np.random.default_rng(2).permutation(len(y)), batches):
        parts.partial_fit(X.iloc[rows], y[rows], classes=["no", "yes"])
    assert np.array_equal(whole.predict_proba(X), parts.predict_proba(X))


def test_it_is_the_product_of_scikit_learns_two_models():
    X, y = table()
    mixed = MixedNB().fit(X, y)
    gaussian = GaussianNB().fit(X[["age", "height"]], y)
    codes = (X[["colour"]] == "red").astype(int)
    categorical = CategoricalNB().fit(codes, y)
    expected = (
        gaussian.predict_joint_log_proba(X[["age", "height"]])
        + categorical.predict_joint_log_proba(codes)
        - mixed.class_log_prior_
    )
    assert np.allclose(mixed.predict_joint_log_proba(X), expected, atol=1e-6)


def test_it_remembers_names_and_ignores_new_categories():
    X, y = table()
    mixed = MixedNB().fit(X, y)
    assert mixed.feature_names_in_.tolist() == ["age", "colour", "height"]
    strange = X.assign(colour="green")
    assert np.isfinite(mixed.predict_proba(strange)).all()
    with pytest.raises(ValueError, match="feature names"):
        mixed.predict(X.rename(columns={"age": "years"}))


@pytest.mark.parametrize("features", [["colour"], [1]])
def test_categorical_columns_can_be_named(features):
    X, y = table()
    assert np.array_equal(MixedNB(features).fit(X, y).predict(X), MixedNB().fit(X, y).predict(X))


@pytest.mark.parametrize("features", [["shade"], "all"])
def test_columns_that_do_not_exist_are_refused(features):
    with pytest.raises(ValueError, match=r"categorical_features"):
        MixedNB(features).fit(*table())


def test_a_class_not_announced_is_refused():
    X, y = table()
    with pytest.raises(ValueError, match="'yes' is not one of the classes"):
        MixedNB().partial_fit(X, y, classes=["no", "maybe"])


def test_it_can_be_cross_validated():
    assert cross_val_score(MixedNB(), *table(), cv=3).mean() > 0.6
