"""What the worst attack means, and what is said of differences between rules."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.sweeps.paired import differences, holm, paired_p
from attacks.sweeps.poisoning_grid import AttackGrid
from attacks.sweeps.worst import KEPT, summary_of


def results(scores, first_trial=0, **settings):
    """Lines of one setting: scores by attack and rule, one a trial."""
    fixed = {"dataset": "toy", "nodes": 9, "sizes": "equal", "label_skew": None, "numeric": "gaussian",
             "mechanism": "no", "epsilon": "none", "group_size": 1, "inputs": "unchecked", "cap_ratio": None,
             "share": 0.2, "failure": "", "success": np.nan}  # fmt: skip
    return pd.DataFrame([
        fixed
        | settings
        | {"rule": rule, "attack": attack, "trial": first_trial + at, "balanced_accuracy": each}
        for (attack, rule), values in scores.items()
        for at, each in enumerate(values)
    ])  # fmt: skip


def test_the_worst_attack_is_chosen_on_deals_of_its_own_and_measured_on_the_trials():
    trials = results({("zero", "sum"): [0.6, 0.6], ("alie", "sum"): [0.5, 0.5]})
    apart = results({("zero", "sum"): [0.3, 0.4], ("alie", "sum"): [0.7, 0.7]}, first_trial=2)
    (line,) = summary_of(trials, apart).to_dict("records")
    assert (line["worst_attack"], line["mean"], line["chosen_on"]) == ("zero", 0.6, 2)
    assert (line["least_attack"], line["least"], line["headline"]) == ("alie", 0.5, 0.5)
    (line,) = summary_of(trials).to_dict("records")
    assert (line["worst_attack"], line["mean"], line["chosen_on"], line["headline"]) == ("alie", 0.5, 0, 0.5)


@pytest.mark.parametrize("size", [None, 3])
@pytest.mark.parametrize("skew", [None, 0.5])
@pytest.mark.parametrize("inputs", ["unchecked", "verified"])
def test_every_setting_has_one_line_whatever_is_no_number_in_it(size, skew, inputs):
    scores = {(attack, rule): [0.5, 0.6] for attack in ("zero", "alie") for rule in ("sum", "median")}
    settings = {"group_size": size, "label_skew": skew, "inputs": inputs, "cap_ratio": 1.0}
    trials, apart = (results(scores, first, **settings) for first in (0, 2))
    found = summary_of(trials, apart)
    assert len(found) == 2
    assert not found["headline"].isna().any()
    mixed = pd.concat([trials, results(scores, 0, **settings | {"group_size": 1 if size is None else None})])
    assert len(summary_of(mixed)) == 4
    assert not summary_of(mixed)["headline"].isna().any()


def test_an_attack_is_not_chosen_on_the_trials_that_it_is_measured_on():
    trials = results({("zero", "sum"): [0.6, 0.6]})
    with pytest.raises(ValueError, match="deals of its own"):
        summary_of(trials, trials)


def test_deals_to_choose_on_are_none_of_the_trials_and_ten_where_an_interval_is_claimed():
    said = {"dataset": "phishing", "rules": "sum", "attacks": "zero", "epsilon": "none"}
    for more, deals in (({"trials": 30}, 10), ({"trials": 3}, 0), ({"trials": 3, "selection": 4}, 4)):
        grid = AttackGrid(**said, **more)
        trials = {cell["trial"] for cell in grid.cells()}
        apart = {cell["trial"] for cell in grid.choosing()}
        assert len(apart) == deals
        assert not trials & apart


def test_holm_gives_known_answers():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert np.isnan(holm(np.array([np.nan, 0.5]))).tolist() == [True, False]
    assert holm(np.array([0.9, 0.8])).tolist() == [1, 1]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@settings(max_examples=50, deadline=None)
def test_holm_lies_between_a_p_value_and_bonferroni(values):
    plain = np.array(values)
    found = holm(plain)
    assert (found >= plain).all()
    assert (found <= np.minimum(plain * len(plain), 1) + 1e-15).all()
    assert (np.diff(found[np.argsort(plain, kind="stable")]) >= 0).all()


def test_under_no_difference_one_in_twenty_families_rejects_something():
    rng = np.random.default_rng(5)
    p_values = [[paired_p(rng.normal(size=20)) for _ in range(5)] for _ in range(600)]
    rejected = np.mean([holm(np.array(family)).min() < 0.05 for family in p_values])
    assert 0.02 < rejected < 0.08
    assert np.mean([min(family) < 0.05 for family in p_values]) > 0.15


def test_differences_are_of_the_same_trials_and_against_the_first_rule():
    rng = np.random.default_rng(3)
    deals = rng.normal(0.7, 0.1, 20)
    better = deals + 0.02 + rng.normal(0, 0.001, 20)
    table = results({("zero", "sum"): deals, ("zero", "median"): better, ("zero", "krum"): deals})
    found = differences(table, KEPT, "balanced_accuracy").set_index("rule")
    assert found.loc["median", "difference"] == pytest.approx(0.02, abs=0.001)
    assert found.loc["median", "p_holm"] < 1e-6
    assert found.loc["krum", "p_holm"] == 1
    assert np.isnan(found.loc["sum", "p_value"])
    assert set(found["against"]) == {"sum"}


def test_too_few_trials_have_no_p_value():
    assert np.isnan(paired_p(np.full(13, 0.1)))
    assert paired_p(np.full(14, 0.1)) == 0


def test_a_study_is_a_sweep_with_an_axis_of_attacks_and_evaluating_is_its_frame():
    import attacks

    said = {
        "rules": "sum,median",
        "attacks": "zero",
        "malicious": 0.2,
        "nodes": 8,
        "epsilon": "none",
        "trials": 2,
    }
    study = attacks.Study(dataset="phishing", selection=1, **said).run(backend="sequential")
    assert study.frame.equals(attacks.evaluate("phishing", backend="sequential", **said))
    assert set(study.summary["chosen_on"]) == {1}
    assert len(repr(study)) < 80
    assert study._repr_html_().startswith("<")
    with pytest.raises(ValueError, match="epsilon"):
        attacks.evaluate("phishing", rules="sum")


def test_a_sweep_of_rounds_takes_choices_as_lists():
    import securenb as nb

    choices = {"dataset": "phishing", "nodes": 4, "protocol": ["plain", "masking"], "epsilon": "1"}
    swept = nb.Sweep(trials=2, seed=3, **choices).run(backend="sequential")
    assert len(swept.frame) == 4
    assert set(swept.summary["protocol"]) == {"plain", "masking"}
    assert "Sweep" in repr(swept)
