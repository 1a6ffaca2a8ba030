"""The harness: it measures what real rounds do, bites, and is paired."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from attacks.poison import POISONS, choose_poison
from attacks.sweeps.arena import arena_of
from attacks.sweeps.breakdown import KINDS, measure_breakdown
from attacks.sweeps.poisoning import Setting, measure
from attacks.sweeps.poisoning_grid import AttackGrid
from protocols.protocol import PROTOCOLS
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import estimate
from securenb.data.dataset import load_dataset
from securenb.experiments.checked import checked
from securenb.robust.spec import choose_rule

RULES = ["sum", "median", "krum"]


def grid(**more):
    base = {
        "dataset": "phishing",
        "nodes": 15,
        "rules": RULES,
        "attacks": "scaled_flip",
        "malicious": [0, 0.2],
        "epsilon": "none",
    }
    return checked(AttackGrid, **base | {"trials": 1} | more)


def table(**more):
    return pd.DataFrame([line for cell in grid(**more).cells() for line in measure(cell)])


@pytest.mark.parametrize("epsilon", ["none", "2"])
@pytest.mark.parametrize("size", [1, 4, "all"])
def test_its_rows_are_those_of_a_real_round_with_poisoned_nodes(epsilon, size):
    (cell,) = [c for c in grid(epsilon=epsilon, group_size=size).cells() if c["malicious"]]
    arena = arena_of(cell)
    setting = Setting.of(arena, cell)
    rule = choose_rule("sum")
    poison = choose_poison("scaled_flip")
    outcome = setting.opened(poison, 3, rule)
    poisoned = poison.nodes(
        list(arena.nodes), list(arena.order[:3]), arena.data.schema, rule, arena.streams.rng("poison")
    )
    federation = replace(setting.federation, protocol=PROTOCOLS["plain"](), sources=None)
    groups = federation.grouped([node.id for node in arena.nodes])
    assert [{arena.nodes[at].id for at in group} for group in setting.groups] == list(map(set, groups))
    real = federation.open(federation.prepare(poisoned))
    assert np.array_equal(outcome.opened.rows, real.opened.rows)
    assert outcome.refused == 0
    assert 1 <= outcome.contaminated.sum() <= 3
    for chosen in [rule] if size == "all" else [rule, choose_rule("median")]:
        model = replace(federation, rule=chosen).run(poisoned).model
        mine = setting.readout(chosen).model(outcome.opened)
        assert np.array_equal(mine.parameters.table, model.parameters.table)


def test_proven_rows_are_those_of_a_real_proven_round():
    (cell,) = [c for c in grid(epsilon="2", group_size=5, inputs="verified").cells() if c["malicious"]]
    arena = arena_of(cell)
    setting = Setting.of(arena, cell)
    poison = choose_poison("scaled_flip")
    outcome = setting.opened(poison, 3, choose_rule("sum"))
    poisoned = poison.nodes(
        list(arena.nodes),
        list(arena.order[:3]),
        arena.data.schema,
        choose_rule("sum"),
        arena.streams.rng("poison"),
    )
    real = replace(setting.federation, sources=None).run(poisoned)
    assert np.array_equal(outcome.opened.rows, real.opened.rows)
    assert outcome.opened.members == real.opened.members
    assert outcome.refused == 3 == len(real.transcript.blames) + len(real.refused)


def test_a_sweep_that_a_round_would_refuse_is_refused_unless_nodes_split():
    choices = {"inputs": "verified", "sizes": "exponential", "nodes": 30, "rules": ["sum"]}
    with pytest.raises(ValueError, match="may submit once.*or let nodes split"):
        table(**choices)
    lines = table(**choices, split=True)
    assert lines["balanced_accuracy"].between(0, 1).all()
    (cell, *_) = grid(**choices, split=True).cells()
    setting = Setting.of(arena_of(cell), cell)
    assert len(setting.submitters) > 30
    held = sum(len(node.records) for node in setting.submitters)
    assert held == sum(len(node.records) for node in setting.arena.nodes)


def test_without_an_attack_the_sum_is_the_pooled_model():
    lines = table(malicious=0.0, group_size=[1, 3, "all"])
    arena = arena_of(grid().cells()[0])
    data = arena.data
    pooled = NaiveBayes(estimate(data.schema, arena.tables.sum(axis=0)))
    found = lines[lines["rule"] == "sum"]["balanced_accuracy"]
    assert np.allclose(found, pooled.balanced_score(data.test), atol=1e-6)


def test_it_bites_a_plain_sum_and_a_median_withstands_it():
    lines = table().set_index(["attack", "rule"])["balanced_accuracy"]
    assert lines["scaled_flip", "sum"] < 0.5
    assert lines["scaled_flip", "median"] > 0.85


def test_trials_are_paired_and_larger_shares_contain_smaller_ones():
    cells = grid(
        malicious=[0.2, 0.4], attacks=["zero", "label_flip"], group_size=3, epsilon=["none", "1"]
    ).cells()
    arenas = {id(arena_of(cell)) for cell in cells}
    assert len(arenas) == 1
    groups = {tuple(map(tuple, Setting.of(arena_of(cell), cell).groups)) for cell in cells}
    assert len(groups) == 1


def test_every_poison_can_be_measured_inside_and_outside_on_verified_and_unchecked_inputs():
    brief = [choose_poison(name + more).brief() for name in POISONS for more in ("", ":inside:noisy")]
    attacks = [POISONS.spelled(poison) for poison in brief]
    lines = table(
        attacks=attacks, malicious=0.2, inputs=["unchecked", "verified"], epsilon="5", rules=["median"]
    )
    assert set(lines[lines["malicious"] == 0]["attack"]) == {"none"}
    lines = lines[lines["malicious"] > 0]
    assert set(lines["attack"]) == set(attacks)
    assert lines["balanced_accuracy"].between(0, 1).all()
    verified = lines[lines["inputs"] == "verified"].set_index("attack")["refused"]
    assert verified["scaled_flip"] == verified["sign_flip"] == verified["malformed"] == 3
    assert all(verified[name] == 0 for name in attacks if ":inside" in name)
    unchecked = lines[lines["inputs"] == "unchecked"].set_index("attack")["refused"]
    assert unchecked[unchecked > 0].index.tolist() == ["malformed"]


def test_a_rerun_is_byte_identical():
    more = {"attacks": ["adaptive", "random", "alie"], "epsilon": ["none", "1"], "group_size": [1, 3]}
    assert table(**more).to_csv() == table(**more).to_csv()


def test_who_stands_out_is_who_poisoned_the_sum():
    lines = table(influence=True, attacks=["scaled_flip", "zero"], rules=["sum", "median"])
    (bad,) = lines[(lines["attack"] == "scaled_flip") & (lines["rule"] == "sum")].to_dict("records")
    assert (bad["unmasked"], bad["accused"]) == (1, 0)
    noised = table(influence=True, attacks="scaled_flip", rules="sum", epsilon="5", malicious=[0.2])
    assert noised["unmasked"].iloc[-1] == 1
    assert (lines[lines["malicious"] == 0]["accused"] <= 0.2).all()
    assert "unmasked" not in table(attacks="zero")


def test_a_rule_that_cannot_run_is_a_result_not_a_crash():
    lines = table(rules=["krum"], malicious=0.2, group_size="all")
    assert "cannot run on 1 rows" in lines["failure"].iloc[0]
    assert lines["balanced_accuracy"].isna().all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"attacks": "label_flop"}, "unknown poison 'label_flop'"),
        ({"rules": ["median", "median"]}, "each once"),
        ({"malicious": 1.0}, "below 0.5, got 1.0"),
        ({"dataset": "mushrom"}, "unknown data set 'mushrom'"),
        ({"group_size": "some"}, "some"),
        ({"atacks": "zero"}, "atacks"),
        ({"trials": 0}, "trials"),
        ({"cap_ratio": [1, 3]}, "unchecked inputs have no cap to vary"),
    ],
)
def test_a_grid_with_a_mistake_is_refused_in_one_line(change, message):
    with pytest.raises(ValueError, match=message) as caught:
        grid(**change)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_rules_break_within_one_node_of_the_prediction(kind, dataset):
    dataset("mushroom")  # or skip
    lines = [
        measure_breakdown({"kind": kind, "dataset": "mushroom", "nodes": 60, "trial": trial, "seed": 2})[0]
        for trial in range(3)
    ]
    assert all(line["within_one"] for line in lines), lines


@pytest.mark.parametrize("epsilon", ["none", "2"])
def test_a_certificate_and_an_attack_hold_the_truth_between_them(epsilon):
    sums = table(
        attacks=["heavy_flip:inside", "worst_records:inside", "gradient(starts=1,steps=40)", "malformed"],
        rules=["verified_sum"],
        inputs="verified",
        group_size="all" if epsilon == "none" else 5,
        epsilon=epsilon,
        malicious=[0, 0.07],
        nodes=30,
    )
    assert sums["certified"].notna().all()
    attacked = sums[sums["share"] > 0]
    # a refused vector could have been a valid one: the lower end does not rise for it
    assert (attacked["certified"] < sums["certified"][sums["share"] == 0].max()).all()
    assert attacked["refused"].gt(0).any()
    assert (sums["certified"] <= sums["balanced_accuracy"] + 1e-6).all()
    assert (attacked["certified"] > 0.3).all()


def test_staircase_sums_and_votes_have_a_lower_end_too():
    choices = {"malicious": [0, 0.1], "nodes": 30, "epsilon": "1", "attacks": "heavy_flip:inside"}
    stairs = table(rules=["staircase(quota=30/30)"], inputs="verified", group_size="all", **choices)
    votes = table(rules=["flcert"], group_size=1, **choices)
    for found in (stairs, votes):
        assert found["certified"].notna().all()
        assert (found["certified"] <= found["balanced_accuracy"] + 1e-6).all()


def test_without_a_certificate_the_lower_end_is_open():
    assert table(malicious=[0, 0.2])["certified"].isna().all()


@pytest.mark.parametrize("share", [0.1, 0.4, 0.45])
def test_what_is_certain_is_said_at_every_share_that_the_rule_withstands(share):
    choices = grid(rules=["flcert"], malicious=[share], trials=1)
    for cell in choices.cells():
        (line,) = measure(cell)
        assert 0 <= line["certified"] <= line["balanced_accuracy"] + 1e-6


def test_a_users_own_records_are_attacked_as_an_object(tmp_path):
    data = load_dataset("phishing")
    own = replace(data, name="mine", digest="")
    (line,) = measure(grid(dataset=own, rules=["sum"], malicious=[0]).cells()[0])
    (same,) = measure(grid(dataset="phishing", rules=["sum"], malicious=[0]).cells()[0])
    assert line["balanced_accuracy"] == same["balanced_accuracy"]


def test_an_error_is_one_short_line_whatever_was_given():
    with pytest.raises(ValueError, match="nodes") as error:
        grid(nodes=[np.zeros(5000)])
    assert len(str(error.value)) < 400
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("dataset", "numeric"), [("breast_cancer", "gaussian"), ("breast_cancer", "histogram")]
)
def test_every_kind_of_feature_has_a_lower_end_where_sums_are_proven(dataset, numeric):
    found = table(
        dataset=dataset,
        numeric=numeric,
        rules="verified_sum",
        attacks="heavy_flip:inside",
        inputs="verified",
        group_size="all",
        malicious=[0, 0.05],
        nodes=20,
    )
    assert found["certified"].notna().all()
    assert (found["certified"] <= found["balanced_accuracy"] + 1e-6).all()
