"""The gradient through a calibrated sum is that of finite differences, and its model is the rule's."""

import numpy as np
import pytest

from attacks.toolkit.calibrated import Calibration
from attacks.toolkit.descent import Sums, weighed
from attacks.toolkit.free_tables import FreeTables
from attacks.toolkit.judge import Judge
from securenb.data.dataset import load_dataset
from securenb.experiments.montecarlo import Scorer
from securenb.robust.rule import Rows
from securenb.robust.rules.calibrated_sum import CalibratedSum
from securenb.schema.statistics import Statistics


@pytest.fixture(params=["phishing", "breast_cancer"])
def case(request):
    data = load_dataset(request.param)
    sums, rule = Sums.of(data.schema), CalibratedSum(reference=data.train[:60])
    free = FreeTables(sums, 500)
    forged = free.tables(np.random.default_rng(0).normal(size=(1, free.size)))[0][0]
    total = Statistics.of(data.schema, data.train[60:]).table + forged
    return data, sums, rule, total


def test_the_model_is_the_rules(case):
    data, sums, rule, total = case
    calibration = Calibration(sums, rule)
    whole = np.rint(total)
    score, _, _ = calibration.descent(Judge(sums, data.test), whole, calibration.start(), 2.0, 30)
    model = rule.combine(Rows(data.schema, whole[None].astype(np.int64), np.array([2])))
    assert score == pytest.approx(Scorer.of(data.schema, data.test).accuracies(model.table)[1], abs=0.02)


def test_the_gradient_is_that_of_finite_differences(case):
    data, sums, rule, total = case
    calibration, judge = Calibration(sums, rule), Judge(sums, data.test)
    _, gradient, fit = calibration.descent(judge, total, calibration.start(), 2.0, 60)

    def loss(at):
        found = weighed(sums, at[None], 1.0)
        again = calibration.fitted(calibration.evidence(found), fit.at, 20)
        return judge.soft(calibration.model(found, again), 2.0)[0][0]

    rng, scale = np.random.default_rng(1), np.abs(gradient).max()
    assert scale > 0
    for index in rng.choice(total.size, 20, replace=False):
        step = np.zeros(total.size)
        step[index] = 1e-3
        step = step.reshape(total.shape)
        numeric = (loss(total + step) - loss(total - step)) / 2e-3
        assert abs(numeric - gradient.reshape(-1)[index]) < 0.02 * scale
