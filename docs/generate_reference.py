"""Writes the reference: a page for each package, a part for each public module.

`python docs/generate_reference.py FOLDER` before Sphinx runs; the pages follow from the tree, so they are
not kept in it.
"""

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


def main(folder: Path) -> None:
    """Write one page a package, and their index."""
    folder.mkdir(parents=True, exist_ok=True)
    for package, title in PACKAGES.items():
        lines = [f"# `{package}`: {title[0].lower()}{title[1:]}", ""]
        for name in modules(package):
            lines += [f"## `{name}`", "", "```{eval-rst}", f".. automodule:: {name}", "```", ""]
        (folder / f"{package}.md").write_text("\n".join(lines), encoding="utf-8")
    toc = ["# Reference", "", "From the docstrings of the code.", "", "```{toctree}", *PACKAGES, "```", ""]
    (folder / "index.md").write_text("\n".join(toc), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
