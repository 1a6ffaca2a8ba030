"""Looking for worse attacks before `securenb attack` measures them, and taking what a search kept."""

from json import dumps as json_text
from pathlib import Path

from attacks.poison import POISONS
from attacks.sweeps.poisoning_grid import AttackGrid
from attacks.sweeps.searching import DEALS, checked_settings, search_grid
from attacks.toolkit.kept import Kept, kept_in
from securenb.cli import console


def search(grid: AttackGrid, seconds: float, out: Path, *, again: bool, quiet: bool) -> Path:
    """The file of what was found, beside the folder of results; kept from an interrupted run."""
    path = out.with_name(f"{out.name}.found.json")
    if path.exists() and not again:
        kept_in(str(path))
        if not quiet:
            console.say(f"attacks found before are taken from {path}; remove it to search again")
        return path
    count = len(checked_settings(grid, seconds))
    if not quiet:
        console.say(
            f"searching for {seconds:g} s in {count} settings and rules, on {DEALS} deals of their own"
        )

    def told(kept: Kept) -> None:
        if quiet:
            return
        console.say(
            f"{kept.rule}, {kept.malicious} malicious: {kept.score:.3f} after {kept.evaluations} tries, "
            f"from {kept.began}"
        )

    search_grid(grid, seconds, path, told)
    return path


def with_found(grid: AttackGrid, path: Path) -> AttackGrid:
    """The sweep with what was found among its attacks, within the invariants where they are checked."""
    kept_in(str(path))
    wanted = {":inside" if inputs == "verified" else "" for inputs in grid.inputs}
    specs = [f"found(path={json_text(str(path))}){variant}" for variant in sorted(wanted)]
    attacks = [*grid.attacks, *(spec for spec in map(POISONS.spelled, specs) if spec not in grid.attacks)]
    return grid.model_copy(update={"attacks": attacks})
