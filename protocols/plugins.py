"""Files of other people's methods: every public class in one that fulfils a contract gets a name here.

A plug-in file is Python code that runs with all rights of the process that loads it: load only what you
would run.
"""

import hashlib
import inspect
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from protocols.catalogue import CATALOGUES, Catalogue


@dataclass(frozen=True)
class Plugin:
    """A file of methods, with its content, so that it can be loaded again where the file is not.

    Attributes
    ----------
    path
        Where it was read.
    source
        What was read.
    """

    path: Path
    source: bytes = field(repr=False)

    @property
    def digest(self) -> str:
        """SHA-256 of the content, in hexadecimal."""
        return hashlib.sha256(self.source).hexdigest()

    @property
    def module(self) -> str:
        """The name of the module it becomes, the same in every process."""
        return f"securenb_plugin_{self.path.stem}_{self.digest[:12]}"

    def load(self) -> dict[str, list[str]]:
        """Run the file, and name what is in it: names by what they are, as ``{"rule": ["my_rule"]}``.

        Loaded again it changes nothing; after an edit, the new classes take the place of the old ones.

        Raises
        ------
        ValueError
            If the file cannot be run, has no method in it, or one of a name that is taken.
        """
        known = _LOADED.get(self.path)
        if known != self:
            if known is not None:
                known.forget()
            self._run()
            _LOADED[self.path] = self
        return {
            catalogue.noun: names for catalogue in CATALOGUES.values() if (names := self._names(catalogue))
        }

    def _names(self, catalogue: Catalogue[Any]) -> list[str]:
        return [name for name, kind in catalogue.guests().items() if _module(kind) == self.module]

    def forget(self) -> None:
        """Take the names of what is in the file away again."""
        for catalogue in CATALOGUES.values():
            for name in self._names(catalogue):
                catalogue.forget(name)
        sys.modules.pop(self.module, None)

    def _run(self) -> None:
        module = ModuleType(self.module)
        module.__file__ = str(self.path)
        sys.modules[self.module] = module
        try:
            exec(compile(self.source, str(self.path), "exec"), vars(module))  # noqa: S102 - what a plug-in is
            found = [
                (catalogue, kind)
                for catalogue in tuple(CATALOGUES.values())
                for kind in catalogue.defined_in(vars(module))
            ]
            _check_complete(self.path, module)
            if not found:
                kinds = ", ".join(catalogue.kind.__name__ for catalogue in CATALOGUES.values())
                raise ValueError(f"{self.path} has no public class that is one of {kinds}")  # noqa: TRY301
            for catalogue, kind in found:
                catalogue.add(kind)
        except Exception as error:
            self.forget()
            if isinstance(error, ValueError):
                raise
            raise ValueError(f"{self.path} cannot be loaded: {type(error).__name__}: {error}") from error


_LOADED: dict[Path, Plugin] = {}


def load_plugin(path: Path | str) -> dict[str, list[str]]:
    """Load a file of methods, see `Plugin.load`; a `ValueError` if there is no such file."""
    path = Path(path).absolute()
    try:
        source = path.read_bytes()
    except OSError as error:
        raise ValueError(f"the plug-in {path} cannot be read: {error.strerror}") from None
    return Plugin(path, source).load()


def plugins() -> Sequence[Plugin]:
    """The files loaded in this process, in their order."""
    return tuple(_LOADED.values())


def _module(guest: Any) -> str:
    kind: type = guest if isinstance(guest, type) else type(guest)
    return kind.__module__


def _check_complete(path: Path, module: ModuleType) -> None:
    """Raise `ValueError` for a public class that would be a method if it had all that its contract asks."""
    classes = [value for value in vars(module).values() if inspect.isclass(value)]
    for name, kind in vars(module).items():
        if name.startswith("_") or not inspect.isclass(kind) or kind.__module__ != module.__name__:
            continue
        built_upon = any(issubclass(other, kind) for other in classes if other is not kind)
        contracts = [each for each in CATALOGUES.values() if issubclass(kind, each.kind)]
        if contracts and inspect.isabstract(kind) and not built_upon:
            missing = ", ".join(sorted(getattr(kind, "__abstractmethods__", ())))
            raise ValueError(f"{path}: {name} is no {contracts[0].noun} yet: it lacks {missing}")
