"""Writes the reference: what is public, which is what the three packages name in `__all__`.

`python docs/generate_reference.py FOLDER` before Sphinx runs; the pages follow from the code, so they are
not kept in it.
"""

import inspect
import shutil
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

from protocols.catalogue import Catalogue

PACKAGES = {
    "securenb": "Schemas, rounds, models, privacy, experiments",
    "attacks": "Poisons, deviations, inferences, and the audit",
    "protocols": "Secure sums of integer vectors",
}
CALLED = {
    "securenb.certify": "securenb.certify.certificate.certify",
    "attacks.audit": "attacks.audit.front.audit",
}
"""Packages that can be called, and the function that answers."""


def entry(package: str, name: str) -> Iterator[str]:
    """The lines of one public name."""
    found = getattr(import_module(package), name)
    public = f"{package}.{name}"
    yield f"## `{name}`"
    yield ""
    if isinstance(found, Catalogue):
        yield f"A catalogue: the class of each {found.noun} by its name."
        yield ", ".join(f"`{each}`" for each in found) + "."
        yield ""
        return
    if isinstance(found, str):
        yield "A string."
        yield ""
        return
    if isinstance(found, ModuleType):
        directive, public = "autofunction", CALLED[public]
    else:
        directive = "autoclass" if inspect.isclass(found) else "autofunction"
    yield from ("```{eval-rst}", f".. {directive}:: {public}", "```", "")


def main(folder: Path) -> None:
    """Write one page a package, and their index."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    toc = ["# Reference", "", "The public names, from the docstrings of the code; all else may change.", ""]
    toc += ["```{toctree}", ":maxdepth: 2", *PACKAGES, "```", ""]
    for package, title in PACKAGES.items():
        lines = [f"# `{package}`", "", f"{title}.", ""]
        for name in sorted(import_module(package).__all__, key=str.lower):
            lines += entry(package, name)
        (folder / f"{package}.md").write_text("\n".join(lines), encoding="utf-8")
    (folder / "index.md").write_text("\n".join(toc), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
