"""What the README shows, runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SNIPPETS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)


def test_the_readme_has_an_example():
    assert SNIPPETS


@pytest.mark.parametrize("code", SNIPPETS)
def test_an_example_of_the_readme_runs(code, capsys):
    exec(compile(code, "README.md", "exec"), {})
    assert "replace-one" in capsys.readouterr().out
