"""What the README and the documentation show, runs: Python as it stands, commands marked `sh`."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from securenb.cli.main import build, main

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs").glob("how-to/*.md")),
]
BLOCK = re.compile(r"^```(python|sh|toml)\n(.*?)^```", re.S | re.M)
FILE = re.compile(r"# ([\w-]+\.(py|toml))\n")
"""The first line of a block that is a file, to be written where the commands are run."""
SHOWN = {page: BLOCK.findall(page.read_text(encoding="utf-8")) for page in PAGES}
ILLUSTRATIONS = {"design.md"}
"""Pages whose snippets show signatures, not programs."""


def pages(language):
    return [
        pytest.param(page, id=str(page.relative_to(ROOT)))
        for page, blocks in SHOWN.items()
        if page.name not in ILLUSTRATIONS and any(kind == language for kind, _ in blocks)
    ]


def write_files(page):
    for _, code in SHOWN[page]:
        if named := FILE.match(code):
            Path(named[1]).write_text(code, encoding="utf-8")


@pytest.mark.parametrize("page", pages("python"))
def test_the_python_on_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "example"}
    write_files(page)
    for kind, code in SHOWN[page]:
        if kind == "python" and not FILE.match(code):
            exec(compile(code, page.name, "exec", dont_inherit=True), names)


@pytest.mark.slow
@pytest.mark.parametrize("page", pages("sh"))
def test_the_commands_on_a_page_run_in_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(page)
    for kind, code in SHOWN[page]:
        for line in code.replace("\\\n", " ").splitlines() if kind == "sh" else []:
            words = shlex.split(line)
            assert words[0] == "securenb", line
            assert main(words[1:]) == 0, line


ALL_PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.S | re.M)
COMMANDS = [
    pytest.param(line, id=line[:60])
    for page in ALL_PAGES
    if "_build" not in page.parts
    for block in FENCE.findall(page.read_text(encoding="utf-8"))
    for line in block.replace("\\\n", " ").splitlines()
    if line.startswith("securenb ") and not re.search("…|[{(]", line)
]
"""What readers are told to type, wherever it stands."""


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_on_a_page_has_only_options_that_exist(line):
    command, words = typer.main.get_command(build()), shlex.split(line, comments=True)[1:]
    while hasattr(command, "commands"):
        assert words[0] in command.commands, line
        command = command.commands[words.pop(0)]
    if words[-2:-1] == [">"]:
        words = words[:-2]
    if "&" in words:  # in the background, and what comes after that
        words = words[: words.index("&")]
    command.make_context("securenb", words)


def test_there_are_examples_to_run():
    assert len(COMMANDS) >= 20
    assert len(pages("python")) >= 5
    assert pages("sh")


def test_each_of_the_ten_tasks_takes_at_most_eight_lines():
    text = (ROOT / "docs/how-to/ten-tasks.md").read_text(encoding="utf-8")
    tasks = re.split(r"^## ", text, flags=re.M)[1:]
    assert len(tasks) == 10
    for task in tasks:
        lines = [line for _, code in BLOCK.findall(task) for line in code.splitlines() if line.strip()]
        assert 0 < len(lines) <= 8, task


def test_the_landing_page_shows_what_its_lines_print(capsys):
    text = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    code, shown = re.search(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", text, re.S | re.M).groups()
    assert len(code.splitlines()) <= 11
    exec(compile(code, "index", "exec", dont_inherit=True), {"__name__": "example"})
    assert capsys.readouterr().out == shown
