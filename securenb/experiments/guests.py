"""What came from outside in one process, brought to another: worker processes know the same names."""

import importlib.util
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cloudpickle

from protocols.catalogue import CATALOGUES
from protocols.plugins import Plugin, plugins


@dataclass(frozen=True)
class Guests:
    """Plug-in files, and classes and objects that were given in Python.

    Attributes
    ----------
    files
        In the order in which they were loaded.
    objects
        The others, pickled: they may be made of what is in the files.
    """

    files: tuple[Plugin, ...]
    objects: bytes

    @classmethod
    def here(cls) -> "Guests":
        """All of this process."""
        files = tuple(plugins())
        modules = {file.module for file in files}
        others: dict[str, dict[str, Any]] = {}
        for package, catalogue in CATALOGUES.items():
            for name, guest in catalogue.guests().items():
                module = (guest if isinstance(guest, type) else type(guest)).__module__
                if not (isinstance(guest, type) and module in modules):
                    others.setdefault(package, {})[name] = guest
                    _by_value(module, modules)
        return cls(files, cloudpickle.dumps(others) if others else b"")

    def arrive(self) -> None:
        """Be known in this process; a second time changes nothing."""
        if self.files or self.objects:
            _arrived(self)

    @property
    def digests(self) -> dict[str, str]:
        """SHA-256 of each file, by its path: what a manifest keeps."""
        return {str(file.path): file.digest for file in self.files}


def _by_value(module: str, plugin_modules: set[str]) -> None:
    """Send the code itself of a module that another process could not import."""
    if module in plugin_modules or module == "__main__" or module not in sys.modules:
        return
    try:
        importable = importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        importable = False
    if not importable:
        cloudpickle.register_pickle_by_value(sys.modules[module])


@lru_cache(maxsize=8)
def _arrived(guests: Guests) -> None:
    for file in guests.files:
        file.load()
    if guests.objects:
        for package, named in cloudpickle.loads(guests.objects).items():
            catalogue = CATALOGUES[package]
            for name, guest in named.items():
                if name not in catalogue.guests():
                    catalogue.add(guest, name)
