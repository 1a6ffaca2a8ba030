"""The pages that follow from the code: nothing that can be asked for is missing in them."""

import re
import runpy
import sys
from pathlib import Path

import pandas as pd
import pytest

from attacks.inference import INFERENCES
from attacks.poison import POISONS
from protocols.catalogue import CATALOGUES
from securenb.cli.main import main
from securenb.privacy.mechanism import MECHANISMS
from securenb.robust.rule import RULES

GENERATE = Path(__file__).parent.parent / "docs/generate"

NOUNS = {
    "rule": "rules", "pre-aggregation": "preaggregations", "poison": "poisons", "protocol": "protocols",
    "mechanism": "mechanisms", "deviation": "deviations", "inference": "inferences", "data set": "datasets",
}  # fmt: skip
CATALOGUES_OF = {"rules": RULES, "poisons": POISONS, "mechanisms": MECHANISMS, "inferences": INFERENCES}


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    asked, sys.argv = sys.argv, ["generate", str(folder / "made"), "--quick"]
    try:
        runpy.run_path(str(GENERATE), run_name="__main__")
    finally:
        sys.argv = asked
    return folder / "made"


def _helped(capsys, *words):
    main([*words, "--help"])
    return capsys.readouterr().out


def _listed(text):
    return re.findall(r"^  (\w+) ", text.partition("Commands:")[2], re.MULTILINE)


def test_every_option_that_help_knows_is_in_the_page_of_its_command(reference, capsys):
    entries = (reference / "commands.md").read_text().split("\n## ")
    page = {entry.partition("`\n")[0].removeprefix("`securenb "): entry for entry in entries[1:]}
    commands = [(name,) for name in _listed(_helped(capsys))]
    groups = {words[0]: _listed(_helped(capsys, *words)) for words in commands}
    leaves = [
        (*words, name) if name else words for words in commands for name in (groups[words[0]] or [None])
    ]
    assert len(leaves) > 20
    assert set(page) == {" ".join(words) for words in leaves}
    for words in leaves:
        options = set(re.findall(r"--[a-z][a-z-]+", _helped(capsys, *words))) - {"--help"}
        assert options
        assert options <= set(re.findall(r"--[a-z][a-z-]+", page[" ".join(words)])), words


def test_options_are_written_as_they_are_typed(reference):
    spelled = re.findall(r"^\| `([^`]*)`", (reference / "commands.md").read_text(), re.MULTILINE)
    assert len(spelled) > 100
    assert not [each for each in spelled if "&" in each]


def test_every_page_is_in_the_index(reference):
    index = (reference / "index.md").read_text().split("\n")
    assert {page.stem for page in reference.glob("*.md")} - {"index"} <= set(index)


def test_a_shell_is_told_the_options_of_a_command(capsys, monkeypatch):
    monkeypatch.setenv("_SECURENB_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "securenb train --mal")
    monkeypatch.setenv("COMP_CWORD", "2")
    with pytest.raises(SystemExit, match="^0$"):
        main([])
    assert capsys.readouterr().out.split() == ["--malicious-bound"]


def _kinds(reference):
    return [folder for folder in reference.iterdir() if folder.is_dir() and folder.name != "gallery"]


def test_every_method_of_every_catalogue_has_its_page_with_an_example(reference):
    assert len(_kinds(reference)) == len(NOUNS)
    for catalogue in (each for each in CATALOGUES.values() if each.noun in NOUNS):
        (folder,) = [each for each in _kinds(reference) if each.name == NOUNS[catalogue.noun]]
        ours = set(catalogue) - set(catalogue.guests())
        assert {page.stem for page in folder.glob("*.md")} - {"index"} == ours
        index = (folder / "index.md").read_text()
        for name in ours:
            text = (folder / f"{name}.md").read_text()
            assert f"| [`{name}`]({name}.md) |" in index
            assert {"## Source", "## Parameters", "## Example"} <= set(text.split("\n")), name
            for parameter in catalogue.parameters(name):
                row = re.search(rf"^\| `{parameter}` \| .+ \| .+ \| (.*) \|$", text, re.MULTILINE)
                assert row, (name, parameter)
                assert row[1].strip(), f"{name}: no docstring says what {parameter} means"


@pytest.mark.parametrize("folder", ["rules/krum", "poisons/alie", "protocols/masking", "mechanisms/k_norm",
                                    "deviations/silent", "inferences/linking", "datasets/adult"])  # fmt: skip
def test_an_example_of_each_kind_runs_and_prints(reference, folder, capsys):
    code = re.search(r"```python\n(.*?)```", (reference / f"{folder}.md").read_text(), re.DOTALL)[1]
    exec(compile(code, folder, "exec", dont_inherit=True), {"__name__": "example"})
    assert capsys.readouterr().out.strip()


def test_every_curve_is_of_a_method_that_exists():
    frames = {path.stem: pd.read_csv(path) for path in (GENERATE / "kept").glob("*.csv")}
    assert set(frames) == {"rules", "poisons", "mechanisms", "inferences"}
    for name, frame in frames.items():
        named = frame["attack" if name == "poisons" else name.removesuffix("s")].map(
            lambda spec: spec.partition("(")[0]
        )
        assert set(named) - {"none"} <= set(CATALOGUES_OF[name])
        assert (frame.trials == 30).all()


SNIPPETS = sorted((GENERATE / "gallery").glob("*.py"))


def test_the_gallery_shows_twelve_examples(reference):
    text = (reference / "gallery/index.md").read_text()
    assert text.count("```python") == len(SNIPPETS) == 12


@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.stem)
def test_an_example_of_the_gallery_makes_a_chart(path):
    code = path.read_text()
    code = re.sub(r"trials=\d+", "trials=1", code)  # what it shows is not asked here
    names = {"__name__": "example"}
    exec(compile(code, path.name, "exec", dont_inherit=True), names)
    assert names["chart"].to_dict()["datasets"]
