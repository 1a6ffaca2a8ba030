"""Certificates against every possible addition of records on small cases, and against the targets."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.poison import POISONS, Knowledge, choose_poison
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import estimate
from securenb.certify.certificate import Certificates, certify_sums
from securenb.certify.worst_addition import TIE
from securenb.data.dataset import DatasetUnavailable, load_dataset
from securenb.robust.rules.sum import Sum
from securenb.schema.features import Categorical, Numeric
from securenb.schema.invariants import invariants
from securenb.schema.records import UNKNOWN, Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

SMALL = Schema(
    ("a", "b"), (Categorical("colour", ("red", "green", "blue")), Categorical("shape", ("round", "flat")))
)
THREE = Schema(("a", "b", "c"), (Categorical("colour", ("red", "green")), Categorical("shape", ("x", "y"))))
SINGLE = Schema(("a", "b"), (Categorical("colour", ("red", "green", "blue", "grey")),))
LIMIT = 4


def points_of(schema):
    """Every point, known or not."""
    values = [[UNKNOWN, *range(len(feature.levels))] for feature in schema.features]
    return np.array(list(itertools.product(*values)), dtype=np.int32)


def kinds_of(schema):
    """The statistics of every kind of record."""
    levels = [range(len(feature.levels)) for feature in schema.features]
    return [
        Statistics.of(schema, Records(np.array([codes], np.int32), np.array([label], np.int32))).table
        for label in range(len(schema.classes))
        for codes in itertools.product(*levels)
    ]


def additions(schema, count):
    """The sums of all multisets of `count` records, without repetition."""
    kinds = kinds_of(schema)
    sums = {
        sum(chosen, np.zeros_like(kinds[0])).tobytes()
        for chosen in itertools.combinations_with_replacement(kinds, count)
    }
    return np.array([np.frombuffer(found, np.int64).reshape(kinds[0].shape) for found in sums])


ADDITIONS = {
    name: [additions(schema, count) for count in range(LIMIT + 1)]
    for name, schema in (("small", SMALL), ("three", THREE), ("single", SINGLE))
}
SCHEMAS = {"small": SMALL, "three": THREE, "single": SINGLE}


def by_trying_everything(name, table, smoothing):
    """Predictions, and the fewest records after which another class is not behind, by exhaustion."""
    schema, points = SCHEMAS[name], points_of(SCHEMAS[name])
    predicted = NaiveBayes(estimate(schema, table, smoothing)).predict_codes(points)
    needed = np.full(len(points), LIMIT + 1)
    for count in reversed(range(LIMIT + 1)):
        for added in ADDITIONS[name][count]:
            joint = NaiveBayes(estimate(schema, table + added, smoothing)).log_joint(points)
            lead = joint[np.arange(len(points)), predicted].copy()
            joint[np.arange(len(points)), predicted] = -np.inf
            needed[lead - joint.max(axis=1) <= TIE] = count
    return predicted, needed


def table_of(schema, rng, most):
    records = int(rng.integers(1, most))
    codes = np.stack([rng.integers(0, len(f.levels), records) for f in schema.features], 1)
    labels = rng.integers(0, len(schema.classes), records)
    return Statistics.of(schema, Records(codes.astype(np.int32), labels.astype(np.int32)))


@pytest.mark.parametrize("smoothing", [0.5, 1.0, 7.0])
@pytest.mark.parametrize("name", list(SCHEMAS))
@pytest.mark.parametrize("seed", range(4))
def test_the_certificate_is_what_trying_everything_gives(name, seed, smoothing):
    rng = np.random.default_rng([seed, int(2 * smoothing)])
    statistics = table_of(SCHEMAS[name], rng, most=25)
    found = certify_sums(statistics, points_of(SCHEMAS[name]), LIMIT, smoothing)
    predicted, needed = by_trying_everything(name, statistics.table, smoothing)
    assert found.predicted.tolist() == predicted.tolist()
    assert found.needed.tolist() == needed.tolist()
    assert found.exact.all()


@pytest.mark.parametrize("seed", range(6))
def test_sums_that_noise_made_negative_are_certified_exactly_too(seed):
    rng = np.random.default_rng(seed)
    statistics = table_of(SMALL, rng, most=12)
    noisy = Statistics(SMALL, statistics.table + rng.integers(-4, 5, statistics.table.shape))
    found = certify_sums(noisy, points_of(SMALL), LIMIT)
    predicted, needed = by_trying_everything("small", noisy.table, 1.0)
    assert found.predicted.tolist() == predicted.tolist()
    assert (noisy.table < 0).any()
    assert found.needed.tolist() == needed.tolist()
    assert found.exact.all()


WIDE = Schema(
    ("a", "b", "c"),
    tuple(Categorical(f"f{i}", tuple(map(str, range(size)))) for i, size in enumerate((2, 5, 3, 9))),
)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1.0, 20.0]))
def test_as_many_as_needed_suffice_and_one_less_does_not(seed, smoothing):
    """Against every split of the records between the two best kinds, at sizes that allow no exhaustion."""
    rng = np.random.default_rng(seed)
    statistics = table_of(WIDE, rng, most=3000)
    point = np.array([[rng.integers(len(f.levels)) for f in WIDE.features]], np.int32)
    limit = 2000
    found = certify_sums(statistics, point, limit, smoothing)
    needed, right = int(found.needed[0]), int(found.predicted[0])
    like = Statistics.of(WIDE, Records(point, np.zeros(1, np.int32))).table[0]
    other = (point + 1) % np.array([len(f.levels) for f in WIDE.features])
    unlike = Statistics.of(WIDE, Records(other.astype(np.int32), np.zeros(1, np.int32))).table[0]

    def lead(count, wrong):
        """How far the predicted class stays ahead in the worst split of `count` records."""
        t, u = (grid.reshape(-1) for grid in np.mgrid[: count + 1, : count + 1 : max(1, count // 40)])
        t, u = t[t + u <= count], u[t + u <= count]
        t, u = np.append(t, np.arange(count + 1)), np.append(u, count - np.arange(count + 1))
        tables = np.repeat(statistics.table[None], len(t), axis=0)
        tables[:, wrong] += t[:, None] * like
        tables[:, right] += u[:, None] * unlike
        estimates = estimate(WIDE, tables, smoothing).table
        joint = np.log(estimates[:, :, 0])
        for block in WIDE.blocks[1:]:
            joint += np.log(estimates[:, :, block.start + point[0, block.feature]])
        return float((joint[:, right] - joint[:, wrong]).min())

    wrongs = set(range(3)) - {right}
    if needed <= limit:
        assert min(lead(needed, wrong) for wrong in wrongs) <= TIE
    if needed > 0:
        assert min(lead(min(needed - 1, limit), wrong) for wrong in wrongs) > TIE / 2


MIXED = Schema(("a", "b"), (Categorical("colour", ("red", "green")), Numeric("size", 0, 1, 4)))


def placements(added, limit):
    """All rows of `MIXED` that the invariants let `added` records of a class have."""
    feature = MIXED.features[1]
    rules = invariants(MIXED, limit)
    rows = []
    for red, s in itertools.product(range(added + 1), range(4 * added + 1)):
        for q in range(s, 4 * s + 1):
            c = s - feature.offset * added
            d = q - 2 * feature.offset * c - (feature.offset**2 + feature.square_offset) * added
            row = np.array([added, red, added - red, c, d])
            if rules.broken(np.append(row, 0 * row)) == ():
                rows.append(row)
    return np.array(rows)


@pytest.mark.parametrize(("seed", "noise"), [(0, 0), (1, 2), (2, 2)])
def test_with_a_gaussian_no_placement_within_the_invariants_needs_fewer_and_exact_means_that_one_does(
    seed, noise
):
    rng, limit = np.random.default_rng([seed, noise]), 3
    records = int(rng.integers(10, 40))
    labels = rng.integers(0, 2, records).astype(np.int32)
    codes = np.stack([rng.integers(0, 2, records), rng.binomial(4, 0.2 + 0.6 * labels)], 1).astype(np.int32)
    table = Statistics.of(MIXED, Records(codes, labels)).table
    table = table + rng.integers(-noise, noise + 1, table.shape)
    points = np.array(list(itertools.product([UNKNOWN, 0, 1], [UNKNOWN, 0, 1, 2, 3, 4])), dtype=np.int32)
    found = certify_sums(Statistics(MIXED, table), points, limit)
    predicted = NaiveBayes(estimate(MIXED, table)).predict_codes(points)
    assert found.predicted.tolist() == predicted.tolist()
    needed = np.full(len(points), limit + 1)
    every = [placements(added, limit) for added in range(limit + 1)]
    for a, b in itertools.product(range(limit + 1), repeat=2):
        if a + b > limit:
            continue
        for first, second in itertools.product(every[a], every[b]):
            joint = NaiveBayes(estimate(MIXED, table + np.stack([first, second]))).log_joint(points)
            lead = joint[np.arange(len(points)), predicted] - joint[np.arange(len(points)), 1 - predicted]
            needed[lead <= TIE] = np.minimum(needed[lead <= TIE], a + b)
    assert (found.needed <= needed).all()
    assert (found.needed == needed)[found.exact].all()
    assert found.exact.mean() > 0.8


def test_accuracy_that_is_not_known_to_be_lost_is_at_least_what_is_certified():
    found = Certificates(np.zeros(4, np.int64), np.array([0, 5, 5, 11]), np.array([1, 1, 0, 1], bool), 10)
    labels = np.zeros(4, np.int32)
    assert found.accuracy(labels, 5, [0, 1, 2]) == [0.75, 0.25, 0.25]
    most = found.held(labels, 5, [0, 1, 2], certainly=False)
    assert [float(held.mean()) for held in most] == [0.75, 0.5, 0.5]


@pytest.mark.parametrize("numeric", ["gaussian", "histogram"])
def test_no_poison_of_the_catalogue_within_the_invariants_changes_a_certified_prediction(numeric):
    """The adaptive attacker knows rule, honest sums and cap."""
    data = load_dataset("breast_cancer", numeric=numeric)
    dealt, malicious = data.deal(40, seed=3), 2
    tables = np.array([node.statistics(data.schema).table for node in dealt])
    cap = -(-len(data.train) // 40)
    honest = Statistics(data.schema, tables[malicious:].sum(axis=0))
    found = certify_sums(honest, data.test.codes, malicious * cap)
    for count in range(1, malicious + 1):
        certified = found.malicious(cap) >= count
        assert certified.sum() > 0
        known = Knowledge(data.schema, tables[:count], tables[malicious:], Sum(), len(tables), cap)
        for name in POISONS:
            if POISONS[name].aim == "denial":
                continue
            forged = choose_poison(f"{name}:inside").brief().sent(known, np.random.default_rng(1))
            model = NaiveBayes(estimate(data.schema, honest.table + np.sum(forged, axis=0)))
            changed = model.predict_codes(data.test.codes) != found.predicted
            assert not (changed & certified).any(), name
    assert found.exact.mean() > 0.9


def test_a_tie_certifies_not_even_nobody():
    statistics = Statistics.zero(SMALL)
    found = certify_sums(statistics, points_of(SMALL), 10)
    assert set(found.needed) == {0}
    assert set(found.malicious(3)) == {-1}
    assert found.accuracy(np.zeros(len(found.needed), np.int32), 3, [0]) == [0.0]


def test_certified_accuracy_falls_with_the_number_of_malicious_nodes_from_the_models_own():
    rng = np.random.default_rng(3)
    statistics = table_of(WIDE, rng, most=3000)
    points = np.stack([rng.integers(0, len(f.levels), 200) for f in WIDE.features], 1).astype(np.int32)
    labels = rng.integers(0, 3, 200).astype(np.int32)
    found = certify_sums(statistics, points, 500)
    curve = found.accuracy(labels, 10, range(51))
    assert curve == sorted(curve, reverse=True)
    model = NaiveBayes(estimate(WIDE, statistics.table))
    assert curve[0] == model.score(Records(points, labels))
    assert (found.malicious(10) == (found.needed - 1) // 10).all()


def test_what_cannot_be_certified_is_refused():
    statistics = Statistics.zero(SMALL)
    points = points_of(SMALL)
    with pytest.raises(ValueError, match="got -1"):
        certify_sums(statistics, points, -1)
    with pytest.raises(ValueError, match="and 0"):
        certify_sums(statistics, points, 5, smoothing=0.0)
    found = certify_sums(statistics, points, 10)
    with pytest.raises(ValueError, match="beyond the 10"):
        found.accuracy(np.zeros(len(points), np.int32), 3, [1, 4])
    with pytest.raises(ValueError, match="got 0"):
        found.malicious(0)


@pytest.mark.parametrize(("name", "malicious", "share"), [("mushroom", 5, 0.75), ("adult", 1, 0.62)])
def test_certified_accuracy_on_real_data_with_a_cap_of_the_mean_size_of_a_hundred_nodes(
    name, malicious, share
):
    """Categorical features; without noise."""
    try:
        data = load_dataset(name)
    except DatasetUnavailable as error:
        pytest.skip(str(error))
    kept = [i for i, feature in enumerate(data.schema.features) if isinstance(feature, Categorical)]
    schema = replace(data.schema, features=tuple(data.schema.features[i] for i in kept))
    train = Records(data.train.codes[:, kept], data.train.labels)
    cap = -(-len(train) // 100)
    found = certify_sums(Statistics.of(schema, train), data.test.codes[:, kept], cap * malicious)
    assert found.accuracy(data.test.labels, cap, [malicious])[0] >= share
