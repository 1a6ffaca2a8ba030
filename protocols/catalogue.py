"""The implementations of a kind: a folder whose file names are their names.

Nothing is registered: adding a file adds the thing. A module is imported when it is asked for.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

T = TypeVar("T")


class Catalogue(Mapping[str, type[T]], Generic[T]):
    """Names to classes; the class is the one public concrete subclass of `kind` defined in the file.

    Parameters
    ----------
    package
        Dotted name of the folder, for example ``"protocols.schemes"``.
    kind
        The contract that every implementation fulfils.
    noun
        What to call one in an error, for example ``"protocol"``.
    """

    def __init__(self, package: str, kind: type[T], noun: str) -> None:
        self._package = package
        self._kind = kind
        self.noun = noun

    def _names(self) -> list[str]:
        folder = importlib.import_module(self._package)
        return sorted(
            module.name for module in pkgutil.iter_modules(folder.__path__) if not module.name.startswith("_")
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __getitem__(self, name: str) -> type[T]:
        """The class called `name`; a `ValueError` that lists the known names otherwise."""
        if name not in self._names():
            raise ValueError(f"unknown {self.noun} {name!r}; known: {', '.join(self)}")
        module = importlib.import_module(f"{self._package}.{name}")
        found = [
            value
            for key, value in vars(module).items()
            if inspect.isclass(value)
            and issubclass(value, self._kind)
            and value.__module__ == module.__name__
            and not inspect.isabstract(value)
            and not key.startswith("_")
        ]
        if len(found) != 1:
            raise TypeError(f"{module.__name__} must define one public {self._kind.__name__}, has {found}")
        return found[0]

    def __contains__(self, name: object) -> bool:
        return name in self._names()

    def name_of(self, thing: T) -> str:
        """The name under which the class of `thing` is found."""
        return type(thing).__module__.rpartition(".")[2]
