"""What is checked before a robust rule runs."""

from itertools import combinations

import numpy as np
import pytest

from securenb.data.dataset import load_dataset
from securenb.experiments.scenario import Scenario
from securenb.robust.bounds import (
    FAILURE,
    breakdown_share,
    check_counts,
    check_rule,
    contaminated,
    contaminated_bound,
)
from securenb.robust.rule import Rows
from securenb.robust.spec import choose_rule
from securenb.schema.features import Categorical
from securenb.schema.schema import Schema

SCHEMA = Schema(("a", "b"), (Categorical("c", ("x", "y")),))


@pytest.mark.parametrize(
    ("sizes", "malicious"), [((2, 3, 3), 3), ((1, 1, 1, 1), 2), ((4, 4), 0), ((3, 3, 2), 8)]
)
def test_contaminated_groups_are_counted_as_if_every_placement_were_tried(sizes, malicious):
    owner = np.repeat(np.arange(len(sizes)), sizes)
    found = [len(set(owner[list(bad)])) for bad in combinations(range(len(owner)), malicious)]
    expected = np.bincount(found, minlength=len(sizes) + 1) / len(found)
    assert np.allclose(contaminated(sizes, malicious), expected, rtol=1e-12)


def test_the_bound_on_contaminated_groups_is_exceeded_no_more_often_than_promised():
    sizes = [3] * 30 + [5, 5]
    distribution = contaminated(sizes, 15)
    bound = contaminated_bound(sizes, 15)
    assert distribution[bound + 1 :].sum() <= FAILURE < distribution[bound:].sum()
    assert contaminated_bound([1] * 100, 20) == 20


def test_a_rule_is_told_how_many_rows_it_must_withstand():
    assert check_rule(choose_rule("median"), [1] * 100, 20) == 20
    assert check_rule(choose_rule("median"), [3] * 30, 4) == 4


def test_groups_that_malicious_nodes_probably_outvote_are_refused_with_the_probability():
    with pytest.raises(ValueError, match=r"withstands 16 malicious of 33 rows; 20 malicious of 100 .* 0\.46"):
        check_rule(choose_rule("median"), [3] * 32 + [4], 20)
    with pytest.raises(ValueError, match="'sum' tolerates at most 0"):
        check_rule(choose_rule("sum"), [1] * 10, 1)
    with pytest.raises(ValueError, match="'krum' cannot run on 1 rows"):
        check_rule(choose_rule("krum"), [10], 1)
    with pytest.raises(ValueError, match="cannot be 11 malicious of 10 nodes"):
        check_rule(choose_rule("median"), [5, 5], 11)


def test_label_flips_outvote_a_sum_from_the_predicted_share_on():
    assert breakdown_share(1) == 0.5
    assert breakdown_share(3) == 0.25
    with pytest.raises(ValueError, match="positive"):
        breakdown_share(0)


def test_counts_below_their_noise_are_refused_with_a_group_size_that_helps():
    rows = Rows(SCHEMA, np.tile(np.array([[40, 20, 20], [5, 3, 2]]), (9, 1, 1)), np.full(9, 2))
    check_counts(rows, 4.9)
    check_counts(rows, 0.0)
    with pytest.raises(ValueError, match=r"class 'b': rows count 5 .* below the noise of ±20 .* at least 8"):
        check_counts(rows, 20.0)


def choices(**more):
    return Scenario.checked(
        **{
            "dataset": "phishing",
            "nodes": 30,
            "protocol": "plain",
            "group_size": 1,
            "seed": 1,
            "rule": "median",
        }
        | more
    )


def test_a_round_that_its_rule_does_not_withstand_is_refused_before_anything_is_sent():
    data = load_dataset("phishing")
    scenario = choices(epsilon="none", malicious_bound=15)
    with pytest.raises(ValueError, match="at most 14 malicious of 30 rows, not 15"):
        scenario.federation(data).prepare(scenario.deal(data))


def test_a_round_whose_counts_drown_in_noise_is_refused_only_if_it_must_be_robust():
    data = load_dataset("phishing")
    scenario = choices(epsilon="0.1", malicious_bound=3)
    with pytest.raises(ValueError, match="below the noise|rows define it"):
        scenario.federation(data).run(scenario.deal(data))
