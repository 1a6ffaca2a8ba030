"""Microsoft's intervals on epsilon agree with our lower bounds."""

import math

import pytest

from attacks.audit.lower_bound import clopper_pearson

estimates = pytest.importorskip(
    "privacy_estimates", reason="privacy-estimates is not installed (extra `oracle`)"
)


@pytest.mark.parametrize(("false_positives", "false_negatives"), [(1000, 1000), (100, 4000), (10, 8000)])
def test_a_clopper_pearson_bound_is_theirs(false_positives, false_negatives):
    trials, alpha = 10_000, 0.05
    counts = estimates.AttackResults(
        FP=false_positives, FN=false_negatives, TN=trials - false_positives, TP=trials - false_negatives
    )
    theirs = estimates.compute_eps_lo_hi(count=counts, delta=0.0, alpha=alpha, method="beta")
    # two sides of two rates share alpha
    low = clopper_pearson(trials - false_negatives, trials, alpha / 4)[0]
    high = clopper_pearson(false_positives, trials, alpha / 4)[1]
    assert theirs[0] == pytest.approx(math.log(low / high), rel=1e-6)
