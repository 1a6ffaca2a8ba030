"""No module imports upwards, protocol code does no I/O and draws nothing, and sentences name who acts."""

import ast
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FORBIDDEN_IN_PROTOCOL_CODE = {"asyncio", "random", "secrets", "socket", "threading", "time"}


@cache
def imports(path: Path) -> frozenset[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(node.module or "")
    return frozenset(found)


def roots(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imports(path)}


@cache
def files(folder: str) -> tuple[Path, ...]:
    found = sorted((ROOT / folder).rglob("*.py"))
    assert found, folder
    return tuple(found)


ALL = ("protocols", "securenb", "attacks")


def offenders(folders: Iterable[str], found: Callable[[Path], Any]) -> dict[str, Any]:
    """What was found in which file, where anything was."""
    paths = [path for folder in folders for path in files(folder)]
    return {str(path.relative_to(ROOT)): what for path in paths if (what := found(path))}


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


def test_rooms_import_from_rooms_below_them():
    def upwards(path: Path) -> set[str]:
        own = room(".".join(path.relative_to(ROOT).with_suffix("").parts))
        others = {room(name) for name in imports(path) if name.split(".")[0] == "securenb"} - {own, None}
        if own is None:  # the way in shows every room
            return set() if path.stem in {"__main__", "__init__"} else others
        return {other for other in others if floor(other) >= floor(own)}

    assert not offenders(["securenb"], upwards)


def test_the_front_doors_are_for_users():
    inside = offenders(ALL, lambda path: imports(path) & set(ALL))
    assert {path for path in inside if Path(path).parent != Path("securenb")} == set()


def test_attacks_use_no_private_module_of_a_scheme():
    assert not offenders(
        ["attacks"], lambda path: {name for name in imports(path) if name.startswith("protocols.schemes._")}
    )


def test_protocols_import_nothing_above_them():
    assert not offenders(
        ["protocols"], lambda path: roots(path) & {"securenb", "attacks", "pandas", "sklearn"}
    )


def test_securenb_does_not_know_attacks_except_at_the_command_line():
    assert not offenders(["securenb"], lambda path: "cli" not in path.parts and "attacks" in roots(path))


def test_schemes_and_primitives_do_no_io_and_draw_nothing_themselves():
    inside = ["protocols/schemes", "protocols/primitives"]
    assert not offenders(inside, lambda path: roots(path) & FORBIDDEN_IN_PROTOCOL_CODE)
    assert not offenders(
        inside, lambda path: {name for name in imports(path) if name.startswith("protocols.engines")}
    )
    assert not offenders(inside, lambda path: "np.random" in path.read_text())


def test_files_stay_readable():
    """At most 300 lines: in a longer file a second noun hides."""
    assert not offenders(ALL, lambda path: max(0, len(path.read_text().splitlines()) - 300))


UNNAMED = re.compile(r"\b((some|no|any|every)body|who(m)?ever)\b", re.IGNORECASE)
"""Pronouns for unnamed persons: a reader must not guess which party acts (docs/glossary.md)."""

WRITTEN = {".py", ".md", ".toml", ".ipynb", ".html", ".js", ".j2"}
BUILT = {"_build", "reference", "__pycache__"}


def test_sentences_name_the_party_that_acts():
    folders = [ROOT / folder for folder in (*ALL, "benchmarks", "docs")]
    paths = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "run.py")]
    paths += [path for folder in folders for path in folder.rglob("*") if path.suffix in WRITTEN]
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in paths
        if not BUILT & set(path.parts)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if UNNAMED.search(line)
    ]
    assert not found, "\n".join(found)
