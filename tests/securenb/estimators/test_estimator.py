"""Estimators among scikit-learn's own."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.utils.estimator_checks import estimator_checks_generator

from securenb.estimators.estimator import MixedNB
from securenb.estimators.moments import Moments, exact_weights

finite = st.floats(-1e150, 1e150)
weighed = st.tuples(finite, st.floats(0, 1e100))


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


@given(st.lists(weighed, min_size=1, max_size=20).filter(lambda pairs: any(weight for _, weight in pairs)))
def test_weighted_moments_are_exact(pairs):
    values, weights = map(np.array, zip(*pairs, strict=True))
    moments = Moments.of(values, exact_weights(weights))
    exact = [(Fraction(value), Fraction(weight)) for value, weight in pairs]
    whole = sum(weight for _, weight in exact)
    mean = sum(value * weight for value, weight in exact) / whole
    assert moments.mean == float(mean)
    assert moments.variance == float(sum((value - mean) ** 2 * weight for value, weight in exact) / whole)


@given(st.lists(finite, max_size=9))
def test_a_weight_of_one_is_no_weight(values):
    values = np.array(values, dtype=float)
    assert Moments.of(values, exact_weights(np.ones(len(values)))) == Moments.of(values)


@given(st.lists(finite, min_size=1, max_size=20))
def test_moments_are_exact(values):
    moments = Moments.of(np.array(values))
    exact = [Fraction(value) for value in values]
    mean = sum(exact) / len(exact)
    assert moments.mean == float(mean)
    assert moments.variance == float(sum((value - mean) ** 2 for value in exact) / len(exact))


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


@pytest.mark.parametrize("batches", [2, 7, 60])
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
    with pytest.raises(ValueError, match=r"The target label.*'yes'.*do not exist in the initial classes"):
        MixedNB().partial_fit(X, y, classes=["no", "maybe"])


def test_it_can_be_cross_validated():
    assert cross_val_score(MixedNB(), *table(), cv=3).mean() > 0.6


# probabilities


def test_logs_of_probabilities_do_not_underflow():
    X, y = [[0.0], [1.0], [100.0], [101.0]], [0, 0, 1, 1]
    ours, theirs = MixedNB().fit(X, y), GaussianNB().fit(X, y)
    far = [[-50.0], [0.0], [60.0]]
    assert ours.predict_log_proba(far).min() < -7000
    assert np.allclose(ours.predict_log_proba(far), theirs.predict_log_proba(far), rtol=1e-6)


@pytest.mark.parametrize("x", [1e149, -1e149, 0.0, 5e-324])
def test_probabilities_are_probabilities_wherever_a_record_lies(x):
    fitted = MixedNB().fit([[0.0], [0.0], [1e-200], [1.0]], [0, 0, 1, 1])
    shares = fitted.predict_proba([[x]])
    assert np.isfinite(shares).all()
    assert np.isclose(shares.sum(), 1)


# weights and priors


@settings(max_examples=25)
@given(st.lists(st.integers(0, 3), min_size=12, max_size=12).filter(any), st.integers(0, 99))
def test_a_weight_is_as_good_as_so_many_copies(weights, seed):
    X, y = table(12, seed)
    weighed = MixedNB().fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(12), weights)
    copies = MixedNB().partial_fit(X.iloc[rows], y[rows], classes=np.unique(y))
    assert np.array_equal(weighed.predict_joint_log_proba(X), copies.predict_joint_log_proba(X))
    assert weighed.categories_ == copies.categories_


@pytest.mark.parametrize("batches", [2, 7])
def test_weighted_batches_equal_one_weighted_fit(batches):
    X, y = table()
    rng = np.random.default_rng(3)
    weights = rng.exponential(size=len(y))
    whole, parts = MixedNB().fit(X, y, weights), MixedNB()
    for rows in np.array_split(rng.permutation(len(y)), batches):
        parts.partial_fit(X.iloc[rows], y[rows], ["no", "yes"], weights[rows])
    assert np.array_equal(whole.predict_proba(X), parts.predict_proba(X))


def test_weights_and_priors_are_those_of_scikit_learn():
    X, y = table()
    weights = np.random.default_rng(4).exponential(size=len(y))
    ours = MixedNB(priors=[0.2, 0.8]).fit(X[["age", "height"]], y, weights)
    theirs = GaussianNB(priors=[0.2, 0.8]).fit(X[["age", "height"]], y, weights)
    assert np.allclose(ours.theta_, theirs.theta_, rtol=1e-12)
    assert np.allclose(ours.var_, theirs.var_, rtol=1e-6)
    assert np.allclose(ours.predict_proba(X[["age", "height"]]), theirs.predict_proba(X[["age", "height"]]))
    assert ours.class_prior_.tolist() == [0.2, 0.8]


@pytest.mark.parametrize(
    "weights", [[1, 2], np.ones((300, 2)), [-1] + [1] * 299, [np.nan] + [1] * 299, [np.inf] * 300, [0] * 300]
)
def test_weights_that_are_none_are_refused(weights):
    with pytest.raises(ValueError, match="sample_weight"):
        MixedNB().fit(*table(), sample_weight=weights)


@pytest.mark.parametrize(
    "choice", [{"smoothing": 0}, {"smoothing": -1}, {"smoothing": np.inf}, {"var_smoothing": -1}]
)
def test_smoothing_that_makes_no_probabilities_is_refused(choice):
    with pytest.raises(ValueError, match=f"{next(iter(choice))} must be finite"):
        MixedNB(**choice).fit(*table())


def test_a_refused_batch_leaves_the_state_as_it_was():
    X, y = table()
    fitted = MixedNB().fit(X, y)
    before = fitted.predict_proba(X)
    for bad, labels in [(X.assign(age=np.inf), y), (X, np.full(300, "maybe")), (X.assign(colour=1), y)]:
        with pytest.raises(ValueError, match=r"age|maybe|colour"):
            fitted.partial_fit(bad, labels)
    assert np.array_equal(
        fitted.partial_fit(X.iloc[:0:-1], y[:0:-1]).predict(X), MixedNB().fit(X, y).predict(X)
    )
    assert np.array_equal(MixedNB().fit(X, y).predict_proba(X), before)


# columns of whatever type

WORDS = pd.Series(["p", "q"] * 10, dtype="category")
Y = ["a", "b"] * 10
ACCEPTED = {
    "category and bool": ({"w": WORDS, "f": [True, False] * 10}, [True, True]),
    "category and Int64": ({"w": WORDS, "f": pd.array([1, 2] * 10, dtype="Int64")}, [True, False]),
    "boolean and string": (
        {"w": pd.array([True, False] * 10, dtype="boolean"), "f": pd.array(["p", "q"] * 10, dtype="string")},
        [True, True],
    ),
    "objects that are numbers": ({"x": np.arange(20).astype(object)}, [False]),
    "objects that are booleans": ({"x": np.array([True, False] * 10, dtype=object)}, [True]),
    "category of numbers": ({"x": pd.Series([3, 5] * 10, dtype="category")}, [True]),
    "decimals": ({"x": [Decimal("0.1"), Decimal("0.2")] * 10}, [False]),
    "Float32": ({"x": pd.array([0.5, 1.5] * 10, dtype="Float32")}, [False]),
    "text that looks like numbers": ({"x": ["01", "1"] * 10}, [True]),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_columns_of_many_types_are_what_they_are(name):
    columns, categorical = ACCEPTED[name]
    X = pd.DataFrame(columns)
    fitted = MixedNB().fit(X, Y)
    assert fitted.categorical_ == categorical
    if name != "objects that are numbers":
        assert fitted.predict(X).tolist() == Y


DATES = pd.date_range("2020-01-01", periods=20)
REFUSED = {
    "infinity beside text": ({"x": [1.0] * 19 + [np.inf], "w": Y}, "column 'x', row 20: inf"),
    "Int64 with NA": (
        {"w": Y, "x": pd.array([1] * 19 + [None], dtype="Int64")},
        "column 'x', row 20: a missing",
    ),
    "NaN": ({"x": [np.nan] + [1.0] * 19}, "column 'x', row 1: a missing"),
    "None beside text": ({"x": [None, "a"] * 10}, "column 'x', row 1: a missing"),
    "NaT": ({"x": [pd.NaT] * 20}, "column 'x', row 1: a missing"),
    "dates": ({"w": Y, "when": DATES}, "column 'when' is of type datetime64"),
    "differences of dates": ({"when": DATES - DATES[0]}, "column 'when' is of type timedelta64"),
    "objects that are dates": ({"when": DATES.astype(object)}, "column 'when', row 1: Timestamp"),
    "periods": ({"when": pd.period_range("2020", periods=20)}, "column 'when' is of type period"),
    "complex numbers": ({"z": np.arange(20) * 1j}, "column 'z' is of type complex"),
    "text beside numbers": ({"x": ["a", 1] * 10}, "column 'x' mixes text"),
    "booleans beside numbers": ({"x": pd.Series([True, 2] * 10, dtype=object)}, "column 'x' mixes boolean"),
    "lists": ({"x": [[1], [2]] * 10}, "column 'x', row 1"),
    "numbers too large to square": ({"x": [1e200, 1.0] * 10}, r"column 'x', row 1: 1e\+200"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_columns_that_are_neither_numbers_nor_categories_are_refused_by_name(name):
    columns, reason = REFUSED[name]
    with pytest.raises(ValueError, match=reason):
        MixedNB().fit(pd.DataFrame(columns), Y)


def test_a_column_of_another_kind_than_when_it_was_fitted_is_refused_by_name():
    fitted = MixedNB().fit(pd.DataFrame({"x": ["1", "2"] * 10, "n": np.arange(20)}), Y)
    with pytest.raises(ValueError, match="column 'x' is number, e.g. 1; it was fitted as text"):
        fitted.predict(pd.DataFrame({"x": [1, 2], "n": [1, 2]}))
    with pytest.raises(ValueError, match="column 'n', row 2: 'many' is no number"):
        fitted.predict(pd.DataFrame({"x": ["1", "2"], "n": ["1", "many"]}))


def test_an_array_of_text_keeps_categories_that_look_like_numbers():
    X = np.array([["1", "0.5"], ["x", "0.7"]] * 10)
    fitted = MixedNB().fit(X, Y)
    assert fitted.categorical_ == [True, False]
    assert fitted.predict(np.array([["1", "0.6"]])).tolist() == ["a"]


# labels of whatever type


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([True, False] * 10, [False, True]),
        (np.array([True, False] * 10, dtype=object), [False, True]),
        (pd.array([True, False] * 10, dtype="boolean"), [False, True]),
        (pd.Series(["yes", "no"] * 10, dtype="category"), ["no", "yes"]),
        (pd.Series(["yes", "no"] * 10, dtype="string"), ["no", "yes"]),
        (pd.array([2, 1] * 10, dtype="Int64"), [1, 2]),
        (np.array([2.0, 1.0] * 10, dtype=object), [1, 2]),
        (np.array([2, 1] * 10, dtype=np.uint8), [1, 2]),
    ],
)
def test_labels_are_right_whatever_their_type(y, classes):
    X = pd.DataFrame({"x": [9.0, 1.0] * 10})
    fitted = MixedNB().fit(X, y)
    assert fitted.classes_.tolist() == classes
    assert fitted.predict(X).tolist() == list(y)
    assert fitted.score(X, y) == 1
    if pd.api.types.infer_dtype(y) == "string" or not pd.api.types.is_object_dtype(y):
        assert cross_val_predict(MixedNB(), X, y, cv=2).tolist() == list(y)


@pytest.mark.parametrize("y", [["a", 1] * 10, ["a", None] * 10, [True, "b"] * 10, [1, np.nan] * 10, DATES])
def test_labels_of_mixed_or_no_kind_are_refused(y):
    with pytest.raises(ValueError, match=r"y must be all|y, row 2: NaN|y is of type datetime"):
        MixedNB().fit(np.arange(20.0)[:, None], y)


def test_a_column_that_is_there_twice_is_refused_by_name():
    table = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["x", "x"])
    with pytest.raises(ValueError, match="^column 'x' is there twice$"):
        MixedNB().fit(table, ["a", "b"])
