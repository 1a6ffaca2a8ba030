"""Collective certificates: sound, never below pointwise ones, and near the best attack."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.optimize

from benchmarks.evidence.claims.collective_certificates import SCHEMAS, CollectiveCertificates, additions
from securenb.bayes.model import NaiveBayes
from securenb.bayes.pooled import Pooled
from securenb.certify.certificate import certify
from securenb.certify.collective import certify_together
from securenb.certify.linear_bounds import above, below, tangents
from securenb.certify.placement_program import Box
from securenb.certify.safe_program import Constraints, SafeProgram
from securenb.schema.records import Records
from securenb.schema.statistics import Statistics


def summed(data, records):
    pooled = Pooled(Statistics.of(data.schema, records), 1.0)
    return NaiveBayes(pooled.parameters(), pooled)


@pytest.mark.parametrize("part", range(2000, 2004))
def test_no_placement_takes_a_small_case_below_its_certificate(part):
    found = CollectiveCertificates().measure(part, 8)
    assert found["violations"] == found["below_pointwise"] == 0
    assert found["tight"] > 0


def test_all_placements_of_a_small_case_are_tried():
    assert len(additions(SCHEMAS[0], 1)) == 1 + 2 * 3 * 2
    assert len(np.unique(additions(SCHEMAS[2], 2), axis=0)) == len(additions(SCHEMAS[2], 2))


@pytest.mark.parametrize("garbage", ["zero", "wrong signs", "random", "no solution"])
def test_a_bound_holds_whatever_the_solver_says(garbage, monkeypatch):
    rng = np.random.default_rng(3)

    def lying(cost, upper, most, equal, value, bounds, method):
        y, v = rng.normal(size=len(most)), rng.normal(size=len(value))
        y, v = {"zero": (0 * y, 0 * v), "wrong signs": (abs(y), v)}.get(garbage, (y, v))
        found = None if garbage == "no solution" else np.zeros(len(cost))
        said = SimpleNamespace(marginals=y), SimpleNamespace(marginals=v)
        return SimpleNamespace(x=found, ineqlin=said[0], eqlin=said[1])

    points = np.array(list(itertools.product(range(4), repeat=3)), dtype=float)
    monkeypatch.setattr(scipy.optimize, "linprog", lying)
    for _ in range(100):
        gain, upper = rng.normal(size=3), rng.normal(size=(2, 3))
        at_most, equal = Constraints(), Constraints()
        for row in upper:
            at_most.add([0, 1, 2], row.tolist(), 2.0)
        equal.add([0, 1], [1.0, -1.0], 0.0)
        allowed = points[(points @ upper.T <= 2.0).all(axis=1) & (points[:, 0] == points[:, 1])]
        bound, _ = SafeProgram(gain, at_most, equal).most(np.zeros(3), np.full(3, 3.0))
        assert bound >= (allowed @ gain).max(initial=-np.inf)


def test_lines_are_on_their_side_of_a_function():
    rng = np.random.default_rng(5)
    for n, first in itertools.product((1, 2, 3, 40), (0, 7)):
        values = np.log(np.maximum(rng.integers(-3, 30, (6, 1)) + np.arange(n), 0) + 0.5)
        places = first + np.arange(n)
        for side, lines in ((1, above(values, first)), (-1, below(values, first))):
            line = lines[0][:, None] * places + lines[1][:, None]
            assert (side * (line - values) >= -1e-12).all()
            assert np.isclose(line, values).any(axis=1).all()
        slopes, intercepts = tangents(values, 5)
        assert (slopes[..., None] * np.arange(n) + intercepts[..., None] >= values - 1e-12).all()


def test_halves_of_a_box_hold_the_same_whole_numbers_once():
    box = Box((0, 2, 1), (5, 9, 1))

    def held(one):
        return set(itertools.product(*(range(a, b + 1) for a, b in zip(one.least, one.most, strict=True))))

    first, second = box.halves()
    assert held(first) | held(second) == held(box)
    assert not held(first) & held(second)
    assert Box((0, 2, 1), (5, 9, 1)).within(5) == Box((0, 2, 1), (2, 4, 1))


def test_a_collective_certificate_lies_between_the_pointwise_one_and_an_attack(dataset):
    data = dataset("phishing")
    model, cap = summed(data, data.train), 40
    pointwise = certify(model, data.test.codes, 2, cap).held(data.test.labels, cap, [2])[0]
    share = certify_together(model, data.test, 2, cap, balanced=False, programs=8)
    assert share.pointwise == pytest.approx(pointwise.mean())
    assert share.pointwise < share.at_least < share.clean == pytest.approx(model.score(data.test))
    assert 1 < share.programs <= 8
    more = certify_together(model, data.test, 2, cap, balanced=False, programs=24)
    assert more.at_least >= share.at_least
    flipped = Records(data.train.codes, 1 - data.train.labels)
    for order in (np.argsort(flipped.labels), np.argsort(-flipped.labels)):
        attacked = model.pooled.statistics + Statistics.of(data.schema, flipped[order[: 2 * cap]])
        pooled = Pooled(attacked, 1.0)
        assert NaiveBayes(pooled.parameters(), pooled).score(data.test) >= more.at_least


def test_without_malicious_nodes_everything_is_kept(dataset):
    data = dataset("phishing")
    model = summed(data, data.train)
    found = certify_together(model, data.test, 0, 40)
    assert found.at_least == found.pointwise == pytest.approx(model.balanced_score(data.test))


def test_what_has_no_collective_certificate_is_refused(dataset):
    data = dataset("breast_cancer")
    with pytest.raises(ValueError, match=r"is of the kind 'numeric'.*histogram"):
        certify_together(summed(data, data.train), data.test, 1, 10)
    data = dataset("phishing")
    model = summed(data, data.train)
    with pytest.raises(ValueError, match="0 points"):
        certify_together(model, data.test[:0], 1, 10)
    with pytest.raises(ValueError, match="of a plain sum"):
        certify_together(NaiveBayes(model.parameters), data.test, 1, 10)


@pytest.mark.parametrize(("malicious", "least"), [(1, 0.88), (3, 0.83)])
def test_certified_accuracy_of_mushroom_with_a_cap_of_the_mean_size_of_a_hundred_nodes(
    malicious, least, dataset
):
    data = dataset("mushroom")
    cap = -(-len(data.train) // 100)
    found = certify_together(summed(data, data.train), data.test, malicious, cap, programs=12)
    assert found.at_least >= least
