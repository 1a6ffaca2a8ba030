"""Plug-in files: found without registration, named by their classes, never in our place."""

import json
import pickle
import sys

import pytest

from protocols import plugins as module
from protocols.catalogue import CATALOGUES, snake
from protocols.plugins import load_plugin, plugins
from protocols.protocol import PROTOCOLS
from securenb.cli.main import MISTAKE, main
from securenb.data.dataset import load_dataset
from securenb.experiments.guests import Guests
from securenb.experiments.scenario import Scenario
from securenb.robust.rule import RULES
from securenb.robust.spec import choose_rule

RULE = """
from dataclasses import dataclass
from securenb.robust.rules.median import Median

@dataclass(frozen=True)
class {name}(Median):
    \"\"\"A median with a factor.\"\"\"
    factor: float = {factor}

class _Private(Median):
    pass
"""


@pytest.fixture(autouse=True)
def no_guests(monkeypatch):
    for catalogue in CATALOGUES.values():
        monkeypatch.setattr(catalogue, "_guests", {})
    yield
    for name in [name for name in sys.modules if name.startswith("securenb_plugin_")]:
        del sys.modules[name]


@pytest.fixture
def write(tmp_path):
    def write(text, name="mine.py"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize(
    ("name", "said"),
    [("MyRule", "my_rule"), ("NNMKrum2", "nnm_krum2"), ("Sum", "sum"), ("ABTest", "ab_test"), ("X", "x")],
)
def test_a_class_is_named_in_snake_case(name, said):
    assert snake(name) == said


def test_every_public_class_that_fulfils_a_contract_is_found_and_nothing_else(write):
    found = load_plugin(write(RULE.format(name="MyRule", factor=2)))
    assert found == {"rule": ["my_rule"]}
    assert choose_rule("my_rule(factor=3)").factor == 3.0
    assert "my_rule" in RULES
    assert "my_rule" in list(RULES)
    assert RULES.name_of(choose_rule("nnm+my_rule")) == "my_rule"
    with pytest.raises(ValueError, match="unknown rule 'my_rul'.*did you mean 'my_rule'"):
        choose_rule("my_rul")


def test_loading_twice_changes_nothing_and_an_edit_takes_its_place(write):
    path = write(RULE.format(name="MyRule", factor=2))
    first = load_plugin(path)
    kind = RULES["my_rule"]
    assert load_plugin(path) == first
    assert RULES["my_rule"] is kind
    write(RULE.format(name="MyRule", factor=5))
    load_plugin(path)
    assert choose_rule("my_rule").factor == 5
    write(RULE.format(name="Other", factor=5))
    assert load_plugin(path) == {"rule": ["other"]}
    assert "my_rule" not in RULES


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "has no public class"),
        ("1 +", "cannot be loaded: SyntaxError"),
        ("import nothing_like_it", "cannot be loaded: ModuleNotFoundError: .*nothing_like_it"),
        (RULE.format(name="Krum", factor=1), "the rule 'krum', which is one of ours"),
        (
            "from securenb.robust.rule import Rule\nclass Half(Rule):\n  def tolerance(self, rows): return 0",
            "Half is no rule yet: it lacks _combine",
        ),
    ],
)
def test_a_file_that_is_no_plug_in_is_refused_and_leaves_nothing(write, text, message):
    before = {package: dict(catalogue.guests()) for package, catalogue in CATALOGUES.items()}
    with pytest.raises(ValueError, match=message):
        load_plugin(write(text))
    assert before == {package: catalogue.guests() for package, catalogue in CATALOGUES.items()}
    assert plugins() == ()


def test_a_file_that_is_not_there_and_two_of_one_name_are_refused(write, tmp_path):
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        load_plugin(tmp_path / "none.py")
    load_plugin(write(RULE.format(name="MyRule", factor=1)))
    with pytest.raises(ValueError, match="two rules from outside are called 'my_rule'"):
        load_plugin(write(RULE.format(name="MyRule", factor=2), "second.py"))


def test_the_command_line_says_in_one_line_what_is_wrong(write, capsys):
    assert main(["list", "rules", "--plugin", str(write("1 +"))]) == MISTAKE
    printed = capsys.readouterr().err
    assert "cannot be loaded: SyntaxError" in printed
    assert printed.count("\n") == 1


def test_list_shows_what_a_plug_in_adds(write, capsys):
    path = write(RULE.format(name="MyRule", factor=1))
    assert main(["list", "rules", "--json", "--plugin", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["rules"]["my_rule"] == "A median with a factor."


def test_an_entry_point_is_a_guest_and_has_no_name_of_ours(monkeypatch):
    class Point:
        value = "their_package.rules:Theirs"

        def __init__(self, name, kind):
            self.name, self.kind = name, kind

        def load(self):
            return self.kind

    def offer(*points):
        monkeypatch.setattr(
            "importlib.metadata.entry_points", lambda group: points if group == "securenb.rules" else ()
        )

    theirs = type("Theirs", (RULES["median"],), {})
    offer(Point("theirs", theirs))
    assert "theirs" in list(RULES)
    assert type(choose_rule("theirs")) is theirs
    offer(Point("numbers", int))
    with pytest.raises(ValueError, match="entry point their_package.rules:Theirs is no rule"):
        choose_rule("numbers")
    offer(Point("krum", theirs))
    with pytest.raises(ValueError, match="has the name of our rule 'krum'"):
        list(RULES)
    assert type(choose_rule("krum")) is RULES["krum"]


def test_guests_travel_to_another_process(write):
    load_plugin(write(RULE.format(name="MyRule", factor=2)))
    mine = choose_rule("my_rule(factor=7)")
    luggage = pickle.dumps(Guests.here())
    for catalogue in CATALOGUES.values():
        catalogue._guests = {}
    module._LOADED.clear()
    pickle.loads(luggage).arrive()
    assert repr(choose_rule("my_rule(factor=7)")) == repr(mine)


def test_objects_are_choices_of_a_scenario():
    data = load_dataset("phishing")
    renamed = type(data)("my-own", data.schema, data.train[:100], data.test[:50], "")
    scenario = Scenario.checked(
        dataset=renamed, nodes=5, protocol=PROTOCOLS["secagg"](4, "semi-honest"), epsilon=1, seed=1,
        rule=RULES["centered_clipping"](radius=2.0),
    )  # fmt: skip
    assert (scenario.protocol, scenario.threshold) == ("secagg(profile=semi-honest)", 4)
    assert scenario.rule == "centered_clipping(radius=2)"
    assert Scenario.checked(**scenario.model_dump()) == scenario
    assert scenario.load().train is renamed.train
    federation = scenario.federation(scenario.load())
    assert federation.protocol == PROTOCOLS["secagg"](4, "semi-honest")
    with pytest.raises(ValueError, match="threshold 5: .* has another"):
        Scenario.checked(dataset="phishing", nodes=5, protocol=PROTOCOLS["secagg"](4), threshold=5, epsilon=1)
