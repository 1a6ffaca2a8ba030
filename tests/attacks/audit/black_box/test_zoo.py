"""The zoo: its truths are true, bugs are found, sound mechanisms are not alarmed about."""

import math

import numpy as np
import pytest

from attacks.audit.bench import audit_zoo, summary, table
from attacks.audit.specimen import ZOO

SOUND = [name for name in ZOO if ZOO[name]().sound]
CLEAR = [name for name in ZOO if ZOO[name].truth >= 1.5 * ZOO[name].epsilon]
RARE = {"sparse_vector_values"}
"""Its worst event is so rare that black-box audits of few runs do not meet it."""


def test_the_zoo_is_a_zoo():
    assert len(ZOO) >= 80
    assert len(SOUND) >= 20
    assert len(CLEAR) >= 50
    for name in ZOO:
        specimen = ZOO[name]()
        assert len(specimen.why) > 10
        assert specimen.pairs()


@pytest.mark.parametrize(
    "name", ["discrete_laplace_count", "paper_empty_class", "gaussian_half", "noise_reused"]
)
def test_a_bug_is_found_and_a_sound_mechanism_is_not(name):
    outcomes = list(audit_zoo([name], runs=8_000))
    assert any(each.verdict == "FAIL" for each in outcomes) == (not outcomes[0].sound)
    assert len(table(outcomes)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(CLEAR) - RARE)[::4])
def test_a_clear_bug_is_found(name):
    """A sample; all of them are the claim `zoo_detection` (`python3 run.py evidence`)."""
    outcomes = list(audit_zoo([name], runs=20_000))
    assert any(each.verdict == "FAIL" for each in outcomes), outcomes


@pytest.mark.slow
def test_no_sound_mechanism_is_alarmed_about():
    """A sample: one audit of every third; 1,000 audits are the claim `zoo_alarms`."""
    sample = SOUND[::3]
    outcomes = list(audit_zoo(sample, runs=4_000))
    assert summary(outcomes)["false alarms"] == f"0 of {len(sample)} audits"
    assert summary(outcomes)["false alarms of L1"] == 0


@pytest.mark.parametrize("name", SOUND)
def test_a_stated_truth_is_no_more_than_the_claim(name):
    assert ZOO[name].truth <= ZOO[name].epsilon


FINITE = [name for name in ZOO if math.isfinite(ZOO[name].truth) and not ZOO[name].delta]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FINITE if ZOO[name].truth <= 2.3][::3])
def test_no_event_is_seen_that_a_stated_truth_forbids(name):
    """The stated truth as a claim: a mechanism that loses more would be alarmed about."""
    from attacks.audit.black_box.claim import Approximate
    from attacks.audit.black_box.questions import questions, questions_about_reals
    from attacks.audit.black_box.release import Here
    from attacks.audit.black_box.search import audit_release

    specimen = ZOO[name]()
    release = Here(specimen.release, specimen.pairs(), name)
    asked = questions_about_reals if specimen.reals else questions
    found = list(audit_release(release, Approximate(specimen.truth), 5, 1e-4, runs=10_000, asked=asked))
    assert all(finding.verdict != "FAIL" for finding in found), found


def test_helpers_draw_what_they_say():
    from attacks.audit.specimen import polya, two_sided

    rng = np.random.default_rng(0)
    drawn = np.array([two_sided(rng, 1.0) for _ in range(20_000)])
    parts = np.array([polya(rng, 1.0, 0.5) + polya(rng, 1.0, 0.5) for _ in range(20_000)])
    zero = (1 - math.exp(-1)) / (1 + math.exp(-1))
    for values in (drawn, parts):
        assert abs((values == 0).mean() - zero) < 4 * (zero / 20_000) ** 0.5
