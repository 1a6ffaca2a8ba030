"""Writes the reference: a page for each folder of modules, a part for each public module.

`python docs/generate_reference.py FOLDER` before Sphinx runs; the pages follow from the tree, so they are
not kept in it.
"""

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {
    "protocols": "Secure sums of integer vectors",
    "securenb": "Statistics, privacy, rules, experiments",
    "attacks": "Poisons, deviations, inferences",
}


def modules(package: str) -> list[str]:
    """Dotted names of the public modules of a package, sorted."""
    found = []
    for path in (ROOT / package).rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if not any(part.startswith("_") for part in parts):
            found.append(".".join(parts))
    return sorted(found)


def pages(package: str) -> dict[str, list[str]]:
    """Public modules by the folder that they are in."""
    found: dict[str, list[str]] = {package: []}
    for name in modules(package):
        found.setdefault(name.rpartition(".")[0], []).append(name)
    return found


def main(folder: Path) -> None:
    """Write one page a folder of modules, and their index."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    toc = ["# Reference", "", "From the docstrings of the code; a page for each folder of modules.", ""]
    for package, title in PACKAGES.items():
        found = pages(package)
        toc += [f"## {title}", "", "```{toctree}", ":maxdepth: 1", *found, "```", ""]
        for page, names in found.items():
            lines = [f"# `{page}`", ""]
            for name in names:
                lines += [f"## `{name}`", "", "```{eval-rst}", f".. automodule:: {name}", "```", ""]
            (folder / f"{page}.md").write_text("\n".join(lines), encoding="utf-8")
    (folder / "index.md").write_text("\n".join(toc), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
