"""Pages of the public names: what the three packages name in `__all__`, from the docstrings."""

import inspect
from collections.abc import Iterator
from importlib import import_module
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


def pages() -> Iterator[tuple[str, str]]:
    """The name and the text of one page a package."""
    for package, title in PACKAGES.items():
        lines = [f"# `{package}`", "", f"{title}.", ""]
        for name in sorted(import_module(package).__all__, key=str.lower):
            lines += entry(package, name)
        yield package, "\n".join(lines)
