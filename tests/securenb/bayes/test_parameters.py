"""Parameters from clean, noisy and impossible sums."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from securenb.bayes.model import NaiveBayes, balanced_accuracy
from securenb.bayes.parameters import estimate, normalised
from securenb.schema.features import Categorical, Numeric
from securenb.schema.features.numeric import GRID_VARIANCE
from securenb.schema.records import UNKNOWN, Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

SCHEMA = Schema(
    ("no", "yes"),
    (Categorical("colour", ("red", "green", "blue")), Numeric("age", 0, 64), Categorical("odd", ("0", "1"))),
)
TABLE = (len(SCHEMA.classes), SCHEMA.width)


def random_records(rng, n=400):
    labels = rng.integers(2, size=n).astype(np.int32)
    codes = np.column_stack(
        [
            (rng.integers(3, size=n) * (1 + labels)) % 3,
            np.clip(rng.normal(20 + 20 * labels, 6), 0, 64).round(),
            rng.random(n) < 0.3 + 0.4 * labels,
        ]
    ).astype(np.int32)
    return Records(codes, labels)


@given(hnp.arrays(np.int64, (3, *TABLE), elements=st.integers(-(2**40), 2**40)))
def test_whatever_was_opened_gives_finite_parameters_that_are_probabilities_and_variances(tables):
    parameters = estimate(SCHEMA, tables)
    table = parameters.table
    assert np.isfinite(table).all()
    assert np.allclose(table[..., 0].sum(axis=-1), 1)
    assert (table[..., 0] > 0).all()
    for block in SCHEMA.blocks:
        columns = table[..., block.columns]
        if block.kind == "levels":
            assert (columns > 0).all()
            assert np.allclose(columns.sum(axis=-1), 1)
        if block.kind == "sum":
            assert (np.abs(columns) <= 32).all()
        if block.kind == "squares":
            assert ((columns >= GRID_VARIANCE) & (columns <= 64**2 / 4)).all()
    joint = NaiveBayes(estimate(SCHEMA, tables[0])).log_joint(
        random_records(np.random.default_rng(0), 20).codes
    )
    assert np.isfinite(joint).all()


def test_stacked_rows_are_estimated_one_by_one():
    tables = np.random.default_rng(1).integers(-5, 50, (4, *TABLE))
    together = estimate(SCHEMA, tables)
    for index, table in enumerate(tables):
        alone = estimate(SCHEMA, table)
        assert np.array_equal(together.table[index], alone.table)
        assert np.array_equal(together.defined[index], alone.defined)


def test_a_class_without_records_defines_nothing_but_its_probability():
    records = random_records(np.random.default_rng(2))
    table = Statistics.of(SCHEMA, records[records.labels == 0]).table
    defined = estimate(SCHEMA, table).defined
    assert defined[0].all()
    assert defined[1, 0]
    assert not defined[1, 1:].any()


def test_without_noise_the_model_is_the_product_of_scikit_learns_two():
    records = random_records(np.random.default_rng(3), 2000)
    model = NaiveBayes(estimate(SCHEMA, Statistics.of(SCHEMA, records).table, smoothing=0.5))
    prior = np.log(model.parameters.table[:, 0])
    categorical = CategoricalNB(alpha=0.5, min_categories=[3, 2], fit_prior=False)
    categorical.fit(records.codes[:, [0, 2]], records.labels)
    gaussian = GaussianNB(priors=np.exp(prior), var_smoothing=0)
    gaussian.fit(records.codes[:, [1]], records.labels)
    uniform = np.log(0.5)
    expected = (
        categorical.predict_joint_log_proba(records.codes[:, [0, 2]])
        - uniform
        + gaussian.predict_joint_log_proba(records.codes[:, [1]])
    )
    assert np.allclose(model.log_joint(records.codes), expected, rtol=0, atol=1e-9)


def test_an_unknown_value_says_nothing_about_the_class():
    records = random_records(np.random.default_rng(4))
    model = NaiveBayes(estimate(SCHEMA, Statistics.of(SCHEMA, records).table))
    unknown = np.full((1, 3), UNKNOWN, dtype=np.int32)
    assert np.allclose(model.log_joint(unknown), np.log(model.parameters.table[:, 0]))
    frame = pd.DataFrame({"colour": ["purple"], "age": ["?"], "odd": ["2"]})
    assert np.allclose(model.predict_proba(frame, ignore_unknown=True), model.parameters.table[:, 0])
    with pytest.raises(ValueError, match="row 1, column 'colour': 'purple' is not in the schema"):
        model.predict(frame)
    missing = pd.DataFrame({"colour": [None], "age": [np.nan], "odd": ["2"]})
    with pytest.raises(ValueError, match="row 1, column 'odd': '2' is not in the schema"):
        model.predict_proba(missing)


def test_numbers_outside_the_bounds_count_as_the_nearest_bound():
    records = random_records(np.random.default_rng(5))
    model = NaiveBayes(estimate(SCHEMA, Statistics.of(SCHEMA, records).table))
    frame = pd.DataFrame({"colour": ["red"] * 2, "age": [64.0, 1e9], "odd": ["0", "0"]})
    first, second = model.predict_proba(frame)
    assert np.array_equal(first, second)


def test_a_model_survives_json_bit_for_bit():
    records = random_records(np.random.default_rng(6))
    model = NaiveBayes(estimate(SCHEMA, Statistics.of(SCHEMA, records).table))
    again = NaiveBayes.from_dict(model.to_dict())
    assert again.schema == SCHEMA
    assert np.array_equal(again.parameters.table, model.parameters.table)


@pytest.mark.parametrize(
    "data", [{}, [], {"format": "other"}, {"format": "securenb model 1", "schema": {"label": 3}}]
)
def test_what_is_not_a_model_is_refused(data):
    with pytest.raises(ValueError, match=r"not a model|schema"):
        NaiveBayes.from_dict(data)


def test_smoothing_must_be_positive():
    with pytest.raises(ValueError, match="smoothing must be positive, got 0"):
        estimate(SCHEMA, np.zeros(TABLE), smoothing=0)


def test_probabilities_combined_one_by_one_add_to_one_again():
    table = np.random.default_rng(7).random(TABLE) + 0.1
    parameters = normalised(SCHEMA, table)
    assert np.isclose(parameters[:, 0].sum(), 1)
    assert np.allclose(parameters[:, 1:4].sum(axis=1), 1)
    assert np.array_equal(parameters[:, 4:6], table[:, 4:6])


def test_balanced_accuracy_weighs_classes_alike():
    truth = np.array([0, 0, 0, 1], dtype=np.int32)
    assert balanced_accuracy(truth, np.array([0, 0, 0, 0])) == 0.5
