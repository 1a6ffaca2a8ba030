"""The closed-form gradient is that of finite differences, and free tables are within the invariants."""

import numpy as np
import pytest

from attacks.toolkit.descent import Sums, back, weighed
from attacks.toolkit.free_tables import FreeTables
from attacks.toolkit.judge import Judge
from attacks.toolkit.projection import into_invariants
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import estimate
from securenb.data.dataset import load_dataset
from securenb.schema.invariants import invariants
from securenb.schema.statistics import Statistics

CAP, MALICIOUS = 50, 3


@pytest.fixture(params=["phishing", "breast_cancer"], scope="module")
def data(request):
    return load_dataset(request.param)


def test_the_gradient_is_that_of_finite_differences(data):
    sums = Sums.of(data.schema)
    free, judge = FreeTables(sums, CAP), Judge(sums, data.train[:200])
    honest = Statistics.of(data.schema, data.train).table.astype(float)
    rng = np.random.default_rng(0)
    at = rng.normal(size=(2, free.size))

    def loss(point):
        tables, kept = free.tables(point)
        total = honest + MALICIOUS * tables
        found = weighed(sums, total, 1.0)
        value, slope = judge.soft(found.weights, 2.0)
        return value, free.back(MALICIOUS * back(sums, total, found, slope, 1.0), kept)

    gradient = loss(at)[1]
    assert np.abs(gradient).max() > 1e-4
    for index in rng.choice(free.size, 40, replace=False):
        step = np.zeros_like(at)
        step[:, index] = 1e-5
        numeric = (loss(at + step)[0] - loss(at - step)[0]) / 2e-5
        assert np.abs(numeric - gradient[:, index]).max() < 1e-7 * np.abs(gradient).max() + 1e-10


def test_hard_accuracy_is_that_of_the_model(data):
    sums = Sums.of(data.schema)
    table = Statistics.of(data.schema, data.train).table
    weights = weighed(sums, table[None].astype(float), 1.0).weights
    model = NaiveBayes(estimate(data.schema, table, 1.0))
    assert Judge(sums, data.test).hard(weights)[0] == pytest.approx(model.balanced_score(data.test))


@pytest.mark.parametrize("seed", range(5))
def test_free_tables_need_no_projection_but_rounding(data, seed):
    free = FreeTables(Sums.of(data.schema), 10_000)
    tables, _ = free.tables(np.random.default_rng(seed).normal(0, 2, (1, free.size)))
    inside = into_invariants(data.schema, np.rint(tables[0]).astype(np.int64), 10_000)
    assert invariants(data.schema, 10_000).broken(inside.reshape(-1)) == ()
    steps = [float(getattr(feature, "steps", 1)) for feature in data.schema.features]
    assert np.abs(inside - tables[0]).max() <= 2 * max(steps) ** 2
