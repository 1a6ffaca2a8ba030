"""Every variant that docs/reproduction.md points to runs as it stands there."""

import re
import shlex
from pathlib import Path

import pytest

from securenb.cli.main import main

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reproduction.md"
VARIANTS = PAGE.read_text(encoding="utf-8").partition("\n## Variants\n")[2]
PYTHON = re.findall(r"```python\n(.*?)```", VARIANTS, re.S)
COMMANDS = re.findall(r"^securenb (.*)$", VARIANTS, re.M)


def test_there_is_a_line_for_each_variant():
    assert len(PYTHON) + len(COMMANDS) == 7


@pytest.mark.parametrize("code", PYTHON)
def test_a_variant_in_python_runs(code, capsys):
    exec(compile(code, str(PAGE), "exec"), {})
    assert 0 < float(capsys.readouterr().out.split()[0]) <= 1


@pytest.mark.parametrize("command", COMMANDS)
def test_a_variant_on_the_command_line_runs(command, capsys):
    assert main(shlex.split(command)) == 0
    assert "balanced accuracy" in capsys.readouterr().out
