"""Searches for worse attacks in every setting of a sweep, on deals that it does not measure."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from attacks.search import searched
from attacks.sweeps.arena import arena_of, judged_on, own_of
from attacks.sweeps.poisoning import Setting, known_in
from attacks.sweeps.poisoning_grid import AttackGrid
from attacks.toolkit.kept import Kept, keep
from protocols.canonical import digest
from securenb.robust.spec import choose_rule

DEALS = 3
"""Deals that every candidate is judged on."""
FEWEST_SECONDS = 1.0
"""The least that a search gets."""

SAME = ("attack", "trial", "rules")
"""What settings to be searched do not differ in."""


def settings(grid: AttackGrid) -> list[tuple[dict[str, Any], str]]:
    """Each setting of the sweep with malicious nodes, as a cell, and each rule in it."""
    found: dict[str, tuple[dict[str, Any], str]] = {}
    for cell in grid.cells():
        if not cell["malicious"]:
            continue
        for rule in cell["rules"]:
            same = {name: value for name, value in cell.items() if name not in SAME}
            found.setdefault(str((same, rule)), (cell, rule))
    return list(found.values())


def search_grid(
    grid: AttackGrid, seconds: float, path: Path, told: Callable[[Kept], None] = lambda _: None
) -> list[Kept]:
    """Search so long in all, the same time in every setting, and keep what was found in a file.

    Raises
    ------
    ValueError
        If there are several schemas, no malicious nodes, or too little time for each setting.
    """
    every = checked_settings(grid, seconds)
    each = seconds / len(every)
    schemas = set()
    for cell, _ in every:
        choices = (cell["dataset"], cell["numeric"], cell["test_records"], cell["seed"], own_of(cell))
        schemas.add(judged_on(*choices)[0].schema.digest)
    if len(schemas) > 1:
        raise ValueError(
            "--search-seconds keeps attacks on one schema in a file: give one data set, one way of numbers"
        )
    found = []
    for kept in _searches(grid, every, each):
        found.append(kept)
        told(kept)
    keep(path, next(iter(schemas)), found)
    return found


def checked_settings(grid: AttackGrid, seconds: float) -> list[tuple[dict[str, Any], str]]:
    """`settings`; a `ValueError` if there are none, or no time to search in each."""
    every = settings(grid)
    if not every:
        raise ValueError(
            "--search-seconds has no malicious node to search for: give --malicious shares above 0"
        )
    if not FEWEST_SECONDS * len(every) <= seconds < math.inf:
        raise ValueError(
            f"--search-seconds {seconds:g} for {len(every)} settings and rules: give at least "
            f"{FEWEST_SECONDS * len(every):g}, a finite number, or fewer settings"
        )
    return every


def _searches(grid: AttackGrid, every: list[tuple[dict[str, Any], str]], seconds: float) -> Iterator[Kept]:
    for cell, name in every:
        knowledge = []
        for deal in range(DEALS):
            own = cell | {"trial": grid.trials + deal}
            setting = Setting.of(arena_of(own), own)
            rule = choose_rule(name, reference=setting.arena.reference)
            nodes = len(setting.arena.nodes)
            size = min(setting.federation.group_size or nodes, nodes)
            most = max(rule.tolerance(len(setting.groups)), 0)
            told = replace(rule, malicious=min(cell["malicious"], most))
            knowledge.append(known_in(setting, size, cell["malicious"], told))
        same = [cell[key] for key in sorted(cell) if key not in SAME]
        seed = int.from_bytes(digest("securenb search", str(same), name)[:4], "big") ^ grid.seed
        yield searched(knowledge, inside=cell["inputs"] == "verified", seed=seed, seconds=seconds)
