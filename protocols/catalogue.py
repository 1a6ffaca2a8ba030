"""The implementations of a kind: a folder whose file names are their names, and what others bring.

Nothing of ours is registered: adding a file adds the thing. A module is imported when it is asked for.
What comes from outside, a class or an object, is a guest: it has a name like ours, and never one of ours.
"""

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from protocols.parameters import chosen, did_you_mean, parameters, values
from protocols.spec import Spec

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

Choice: TypeAlias = str | Mapping[str, Any] | Spec | T
"""A thing, or its spec."""

CATALOGUES: dict[str, "Catalogue[Any]"] = {}
"""Every catalogue whose contract has been imported, by its folder."""


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
    group
        The group of entry points by which installed packages add theirs.
    """

    def __init__(self, package: str, kind: type[T], noun: str, group: str | None = None) -> None:
        self._package = package
        self.kind = kind
        self.noun = noun
        self._group = group
        self._guests: dict[str, type[T] | T] = {}
        CATALOGUES[package] = self

    def _names(self) -> list[str]:
        return names_in(self._package)

    def _installed(self) -> "dict[str, EntryPoint]":
        """What installed packages add, not imported yet; a `ValueError` for one that has a name of ours."""
        from importlib.metadata import entry_points

        found = {} if self._group is None else {each.name: each for each in entry_points(group=self._group)}
        for name in found.keys() & set(self._names()):
            raise ValueError(f"the entry point {found[name].value} has the name of our {self.noun} {name!r}")
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._names(), *self._installed(), *self._guests]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __getitem__(self, name: str) -> type[T]:
        """The class called `name`; a `ValueError` that lists the known names otherwise."""
        if name not in self._names():
            guest = self._guest(name)
            if guest is not None:
                return guest if isinstance(guest, type) else type(guest)
            raise ValueError(
                f"unknown {self.noun} {name!r}; known: {', '.join(self)}{did_you_mean(name, self)}"
            )
        module = importlib.import_module(f"{self._package}.{name}")
        found = self.defined_in(vars(module))
        if len(found) != 1:
            raise TypeError(f"{module.__name__} must define one public {self.kind.__name__}, has {found}")
        return found[0]

    def _guest(self, name: str) -> type[T] | T | None:
        if name in self._guests or name in self._names():
            return self._guests.get(name)
        installed = self._installed()
        if name in installed:
            kind = installed[name].load()
            if not (inspect.isclass(kind) and issubclass(kind, self.kind)):
                raise ValueError(f"the entry point {installed[name].value} is no {self.noun}")
            self.add(kind, name)
        return self._guests.get(name)

    def defined_in(self, names: Mapping[str, Any]) -> list[type[T]]:
        """The public concrete classes of this kind that a module's names show, and that it defines."""
        return [
            value
            for key, value in names.items()
            if inspect.isclass(value)
            and issubclass(value, self.kind)
            and value.__module__ == names["__name__"]
            and not inspect.isabstract(value)
            and not key.startswith("_")
        ]

    def __contains__(self, name: object) -> bool:
        return name in self._guests or name in self._names() or name in self._installed()

    def name_of(self, thing: T) -> str:
        """The name under which `thing` or its class is found, or would be found if it were added."""
        for known in (thing, type(thing)):
            for name, guest in self._guests.items():
                if guest is known:
                    return name
        package, _, name = type(thing).__module__.rpartition(".")
        return name if package == self._package else snake(type(thing).__name__)

    def add(self, guest: type[T] | T, name: str | None = None) -> str:
        """Give a class or an object from outside a name here; its class name in snake case.

        Raises
        ------
        ValueError
            If the name is ours, or another guest's.
        """
        kind: type[Any] = guest if isinstance(guest, type) else type(guest)
        name = snake(kind.__name__) if name is None else name
        if name in self._names():
            raise ValueError(
                f"{kind.__module__}.{kind.__name__} would be the {self.noun} {name!r}, which is one of ours: "
                "give the class another name"
            )
        if self._guests.get(name, guest) is not guest:
            raise ValueError(f"two {self.noun}s from outside are called {name!r}: give one another name")
        self._guests[name] = guest
        return name

    def forget(self, guest: str) -> None:
        """Take a guest's name away; it stays what it is."""
        self._guests.pop(guest, None)

    def guests(self) -> dict[str, type[T] | T]:
        """What was added, by name."""
        return dict(self._guests)

    def build(self, choice: Choice[T], **given: Any) -> T:
        """The thing that was chosen: an object as it is, or what a spec names, with its parameters.

        Parameters
        ----------
        given
            Parameters that no spec chooses, see `protocols.parameters.elsewhere`.

        Raises
        ------
        ValueError
            If the name or a parameter is unknown, or a value cannot be.
        """
        if isinstance(choice, self.kind):
            return choice
        spec = self.spec(choice)
        guest = self._guest(spec.name)
        if guest is not None and not isinstance(guest, type):
            if spec.parameters:
                raise ValueError(f"{spec} is an object: its parameters are what they are")
            return guest
        kind = self[spec.name]
        return kind(**chosen(kind, str(spec), spec.parameters), **given)

    def spec(self, choice: Choice[T]) -> Spec:
        """The spec of a choice; an object is added to the guests, if its class is not known here.

        Raises
        ------
        ValueError
            If a spec is spelt wrongly, or another object was added under the name.
        """
        if isinstance(choice, Spec):
            return choice
        if not isinstance(choice, self.kind):
            if isinstance(choice, str | Mapping):
                return Spec.of(choice)
            wrong = f"{choice.__name__} is a class" if isinstance(choice, type) else f"got {choice!r}"
            raise ValueError(f"a {self.noun} is chosen by name or as an object: {wrong}")
        name = self.name_of(choice)
        if name not in self or self[name] is not type(choice):
            self.add(type(choice))
        spec = Spec(name, {} if self._guests.get(name) is choice else values(choice))
        if self._guests.get(name) is not choice and not self._is(spec, choice):
            # it has more to it than can be spelt: the object itself is the guest
            number = 1
            while f"{name}#{number}" in self._guests:
                number += 1
            spec = Spec(self.add(choice, f"{name}#{number}"))
        return spec

    def _is(self, spec: Spec, thing: T) -> bool:
        """Whether `spec` builds `thing` again: only then may it stand for it."""
        try:
            again = self.build(spec)
            return type(again) is type(thing) and repr(again) == repr(thing) and vars(again) == vars(thing)
        except (TypeError, ValueError):  # it needs more to be built, or has arrays, which are not compared
            return False

    def spelled(self, choice: Choice[T]) -> str:
        """The one spelling of a choice, checked: what is left to its default is not said."""
        spec = self.spec(choice)
        thing = self.build(spec)
        return str(spec if self._guests.get(spec.name) is thing else Spec(spec.name, values(thing)))

    def parameters(self, name: str) -> dict[str, Any]:
        """What a spec of this name can choose: types by name."""
        return parameters(self[name])


def names_in(package: str) -> list[str]:
    """The public modules of a package, sorted; none of them is imported."""
    return sorted(found.name for found in pkgutil.iter_modules(_paths(package)) if found.name[0] != "_")


def summary(package: str, name: str) -> str:
    """The first line that a module in a package says of itself; it is not imported for that."""
    path = Path(_paths(package)[0]) / name
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = path.read_text(encoding="utf-8")
    end = text.find('"""', 3)
    # the docstring alone: parsing whole folders would take most of the time of `securenb list`
    said = ast.get_docstring(ast.parse(text[: end + 3] if text.startswith('"""') else text))
    return (said or "").partition("\n")[0]


def _paths(package: str) -> list[str]:
    found = find_spec(package)
    assert found is not None
    assert found.submodule_search_locations is not None
    return list(found.submodule_search_locations)


def snake(name: str) -> str:
    """The name of a class as names are written here.

    Examples
    --------
    >>> snake("MyRule"), snake("NNMKrum2")
    ('my_rule', 'nnm_krum2')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
