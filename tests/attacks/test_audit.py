from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from attacks.audit.layers import audit, extreme_pair
from attacks.audit.ledger import check_claim, check_ledger
from attacks.audit.paper import PaperRelease
from attacks.audit.replay import replay
from attacks.audit.statistical import lower_bound, measure
from attacks.audit.target import Noised
from attacks.audit.verdict import Finding, overall
from securenb.datasets.adult import Adult
from securenb.distributions import Polya
from securenb.feature import Categorical, Numeric
from securenb.ledger import Ledger, Release
from securenb.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.mechanisms.skellam import Skellam
from securenb.noise import FastNoise
from securenb.schema import Schema
from securenb.statistics import Statistics

ONE = Fraction(1)
SMALL = Schema(("no", "yes"), (Categorical("colour", ("red", "green")), Numeric("age", 0, 64)))


def rng(seed=0):
    return np.random.default_rng(seed)


def own(schema=SMALL, mechanism=None, among=3, present=3, replace_one=2 * ONE):
    return Noised(schema, mechanism or DiscreteLaplace(ONE), among, present, ONE, replace_one)


class HalfScale(DiscreteLaplace):
    def scale(self, schema, block):
        return super().scale(schema, block) / 2


class MissingCell(DiscreteLaplace):
    def noise(self, schema, block, among, shares=1):
        return None if block.kind == "squares" else super().noise(schema, block, among, shares)


@dataclass(frozen=True)
class EmptyClassBare(Noised):
    def replay(self, records):
        found = super().replay(records)
        found.laws[np.bincount(records.labels, minlength=2) == 0] = None
        return found


@dataclass(frozen=True)
class LocalScale(Noised):
    def replay(self, records):
        found = super().replay(records)
        found.laws[:, 3] = float(records.codes[:, 1].max(initial=0)) or None
        return found

    def loss(self, replay, shift):
        return 0.0


@dataclass(frozen=True)
class FloatLaplace(Noised):
    def sample(self, records, cells, trials, rng):
        table = Statistics.of(self.schema, records).table
        return table[tuple(cells.T)] + rng.laplace(0.0, len(self.schema.blocks), (trials, len(cells)))


@pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
def test_our_own_release_passes_every_static_layer(adjacency):
    found = audit(own(), adjacency, ["L0", "L1"], pairs=100, trials=100, rng=rng())
    assert [finding.outcome for finding in found] == ["PASS", "PASS"]


def test_the_replay_finds_that_the_costliest_change_costs_exactly_the_claim():
    assert "costliest change 1" in replay(own(), "add-remove", 100, rng()).evidence[0]


@pytest.mark.parametrize("mechanism", [HalfScale(ONE), MissingCell(ONE)], ids=["half scale", "missing cell"])
@pytest.mark.parametrize("layer", ["ledger", "replay", "statistical"])
def test_a_planted_bug_of_the_mechanism_is_caught_by_every_layer(mechanism, layer):
    target = own(mechanism=mechanism)
    match layer:
        case "ledger":
            found = check_claim(target, "add-remove")
        case "replay":
            found = replay(target, "add-remove", 100, rng())
        case _:
            found = measure(target, extreme_pair(SMALL), "add-remove", 100_000, rng())
    assert found.outcome == "FAIL"


@pytest.mark.parametrize("bug", [EmptyClassBare, LocalScale])
def test_noise_that_depends_on_the_records_is_caught_with_a_witness(bug):
    found = replay(bug(SMALL, DiscreteLaplace(ONE), 3, 3, ONE, 2 * ONE), "add-remove", 100, rng())
    assert found.outcome == "FAIL"
    assert "noise depends on data" in " ".join(found.evidence)


def test_low_bits_of_floating_point_noise_are_caught():
    target = FloatLaplace(SMALL, DiscreteLaplace(ONE), 3, 3, ONE, 2 * ONE)
    found = measure(target, extreme_pair(SMALL), "add-remove", 100_000, rng())
    assert found.outcome == "FAIL"
    assert "finer" in " ".join(found.evidence)


def test_shares_sized_to_all_nodes_are_caught_when_nodes_drop_out():
    found = check_claim(own(among=10, present=9), "add-remove")
    assert found.outcome == "FAIL"
    assert "10 shares" in found.evidence[0]


@pytest.mark.parametrize("layer", [check_claim, lambda *a: replay(*a, 200, rng())])
def test_a_forgotten_factor_two_under_replace_one_is_caught(layer):
    assert layer(own(replace_one=ONE), "replace-one").outcome == "FAIL"


def test_the_same_row_released_twice_is_caught():
    ledger = Ledger()
    release = Release("row", ("a", "b"), DiscreteLaplace(ONE).charge(SMALL, 2), "discrete_laplace", 2)
    ledger.record(release)
    assert check_ledger(ledger, ONE, "add-remove").outcome == "PASS"
    ledger.record(release)
    assert check_ledger(ledger, ONE, "add-remove").outcome == "FAIL"


def test_the_paper_is_failed_with_witnesses():
    found = audit(
        PaperRelease(Adult.schema, ONE), "add-remove", ["L1", "L2"], pairs=100, trials=1000, rng=rng()
    )
    assert [finding.outcome for finding in found] == ["FAIL", "FAIL"]
    assert "without noise" in " ".join(found[0].evidence)


@pytest.mark.parametrize("seed", range(10))
def test_alike_samples_give_a_lower_bound_of_about_nothing(seed):
    a, b = rng(seed).laplace(0, 20, (2, 50_000))
    assert lower_bound(a, b, 0.05).epsilon <= 0.02


@pytest.mark.parametrize("seed", range(10))
def test_a_lower_bound_is_below_the_truth_and_not_far_below(seed):
    a, b = Polya(Fraction(10)).draw(FastNoise(rng(seed)), 100_000).astype(float).reshape(2, -1)
    b += 10
    assert 0.85 < lower_bound(a, b, 0.001).epsilon <= 1


@pytest.mark.parametrize("seed", range(5))
def test_our_own_releases_are_never_above_their_claim(seed):
    found = measure(own(Adult.schema), extreme_pair(Adult.schema), "add-remove", 20_000, rng(seed))
    assert found.outcome == "PASS"
    assert "21 of 21" in found.evidence[0]


def test_what_was_not_tested_is_no_pass():
    found = check_claim(PaperRelease(SMALL, ONE), "add-remove")
    assert overall([found, Finding("L1", "PASS", ())]) == "INCONCLUSIVE"
    assert overall([]) == "INCONCLUSIVE"
    skellam = Noised(SMALL, Skellam.from_epsilon(1, 1e-6), 3, 3, ONE, 2 * ONE)
    assert replay(skellam, "add-remove", 10, rng()).outcome == "INCONCLUSIVE"
    assert measure(skellam, extreme_pair(SMALL), "add-remove", 100, rng()).outcome == "INCONCLUSIVE"


def test_an_unknown_level_is_refused():
    with pytest.raises(ValueError, match="L9"):
        audit(own(), "add-remove", ["L9"], pairs=1, trials=100, rng=rng())
