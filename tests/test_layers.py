"""Nobody imports upwards, and protocol code never touches clocks, sockets or random generators."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FORBIDDEN_IN_PROTOCOL_CODE = {"asyncio", "random", "secrets", "socket", "threading", "time"}


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(node.module or "")
    return found


def roots(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imports(path)}


def files(folder: str) -> list[Path]:
    found = sorted((ROOT / folder).rglob("*.py"))
    assert found, folder
    return found


def ids(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", files("protocols"), ids=ids)
def test_protocols_import_nothing_above_them(path):
    assert not roots(path) & {"securenb", "attacks", "pandas", "sklearn"}


@pytest.mark.parametrize("path", files("securenb"), ids=ids)
def test_securenb_does_not_know_attacks_except_at_the_command_line(path):
    if "cli" not in path.parts:
        assert "attacks" not in roots(path)


@pytest.mark.parametrize("path", [*files("protocols/schemes"), *files("protocols/primitives")], ids=ids)
def test_schemes_and_primitives_do_no_io_and_draw_nothing_themselves(path):
    assert not roots(path) & FORBIDDEN_IN_PROTOCOL_CODE
    assert not any(name.startswith("protocols.engines") for name in imports(path))
    assert "np.random" not in path.read_text()


@pytest.mark.parametrize("path", [*files("protocols"), *files("securenb"), *files("attacks")], ids=ids)
def test_files_stay_readable(path):
    assert len(path.read_text().splitlines()) <= 300, "a second noun hides inside: split it"
