"""A sound release passes at every level, in every view; the auditor finds nothing where nothing is."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from small_release import SCHEMA, target

from attacks.audit.federation_target import FederationTarget
from attacks.audit.finding import EXIT_CODES, LEVELS, Finding, worst
from attacks.audit.lower_bound import (
    clopper_pearson,
    lower_bound,
    one_run_bound,
    shows_twice,
    trials_needed,
)
from attacks.audit.paper_target import PaperTarget
from attacks.audit.run import run_audit
from securenb.privacy.mechanism import MECHANISMS
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.none import NoNoise
from securenb.privacy.sensitivity import ADJACENCIES

PRIVATE = [name for name in MECHANISMS if MECHANISMS[name] is not NoNoise and MECHANISMS[name].divides]


def made(name, epsilon=1):
    return MECHANISMS[name].from_epsilon(epsilon, 1e-6 if MECHANISMS[name].needs_delta else None)


VIEWS = ("node", "group", "sum", "model")
EACH_TWO = [
    (name, view, ADJACENCIES[(at + on) % len(ADJACENCIES)])
    for (at, name), (on, view) in itertools.product(enumerate(PRIVATE), enumerate(VIEWS))
]
"""Each mechanism in each view, and each of both under each adjacency."""


@pytest.mark.parametrize(("name", "view", "adjacency"), EACH_TWO)
def test_our_own_releases_pass_in_every_view(name, view, adjacency):
    # a single share is claimed to cost much, which takes many runs to contradict
    trials = 60_000 if view == "node" else 15_000
    subject = target(view=view, mechanism=made(name))
    audit = run_audit(subject, adjacency, list(LEVELS), seed=1, trials=trials)
    assert audit.verdict == "PASS", audit.conclusion()
    assert audit.conclusion().startswith("PASS: no violation found; lower bound")


@pytest.mark.slow
def test_no_bound_exceeds_the_claim_over_five_seeds():
    for seed in range(5):
        for adjacency in ADJACENCIES:
            audit = run_audit(
                target(), adjacency, ["L2", "L3"], seed=seed, confidence=1 - 0.001 / 10, trials=20_000
            )
            assert audit.verdict == "PASS", audit.conclusion()


def test_a_canary_shows_a_good_part_of_the_claim():
    audit = run_audit(target(), "add-remove", ["L3"], seed=2, trials=100_000)
    assert 0.3 < audit.bound <= 1


def test_canaries_in_one_run_show_some_of_the_claim():
    local = target(count=1000, group_size=1, mechanism=DiscreteLaplace(Fraction(4)))
    audit = run_audit(local, "add-remove", ["L3"], seed=2, trials=2_000)
    one_run = audit.findings[-1]
    assert one_run.check == "canaries"
    assert 0.3 < one_run.bound <= 4


class Null(FederationTarget):
    """Releases noise only."""

    def sample(self, records, columns, trials, rng):
        return super().sample(records[:0], columns, trials, rng)


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_on_null_data_the_auditor_finds_next_to_nothing(adjacency):
    for seed in range(3):
        audit = run_audit(target(Null), adjacency, ["L2", "L3"], seed=seed, trials=60_000)
        bounds = [finding.bound for finding in audit.findings if finding.bound is not None]
        assert max(bounds) <= 0.02


def test_without_noise_everything_fails():
    audit = run_audit(target(mechanism=NoNoise()), "add-remove", list(LEVELS), seed=1, trials=1_000)
    assert audit.verdict == "FAIL"
    assert {finding.level for finding in audit.findings if finding.verdict == "FAIL"} == set(LEVELS)


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_the_paper_fails_with_witnesses(adjacency):
    audit = run_audit(PaperTarget(SCHEMA, Fraction(1)), adjacency, ["L0", "L1", "L2"], seed=1, trials=20_000)
    assert audit.verdict == "FAIL"
    evidence = " ".join(finding.evidence for finding in audit.findings if finding.verdict == "FAIL")
    assert "the sensitivity is read off the data" in evidence
    assert "the noise depends on the data" in evidence
    assert "released without noise" in evidence
    assert "is not integer-valued" in evidence
    assert "witness" in audit.conclusion()
    assert any(finding.bound > finding.claimed for finding in audit.findings if finding.level == "L2")


def test_the_same_seed_gives_the_same_audit():
    first, again = (run_audit(target(), "add-remove", ["L2"], seed=4, trials=2_000) for _ in range(2))
    assert first == again


def test_verdicts_add_up_to_the_worst_one_and_exit_codes_tell_them_apart():
    found = {verdict: Finding("L0", "check", verdict, "") for verdict in EXIT_CODES}
    assert worst([found["PASS"], found["INCONCLUSIVE"]]) == "INCONCLUSIVE"
    assert worst(list(found.values())) == "FAIL"
    assert worst([]) == "INCONCLUSIVE"
    assert EXIT_CODES == {"PASS": 0, "FAIL": 1, "INCONCLUSIVE": 3}


@pytest.mark.parametrize("levels", [[], ["L4"], ["L0", "everything"]])
def test_unknown_levels_are_refused(levels):
    with pytest.raises(ValueError, match="levels are L0, L1, L2, L3"):
        run_audit(target(), "add-remove", levels, seed=1)


@pytest.mark.parametrize("confidence", [0, 1, 1.5])
def test_a_confidence_that_is_none_is_refused(confidence):
    with pytest.raises(ValueError, match="confidence must be between 0 and 1"):
        run_audit(target(), "add-remove", ["L0"], seed=1, confidence=confidence)


@pytest.mark.parametrize(("count", "trials"), [(0, 10), (10, 10), (3, 10), (500, 100_000)])
def test_intervals_agree_with_scipy(count, trials):
    expected = stats.binomtest(count, trials).proportion_ci(confidence_level=0.98, method="exact")
    assert clopper_pearson(count, trials, 0.01) == pytest.approx((expected.low, expected.high))


def test_the_bound_on_laplace_noise_comes_close_and_does_not_exceed_it():
    rng = np.random.default_rng(1)
    first, second = (rng.laplace(at, 1.0, 100_000) for at in (0.0, 1.0))
    bound = lower_bound({"x": (first, second)}, 0.0, 0.05)
    assert 0.8 < bound.epsilon <= 1
    assert bound.trials == 50_000


def test_the_bound_is_wrong_no_more_often_than_stated():
    rng = np.random.default_rng(2)
    wrong = 0
    for _ in range(200):
        first, second = (rng.laplace(at, 1.0, 2_000) for at in (0.0, 0.5))
        wrong += lower_bound({"x": (first, second)}, 0.0, 0.2).epsilon > 0.5
    # 40 are allowed; intervals and the choice of a cut are conservative
    assert wrong <= 40


def test_a_delta_is_taken_off_before_anything_is_claimed():
    first, second = np.zeros(10_000), np.concatenate([np.ones(50), np.zeros(9_950)])
    rng = np.random.default_rng(3)
    scores = {"x": (first, rng.permutation(second))}
    assert lower_bound(scores, 0.0, 0.05).epsilon > 1
    assert lower_bound(scores, 0.01, 0.05).epsilon == 0


def test_one_run_bounds_are_those_of_randomised_response():
    # all right: the bound solves (e / (1 + e))^n = alpha
    assert one_run_bound(100, 100, 0.05) == pytest.approx(-np.log(0.05 ** (-1 / 100) - 1))
    assert one_run_bound(50, 100, 0.05) == 0
    with pytest.raises(ValueError, match="5 of 4 guesses"):
        one_run_bound(5, 4, 0.05)


@pytest.mark.parametrize("seed", range(5))
def test_an_honest_vector_is_never_above_its_claim_by_its_canaries(seed):
    local = target(count=500, group_size=1, mechanism=DiscreteLaplace(Fraction(4)))
    audit = run_audit(local, "add-remove", ["L3"], seed=seed, confidence=0.999, trials=1_000)
    assert audit.verdict == "PASS"


def test_a_vector_with_a_tenth_of_its_noise_is_caught_by_canaries():
    class Thin(FederationTarget):
        def claimed(self, adjacency):
            return Fraction(1)

    local = target(Thin, count=1000, group_size=1, mechanism=DiscreteLaplace(Fraction(10)))
    canaries = run_audit(local, "add-remove", ["L3"], seed=1, trials=1_000).findings[-1]
    assert (canaries.check, canaries.verdict) == ("canaries", "FAIL")


@pytest.mark.parametrize("epsilon", [0.05, 1, 6])
def test_what_is_said_of_the_runs_that_are_needed_holds(epsilon):
    needed = trials_needed(epsilon, 0.01)
    assert shows_twice(epsilon, needed, 0.01)
    assert not shows_twice(epsilon, needed // 4, 0.01)
    rng = np.random.default_rng(4)
    scores = {"x": tuple(rng.laplace(at, 1 / epsilon, 2 * needed) for at in (0.0, 2.0))}
    assert lower_bound(scores, 0.0, 0.01).epsilon > epsilon


def test_no_number_of_runs_shows_an_enormous_epsilon():
    with pytest.raises(ValueError, match="no number of runs would contradict an epsilon of 400"):
        trials_needed(400, 0.01)


def test_a_query_with_too_few_runs_is_inconclusive_and_not_a_pass():
    audit = run_audit(target(), "add-remove", ["L2"], seed=1, trials=200)
    assert audit.verdict == "INCONCLUSIVE"
    assert "could not settle L2 class count count and 3 more checks" in audit.conclusion()


def test_views_of_the_paper_fail_by_their_most_telling_neighbours():
    audit = run_audit(PaperTarget(SCHEMA, Fraction(1)), "add-remove", ["L3"], seed=1, trials=20_000)
    assert audit.verdict == "FAIL"
    assert audit.bound > 5
    assert "witness: " in audit.conclusion()
