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


ROOMS = (
    {"schema"},
    {"bayes", "data", "privacy"},
    {"certify", "robust"},
    {"federation", "checks"},
    {"experiments"},
    {"report", "estimators"},
    {"deploy", "paper"},
    {"cli"},
)
"""The rooms of `securenb/`, lower first: a room imports from rooms below it, and nothing beside or above."""

FOYER = {"randomness", "_html", "__init__", "__main__"}
"""Files that stand in no room: what every room may use, and the way in."""


def room(module: str) -> str | None:
    """The room of a module of securenb, `None` for what stands in none."""
    name = module.split(".")[1] if "." in module else "__init__"
    return None if name in FOYER else name


def floor(name: str) -> int:
    return next(at for at, names in enumerate(ROOMS) if name in names)


def test_every_room_has_its_place():
    folders = {path.name for path in (ROOT / "securenb").iterdir() if (path / "__init__.py").exists()}
    assert folders == set().union(*ROOMS)
    assert {path.stem for path in (ROOT / "securenb").glob("*.py")} == FOYER


@pytest.mark.parametrize("path", files("securenb"), ids=ids)
def test_rooms_import_from_rooms_below_them(path):
    own = room(".".join(path.relative_to(ROOT).with_suffix("").parts))
    others = {room(name) for name in imports(path) if name.split(".")[0] == "securenb"} - {own, None}
    if own is None:
        assert path.stem in {"__main__", "__init__"} or not others, path  # the way in shows every room
        return
    assert not {other for other in others if floor(other) >= floor(own)}


@pytest.mark.parametrize("path", [*files("protocols"), *files("securenb"), *files("attacks")], ids=ids)
def test_the_front_doors_are_for_users(path):
    if path.parent != ROOT / "securenb":
        assert not imports(path) & {"securenb", "protocols", "attacks"}


@pytest.mark.parametrize("path", files("attacks"), ids=ids)
def test_attacks_use_no_private_module_of_a_scheme(path):
    assert not {name for name in imports(path) if name.startswith("protocols.schemes._")}


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
