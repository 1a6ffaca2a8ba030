"""Algorithms 1 to 3 and the baselines, as published."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

from securenb.paper.aggregate import aggregate, parameters, predict
from securenb.paper.centralised import assumed_sensitivity, centralised
from securenb.paper.online import OnlineModel, follow
from securenb.paper.records import RawRecords, load_paper_data
from securenb.paper.release import SMALLEST_COUNT, local_sensitivity, release, sum_columns, tabulate


class Silent:
    """Draws no noise and remembers what was asked for."""

    def __init__(self):
        self.scales = []

    def laplace(self, loc, scale):
        self.scales.append(scale)
        return np.zeros_like(scale)


def test_tables_of_all_parts_add_up_to_the_table_of_the_whole(toy):
    parts = [tabulate(toy.schema, toy.train[slice(at, at + 50)]) for at in range(0, 500, 50)]
    np.testing.assert_allclose(np.sum(parts, axis=0), tabulate(toy.schema, toy.train), rtol=1e-12)


def test_a_node_asks_for_noise_once_with_a_scale_for_each_cell(toy):
    noise = Silent()
    release(toy.schema, toy.train, 0.5, noise)
    (scale,) = noise.scales
    queries = 1 + 2 + 2 * 2
    sums = sum_columns(toy.schema)
    assert scale.shape == (3, toy.schema.width)
    assert (scale[:, 0] == queries / 0.5).all()
    largest = [np.abs(toy.train.values[toy.train.labels == c]).max(axis=0) for c in range(3)]
    np.testing.assert_allclose(scale[:, sums], np.array(largest) * queries / 0.5)
    np.testing.assert_allclose(scale[:, sums + 1], np.array(largest) ** 2 * queries / 0.5)


def test_as_published_an_absent_class_leaks_as_exact_zeros(toy):
    node = toy.train[toy.train.labels != 2]
    sent = release(toy.schema, node, 1.0, np.random.default_rng(1))
    assert (sent[2, 1:] == 0).all()
    assert sent[2, 0] != 0
    assert (sent[:2] != 0).any(axis=1).all()


def test_as_published_a_feature_of_zeros_gets_no_noise(toy):
    node = toy.train[toy.train.labels != 2]
    quiet = sum_columns(toy.schema)[1]
    assert (node.values[node.labels == 0, 1] == 0).all()
    assert release(toy.schema, node, 1.0, np.random.default_rng(1))[0, quiet] == 0


def test_as_published_the_scale_tells_of_a_single_large_value(toy):
    node = toy.train[slice(0, 20)]
    values = node.values.copy()
    values[0, 0] = 1e6
    louder = RawRecords(values, node.cells, node.labels)
    column = sum_columns(toy.schema)[0]
    label = node.labels[0]
    before = local_sensitivity(toy.schema, node)[label, column]
    assert local_sensitivity(toy.schema, louder)[label, column] == 1e6 > 1000 * before


def test_as_published_each_node_clamps_its_own_counts(toy):
    drawn = [
        release(toy.schema, toy.train[slice(0, 5)], 0.01, np.random.default_rng(seed)) for seed in range(200)
    ]
    counts = np.stack(drawn)[:, :, 0]
    assert counts.min() == SMALLEST_COUNT
    assert counts.mean() > 100  # noise of scale 700 clamped at zero is worth 350 on average


def test_without_noise_numbers_are_modelled_as_scikit_learn_does(toy):
    table = parameters(toy.schema, tabulate(toy.schema, toy.train))
    peer = GaussianNB(var_smoothing=1e-12).fit(toy.train.values[:, :1], toy.train.labels)
    column = sum_columns(toy.schema)[0]
    np.testing.assert_allclose(table[:, column], peer.theta_[:, 0])
    np.testing.assert_allclose(table[:, column + 1], peer.var_[:, 0], rtol=1e-9)
    np.testing.assert_allclose(table[:, 0], peer.class_prior_)


def test_the_centralised_scales_use_all_records(toy):
    noise = Silent()
    centralised(toy.schema, toy.train, 2.0, noise)
    scale = assumed_sensitivity(toy.schema, toy.train)
    np.testing.assert_allclose(noise.scales[0], scale * 7 / 2.0)
    column = sum_columns(toy.schema)[0]
    ranges = [np.ptp(toy.train.values[toy.train.labels == c, 0]) for c in range(3)]
    np.testing.assert_allclose(scale[:, column], np.array(ranges) / 501)
    np.testing.assert_allclose(scale[:, column + 1], np.array(ranges) / 501 * np.sqrt(500))


def test_the_baseline_without_noise_is_vanilla_naive_bayes(toy):
    np.testing.assert_allclose(
        centralised(toy.schema, toy.train, 1.0, Silent()),
        aggregate(toy.schema, [tabulate(toy.schema, toy.train)]),
        rtol=1e-9,
    )


@pytest.mark.parametrize("epsilon", [0, -1, float("nan")])
def test_a_bad_epsilon_is_refused(toy, epsilon):
    with pytest.raises(ValueError, match="epsilon must be positive"):
        release(toy.schema, toy.train, epsilon, np.random.default_rng(0))
    with pytest.raises(ValueError, match="epsilon must be positive"):
        centralised(toy.schema, toy.train, epsilon, np.random.default_rng(0))


def test_a_data_set_that_is_not_of_the_paper_is_refused():
    with pytest.raises(ValueError, match="'phishing' is not a data set of the paper"):
        load_paper_data("phishing", "corrected")


@given(order=st.permutations(range(10)), cuts=st.sets(st.integers(1, 9)))
def test_nodes_joining_in_any_order_and_batching_give_the_batch_parameters(toy, order, cuts):
    rng = np.random.default_rng(5)
    sent = [release(toy.schema, toy.train[slice(50 * node, 50 * node + 50)], 1.0, rng) for node in range(10)]
    bounds = [0, *sorted(cuts), 10]
    batches = [
        np.sum([sent[order[at]] for at in range(start, stop)], axis=0)
        for start, stop in itertools.pairwise(bounds)
    ]
    online = follow(toy.schema, batches).parameters()
    np.testing.assert_allclose(online, aggregate(toy.schema, sent), rtol=1e-9, atol=1e-9)


def test_a_class_that_nobody_has_yet_waits_for_its_first_record(toy):
    without = tabulate(toy.schema, toy.train[toy.train.labels != 2])
    later = tabulate(toy.schema, toy.train[toy.train.labels == 2])
    model = OnlineModel.start(toy.schema, without).update(later)
    np.testing.assert_allclose(
        model.parameters(), aggregate(toy.schema, [without, later]), rtol=1e-9, atol=1e-9
    )


def accuracy_without_noise(data):
    table = aggregate(data.schema, [tabulate(data.schema, data.train)])
    return np.mean(predict(data.schema, table, data.test) == data.test.labels)


def test_spect_as_published_predicts_its_last_feature(paper_data):
    published, corrected = paper_data("spect"), paper_data("spect", "corrected")
    assert published.schema.label == "F22"
    assert len(published.schema.features) == 21
    assert corrected.schema.label == "diagnosis"
    assert round(accuracy_without_noise(published), 3) == 0.610
    assert round(accuracy_without_noise(corrected), 3) == 0.775
