"""Front doors: a package that shows names of its inner modules, and imports each when it is asked for."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def front(package: str, names: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package (PEP 562).

    Parameters
    ----------
    names
        The module of each name; ``"module:other"`` where it has another name there.
    """

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, inside = names[name].partition(":")
        found = getattr(import_module(module), inside or name)
        setattr(sys.modules[package], name, found)
        return found

    return get, lambda: sorted(names)


def answering(package: str, function: str) -> None:
    """Let a package be called like a function of the same name that is in it, ``"module:function"``.

    So that `securenb.certify(…)` is what a user writes, and `securenb.certify.gaussian` a module.
    """
    module, _, name = function.partition(":")

    class Answering(ModuleType):
        def __call__(self, *arguments: Any, **choices: Any) -> Any:
            return getattr(import_module(module), name)(*arguments, **choices)

    sys.modules[package].__class__ = Answering
