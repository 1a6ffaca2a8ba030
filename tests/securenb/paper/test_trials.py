"""The fast engine equals the per-node pipelines, trial by trial."""

from functools import partial

import numpy as np
import pytest
from oracle import centralised_parameters, dealt, federated_parameters, scores

from protocols.schemes.plain import Plain
from securenb.data.partition import deal
from securenb.experiments.montecarlo import GroupNoise, Scorer, batches, run_batches, run_trials
from securenb.federation.federation import Federation
from securenb.paper.aggregate import predict
from securenb.paper.records import load_paper_data
from securenb.paper.release import SMALLEST_COUNT, local_sensitivity, tabulate
from securenb.paper.trials import AsPublished, Corrected, Dealer
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.none import NoNoise
from securenb.privacy.mechanisms.skellam import Skellam
from securenb.privacy.samplers import FastNoise
from securenb.robust.rules.sum import Sum
from securenb.schema.records import Records

EPSILONS = (0.01, 0.1, 1.0, 10.0)


@pytest.mark.parametrize("nodes", [1, 7, 50, 250])
def test_a_fast_partition_is_what_each_node_would_compute(toy, nodes):
    counts = sorted({3, nodes})
    fast = Dealer(toy.schema, toy.train, counts).deal(np.random.default_rng(4))[nodes]
    parts = dealt(toy, nodes, np.random.default_rng(4))
    assert len(fast.tables) == len(parts) == nodes
    for table, scale, part in zip(fast.tables, fast.scales, parts, strict=True):
        np.testing.assert_allclose(table, tabulate(toy.schema, part), rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(scale, local_sensitivity(toy.schema, part))


@pytest.mark.parametrize("trial", range(3))
def test_the_same_streams_give_the_same_parameters(toy, trial):
    experiment = AsPublished(toy, (10, 100), EPSILONS, seed=3)
    fast = experiment.parameters(trial)
    for index, epsilon in enumerate(EPSILONS):
        central = centralised_parameters(toy, epsilon, experiment.stream(trial, "centralised"))
        np.testing.assert_allclose(fast[0, index], central, rtol=1e-9)
        for arm, nodes in enumerate((10, 100), start=1):
            slow = federated_parameters(
                toy,
                nodes,
                epsilon,
                experiment.stream(trial, "deal"),
                experiment.stream(trial, "noise", nodes),
            )
            np.testing.assert_allclose(fast[arm, index], slow, rtol=1e-7)


@pytest.mark.parametrize("name", ["accelerometer", "adult", "votes", "mushroom", "skin", "spect"])
@pytest.mark.slow
def test_fast_predictions_are_the_object_pipelines(paper_data, name):
    """All six data sets, every epsilon: at most one prediction in 10 000 may differ, by rounding."""
    data = paper_data(name)
    nodes = 10
    experiment = AsPublished(data, (nodes,), EPSILONS, seed=5)
    records = different = 0
    for trial in range(2):
        fast = experiment.parameters(trial)
        accuracy, balanced = experiment.scorer.accuracies(fast)
        weights = experiment.scorer.weights(fast)
        for index, epsilon in enumerate(EPSILONS):
            deal_rng, noise_rng = experiment.stream(trial, "deal"), experiment.stream(trial, "noise", nodes)
            for arm, slow in enumerate(
                (
                    centralised_parameters(data, epsilon, experiment.stream(trial, "centralised")),
                    federated_parameters(data, nodes, epsilon, deal_rng, noise_rng),
                )
            ):
                predicted = predict(data.schema, slow, data.test)
                for label in range(len(data.schema.classes)):
                    here = data.test.labels == label
                    right = np.hstack(list(experiment.scorer.right(weights[arm, [index]], label)))
                    different += np.count_nonzero(right != (predicted[here] == label))
                    records += np.count_nonzero(here)
                scored = scores(data, slow)
                assert abs(accuracy[arm, index] - scored[2]) < 0.001
                assert abs(balanced[arm, index] - scored[3]) < 0.001
    assert records == 2 * 2 * len(EPSILONS) * len(data.test)
    assert different <= records / 10_000


def laplace(*doses):
    return [(DiscreteLaplace.from_epsilon, each) for each in doses]


class Handed(NoNoise):
    """Adds the noise it was handed at the first node that asks, none at the others."""

    def __init__(self, noise):
        object.__setattr__(self, "left", [noise])

    def share(self, schema, among, noise, shares=1):
        return self.left.pop() if self.left else np.zeros(schema.length, dtype=np.int64)


@pytest.mark.parametrize("numeric", ["gaussian", "histogram"])
def test_corrected_trials_are_rounds_of_the_main_product(paper_data, numeric):
    paper_data("adult", "corrected")
    data = load_paper_data("adult", "corrected", numeric=numeric)
    experiment = Corrected(data, laplace(1, 100), EPSILONS, seed=11)
    exact = experiment.exact
    fast, balanced = experiment.scorer.accuracies(experiment.parameters(0))
    nodes = deal(data.coded_train, 2, 10, rng=np.random.default_rng(0))
    for arm in range(2):
        for index in range(len(EPSILONS)):
            total = experiment.totals(0)[arm, index]
            assert (total == np.rint(total)).all()
            noise = (total - exact).astype(np.int64).reshape(-1)
            round_ = Federation(data.schema, Plain(), Handed(noise), Sum(SMALLEST_COUNT), seed=1).run(nodes)
            assert (round_.opened.rows.sum(axis=0) == total.reshape(-1)).all()
            model = round_.model
            missed = abs(fast[arm, index] - model.score(data.coded_test)) * len(data.coded_test)
            assert missed <= len(data.coded_test) / 10_000
            assert abs(balanced[arm, index] - model.balanced_score(data.coded_test)) < 0.001


@pytest.mark.parametrize(
    "mechanism", [DiscreteLaplace.from_epsilon(1), Skellam.from_epsilon(1, 1e-6)], ids=["laplace", "skellam"]
)
def test_noise_of_a_group_has_the_variance_of_its_shares(toy, mechanism):
    """As if each node drew its own share; 400 tables of 39 cells, so 4 standard errors are about .1."""
    shares, among = 25, 20
    group = GroupNoise(toy.schema, mechanism, among, shares)
    drawn = np.stack([group.draw(np.random.default_rng(seed)) for seed in range(400)])
    noise = FastNoise(np.random.default_rng(1))
    single = np.stack(
        [mechanism.share(toy.schema, among, noise) / mechanism.grid for _ in range(400)]
    ).reshape(drawn.shape)
    expected = shares * single.var(axis=0).mean(axis=0)
    for block in toy.schema.blocks:
        found = drawn.var(axis=0).mean(axis=0)[block.columns].mean()
        assert abs(found / expected[block.columns].mean() - 1) < 0.35
    total = (drawn.var(axis=0) / expected).mean()
    assert abs(total - 1) < 0.12


def test_trials_do_not_depend_on_batches_or_processes(toy):
    experiment = AsPublished(toy, (10,), EPSILONS, seed=8)
    whole = run_trials(experiment, range(6))
    pending = batches("toy", partial(run_trials, experiment), trials=6, size=4)
    parts = dict(run_batches(pending[::-1], processes=2))
    assert sorted(parts) == ["toy-000000", "toy-000004"]
    assert (np.concatenate([parts[name] for name in sorted(parts)], axis=1) == whole).all()


def test_nodes_that_hold_one_record_each_are_still_dealt(toy):
    fast = Dealer(toy.schema, toy.train, (500,)).deal(np.random.default_rng(0))[500]
    assert (fast.tables[:, :, 0].sum(axis=1) == 1).all()


def test_an_unknown_code_is_not_scored_in_bulk(toy):
    codes = toy.coded_test.codes.copy()
    codes[3, 1] = -1
    with pytest.raises(ValueError, match="must be known"):
        Scorer.of(toy.schema, Records(codes, toy.coded_test.labels))
