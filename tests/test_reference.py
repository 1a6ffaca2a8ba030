"""The pages that follow from the code: nothing that can be asked for is missing in them."""

import re
import runpy
import sys
from pathlib import Path

import pytest

from securenb.cli.main import main

GENERATE = Path(__file__).parent.parent / "docs/generate"


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    asked, sys.argv = sys.argv, ["generate", str(folder / "made")]
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
