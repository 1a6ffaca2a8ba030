"""Canaries bound epsilon from rounds that were run, whoever ran them."""

from dataclasses import replace

import numpy as np
import pytest

from attacks.audit.canaries import Row, anchored, evidence, judge, plant, table
from attacks.audit.lower_bound import one_run_bound
from securenb.federation.postprocess import variances
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.samplers import FastNoise
from securenb.schema.features import Binned, Categorical, Numeric
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

NARROW = Schema(tuple("abcdef"), (Categorical("level", tuple("ABCDEFGHIJKL")),))
MIXED = Schema(
    ("a", "b"), (Categorical("c", ("x", "y")), Numeric("n", -1, 3, steps=8), Binned("b", (0, 1, 2.5, 4)))
)
NODES = [f"node-{index}" for index in range(5)]
EPSILON = 2


def rounds(count, *, actual=EPSILON, per_round=20, seed=0, blank=False):
    """Rounds in which all nodes hold canaries; noise is claimed for EPSILON and drawn for `actual`."""
    claimed, drawn = DiscreteLaplace.from_epsilon(EPSILON), DiscreteLaplace.from_epsilon(actual)
    variance = np.tile(variances(claimed, NARROW, len(NODES), len(NODES)), len(NARROW.classes))
    for index in range(count):
        rng = np.random.default_rng([seed, index])
        canaries = plant(NARROW, NODES, per_round, rng)
        held = [canaries.held(node, planted=not blank) for node in NODES]
        exact = np.sum([Statistics.of(NARROW, records).vector() for records in held], axis=0)
        sums = exact + drawn.share(NARROW, len(NODES), FastNoise(rng), len(NODES))
        yield canaries, [Row(tuple(NODES), sums, variance, anchored(canaries, NODES))]


def test_canaries_reach_a_good_part_of_the_claim_and_never_exceed_it():
    found = [judge(rounds(20, seed=seed), EPSILON, 0.0, 0.001) for seed in range(5)]
    assert all(finding.verdict == "PASS" for finding in found)
    reached = [judge(rounds(20, seed=seed), EPSILON, 0.0, 0.05).bound for seed in range(5)]
    assert 0.3 * EPSILON < np.mean(reached) < EPSILON


def test_half_the_noise_is_caught_by_canaries():
    for seed in range(3):
        finding = judge(rounds(20, actual=2 * EPSILON, seed=seed), EPSILON, 0.0, 0.05)
        assert finding.verdict == "FAIL"
        assert finding.bound > EPSILON


def test_canaries_that_nobody_holds_tell_nothing():
    bounds = [judge(rounds(20, blank=True, seed=seed), EPSILON, 0.0, 0.05).bound for seed in range(5)]
    assert max(bounds) <= 0.02


def test_without_noise_every_coin_of_a_small_round_is_read():
    canaries, rows = next(rounds(1, actual=10**6, per_round=4))
    row = replace(rows[0], variance=np.zeros(NARROW.length))
    found = evidence(canaries, row)
    assert [found[index] > 0 for index in range(4)] == canaries.inside.tolist()


def test_canaries_of_nodes_that_dropped_out_are_not_counted():
    canaries, rows = next(rounds(1))
    alone = replace(rows[0], members=("node-1", "stranger"))
    assert {canaries.at[index] for index in evidence(canaries, alone)} == {"node-1"}
    with pytest.raises(ValueError, match="no canary is at a node whose vector was opened"):
        judge([(canaries, [replace(rows[0], members=("stranger",))])], EPSILON, 0.0, 0.05)


@pytest.mark.parametrize("schema", [NARROW, MIXED])
def test_canaries_survive_being_written_as_a_table(schema):
    canaries = plant(schema, NODES, 50, np.random.default_rng(1))
    again = schema.records(table(schema, canaries.records))
    assert np.array_equal(again.codes, canaries.records.codes)
    assert np.array_equal(again.labels, canaries.records.labels)


def test_each_canary_that_is_in_is_held_once_and_every_node_has_a_record():
    canaries = plant(NARROW, NODES, 7, np.random.default_rng(2))
    assert canaries.nodes == tuple(NODES)
    held = [canaries.held(node) for node in NODES]
    assert sum(len(records) for records in held) == len(NODES) + canaries.inside.sum()
    assert all(len(canaries.held(node, planted=False)) == 1 for node in NODES)


@pytest.mark.parametrize(("nodes", "count"), [([], 3), (NODES, 0)])
def test_nothing_to_plant_is_refused(nodes, count):
    with pytest.raises(ValueError, match="at least one canary and one node"):
        plant(NARROW, nodes, count, np.random.default_rng(1))


def test_a_delta_lowers_the_bound_and_vanishes_with_it():
    pure = one_run_bound(95, 100, 0.05, canaries=300)
    small, large = (one_run_bound(95, 100, 0.05, delta, 300) for delta in (1e-12, 1e-4))
    assert small == pytest.approx(pure, abs=1e-4)
    assert 0 < large < small
    assert one_run_bound(95, 100, 0.05, 0.01, 300) == 0
    with pytest.raises(ValueError, match="5 of 6 guesses about 4 canaries"):
        one_run_bound(5, 6, 0.05, 1e-6, 4)
