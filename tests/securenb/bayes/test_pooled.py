"""What a model remembers of its sums, and that statistics added before opening are added to them."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.schemes.ideal import Ideal
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import estimate
from securenb.bayes.pooled import Pooled
from securenb.certify.certificate import certify, certify_sums
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.federation.postprocess import Refinement, variances
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.robust.rule import Rows
from securenb.robust.rules.median import Median
from securenb.robust.rules.sum import Sum
from securenb.schema.features import Categorical, Numeric
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

SCHEMA = Schema(
    ("a", "b"), (Categorical("colour", ("red", "green", "blue")), Categorical("shape", ("round", "flat")))
)
SUMS = Refinement(shrinkage=False)
MIXED = Schema(("a", "b", "c"), (*SCHEMA.features, Numeric("age", 0, 64)))


def random_records(schema, rng, count):
    tops = [f.size for f in schema.features]
    codes = np.stack([rng.integers(0, top, count) for top in tops], 1).astype(np.int32)
    return Records(codes, rng.integers(0, len(schema.classes), count).astype(np.int32))


def federation(rule, **choices):
    return Federation(SCHEMA, Ideal(), DiscreteLaplace(1), rule, seed=5, **choices)


def nodes():
    rng = np.random.default_rng(1)
    return [Node(f"node-{i}", random_records(SCHEMA, rng, 30)) for i in range(6)]


def test_the_model_of_a_plain_sum_certifies_its_predictions_also_when_read_back():
    model = federation(Sum(smoothing=2.0), refinement=SUMS).run(nodes()).model
    frame = pd.DataFrame({"colour": ["red", "blue", "purple"], "shape": ["round", "flat", "flat"]})
    again = NaiveBayes.from_dict(json.loads(json.dumps(model.to_dict())))
    expected = certify_sums(model.pooled.statistics, SCHEMA.encode(frame), 4 * 10, 2.0)
    for found in (certify(model, frame, 4, 10), certify(again, frame, malicious=4, cap=10)):
        assert found.needed.tolist() == expected.needed.tolist()
        assert [SCHEMA.classes[at] for at in found.predicted] == list(
            model.predict(frame, ignore_unknown=True)
        )
        assert found.limit == 40


@pytest.mark.parametrize(
    "model",
    [
        lambda: federation(Median(), group_size=1).run(nodes()).model,
        lambda: federation(Sum(), refinement=Refinement()).run(nodes()).model,
        lambda: NaiveBayes(estimate(SCHEMA, Statistics.zero(SCHEMA).table)),
    ],
)
def test_models_of_anything_else_have_no_certificate(model):
    with pytest.raises(ValueError, match="only the model of a plain sum"):
        certify(model(), np.zeros((1, 2), np.int32), 1, 1)


@pytest.mark.parametrize(("malicious", "cap"), [(-1, 5), (1, 0)])
def test_neither_fewer_than_no_nodes_nor_a_cap_of_nothing_are_certified(malicious, cap):
    model = federation(Sum(), refinement=SUMS).run(nodes()).model
    with pytest.raises(ValueError, match=f"got {malicious} and {cap}"):
        certify(model, np.zeros((1, 2), np.int32), malicious, cap)


def test_a_file_whose_sums_are_not_those_of_its_parameters_is_refused():
    data = federation(Sum(), refinement=SUMS).run(nodes()).model.to_dict()
    data["pooled"]["sums"][0][0] += 1
    with pytest.raises(ValueError, match="not the estimate of these sums"):
        NaiveBayes.from_dict(data)
    data["pooled"]["sums"][0][0] = 1.5
    with pytest.raises(ValueError, match="integers, not float64"):
        Pooled.from_dict(SCHEMA, data["pooled"])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 64), st.booleans())
def test_statistics_added_before_opening_are_added_to_the_pooled_sums(seed, epsilon, plain):
    """Otherwise a certificate would be about another model than the one that attackers see."""
    rng = np.random.default_rng(seed)
    mechanism = DiscreteLaplace(epsilon)
    opened = rng.integers(-9, 400, (2, len(MIXED.classes), MIXED.width))
    added = Statistics.of(MIXED, random_records(MIXED, rng, int(rng.integers(1, 300)))).table
    noise = np.array([variances(mechanism, MIXED, 1, 2)] * 2)
    refinement = Refinement(consistency=not plain, shrinkage=False)

    def pooled(tables):
        refined = refinement.refine(Rows(MIXED, tables, np.array([3, 3])), noise, Sum())
        return Sum().pooled(refined).statistics.table

    poisoned = opened.copy()
    poisoned[0] += added
    assert np.array_equal(pooled(poisoned), pooled(opened) + added)
