"""A choice is declared once, and reached alike on the command line, in TOML and in Python."""

import inspect

import pytest

from attacks.sweeps.poisoning_grid import AttackGrid, axes
from securenb.cli.commands import attack, audit, compare, train
from securenb.cli.main import MISTAKE, main
from securenb.deploy.round_choices import RoundChoices
from securenb.estimators.federated import FederatedNB
from securenb.experiments.choices import Choices
from securenb.experiments.declare import described, option_of
from securenb.experiments.rounds import scenario_of
from securenb.experiments.scenario import Scenario

MADE_BY_THE_COMMAND = {"compare": {"protocol"}}
"""`compare` runs several."""


def reached(command):
    return set(inspect.signature(command).parameters)


@pytest.mark.parametrize("command", [train, compare, audit], ids=lambda module: module.__name__)
@pytest.mark.parametrize("name", Scenario.model_fields)
def test_every_choice_of_a_round_is_an_option_of_every_command_that_runs_one(command, name):
    if name not in MADE_BY_THE_COMMAND.get(command.__name__.rpartition(".")[2], ()):
        assert name in reached(command.command)


@pytest.mark.parametrize("name", AttackGrid.model_fields)
def test_every_choice_of_an_attack_sweep_is_an_option(name):
    assert name in reached(attack.command)


@pytest.mark.parametrize("kind", [Scenario, AttackGrid])
def test_every_choice_says_what_it_is_and_its_option_is_its_name(kind):
    for name, field in kind.model_fields.items():
        assert described(field).endswith("."), name
        assert (option_of(field) or name) in name


def test_what_a_round_and_an_attack_sweep_share_is_declared_once():
    for name in Scenario.model_fields.keys() & AttackGrid.model_fields.keys() - {"seed"}:
        assert described(AttackGrid.model_fields[name]) == described(Scenario.model_fields[name])


@pytest.mark.parametrize("name", Choices.model_fields)
def test_the_estimator_and_deployments_have_every_choice_with_its_default(name):
    declared, parameter = Choices.model_fields[name], inspect.signature(FederatedNB).parameters[name]
    if name == "epsilon":
        assert parameter.default is inspect.Parameter.empty
    elif name != "protocol":
        assert parameter.default == declared.default
    assert repr(RoundChoices.model_fields[name]) == repr(declared)


@pytest.mark.parametrize("kind", [Choices, Scenario, AttackGrid, RoundChoices])
def test_epsilon_has_no_default_anywhere(kind):
    assert kind.model_fields["epsilon"].is_required()


@pytest.mark.parametrize(
    "words",
    [
        ["train", "phishing", "--nodes", "5", "--protocol", "plain"],
        ["compare", "phishing", "--nodes", "5"],
        ["attack", "phishing", "--out", "run"],
        ["audit", "phishing"],
        ["audit", "--target", "paper"],
    ],
    ids=" ".join,
)
def test_a_command_without_epsilon_is_refused_in_a_line_that_names_the_option(
    words, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert main(words) == MISTAKE
    said = capsys.readouterr().err
    assert "--epsilon" in said
    assert "none" in said
    assert said.count("\n") == 1


ROUND = {"dataset": "phishing", "nodes": 5, "protocol": "plain", "epsilon": "1"}
SAID = [
    ("group_size", "all", None),
    ("group_size", "3", 3),
    ("label_skew", "none", None),
    ("label_skew", "0.5", 0.5),
]


@pytest.mark.parametrize(("name", "said", "meant"), SAID)
def test_a_word_means_the_same_everywhere(name, said, meant):
    assert getattr(Scenario.checked(**ROUND, **{name: said}), name) == meant
    assert getattr(scenario_of(ROUND | {name: said}), name) == meant
    grid = {"dataset": "phishing", "rules": "sum", "attacks": "zero", "malicious": 0, "epsilon": "1"}
    assert getattr(AttackGrid(**grid, **{name: said}), name) == [meant]


def test_a_wrong_word_is_answered_with_the_right_one():
    with pytest.raises(ValueError, match="group_size is a number or `all`, got 'three'"):
        Scenario.checked(**ROUND, group_size="three")


def test_a_list_is_spelt_as_text_or_as_a_list():
    spelt = {"dataset": "phishing", "rules": "sum,median", "attacks": "zero,alie:inside", "epsilon": "none,1",
             "malicious": "0:0.4:0.2", "group_size": "1,all"}  # fmt: skip
    listed = {"dataset": ["phishing"], "rules": ["sum", "median"], "attacks": ["zero", "alie:inside"],
              "epsilon": ["none", 1], "malicious": [0, 0.2, 0.4], "group_size": [1, None]}  # fmt: skip
    assert AttackGrid(**spelt) == AttackGrid(**listed)
    assert set(spelt) < set(axes(AttackGrid))


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_a_majority_of_malicious_nodes_is_refused(share):
    with pytest.raises(ValueError, match="nothing tells which half is honest"):
        AttackGrid(dataset="phishing", rules="sum", attacks="zero", epsilon="none", malicious=share)
