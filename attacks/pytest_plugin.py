"""A plug-in of pytest: ``pytest --methods my_methods.py`` makes a test of each promise of each method in it.

It is there wherever the package is installed, and does nothing unless it is asked.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from protocols.contract import BrokenContract, Promise, said

Contract = tuple[Callable[[type[Any]], Any], Sequence[Promise[Any]]]
"""What makes a class the subject of promises, and the promises."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare ``--methods``."""
    parser.getgroup("securenb").addoption(
        "--methods",
        metavar="FILE",
        action="append",
        default=[],
        help="a plug-in file of securenb: a test for each promise of each contract that is fulfilled in it",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Collect the files of methods, beside what is named and instead of what is not."""
    files = _files(config)
    if files and config.args_source is not pytest.Config.ArgsSource.ARGS:
        config.args[:] = []
    config.args += [str(file) for file in files if str(file) not in config.args]


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A file of methods is collected as that, and any other as always."""
    if module_path in _files(parent.config):
        return MethodFile.from_parent(parent, path=module_path)
    return None


def _files(config: pytest.Config) -> list[Path]:
    return [config.invocation_params.dir.joinpath(file).resolve() for file in config.getoption("--methods")]


def contracts() -> Mapping[str, Contract]:
    """Contracts by what a method is called (`Catalogue.noun`)."""
    from attacks.checks import DEVIATION_PROMISES, INFERENCE_PROMISES, POISON_PROMISES
    from attacks.deviation import DEVIATIONS
    from attacks.inference import INFERENCES
    from attacks.poison import POISONS
    from protocols.checks import PROMISES as OF_PROTOCOLS
    from protocols.protocol import PROTOCOLS
    from securenb.checks import dataset, mechanism, rule
    from securenb.data.dataset import DATASETS
    from securenb.privacy.mechanism import MECHANISMS
    from securenb.robust.rule import RULES

    return {
        PROTOCOLS.noun: (lambda kind: kind.for_tests(), OF_PROTOCOLS),
        DATASETS.noun: (lambda kind: kind(), dataset.PROMISES),
        MECHANISMS.noun: (mechanism.of_kind, mechanism.PROMISES),
        RULES.noun: (rule.for_checks, rule.PROMISES),
        POISONS.noun: (lambda kind: kind(), POISON_PROMISES),
        DEVIATIONS.noun: (lambda kind: kind, DEVIATION_PROMISES),
        INFERENCES.noun: (lambda kind: kind(), INFERENCE_PROMISES),
    }


class MethodFile(pytest.File):
    """A file of methods."""

    def collect(self) -> Iterator[pytest.Collector]:
        """Each method that has a contract with checks.

        Raises
        ------
        pytest.Collector.CollectError
            If the file cannot be loaded, or nothing in it has a contract with checks.
        """
        from protocols.catalogue import CATALOGUES
        from protocols.plugins import load_plugin

        known = contracts()
        try:
            found = load_plugin(self.path)
        except ValueError as error:
            raise self.CollectError(str(error)) from None
        if not known.keys() & found.keys():
            raise self.CollectError(f"{self.path} has no {', no '.join(known)}: nothing to check")
        for catalogue in CATALOGUES.values():
            if catalogue.noun in known:
                for name in found.get(catalogue.noun, ()):
                    subject, promises = known[catalogue.noun]
                    yield Method.from_parent(
                        self, name=name, kind=catalogue[name], subject=subject, promises=promises
                    )


class Method(pytest.Collector):
    """A method: what its contract promises are its tests."""

    def __init__(
        self,
        *,
        kind: type[Any],
        subject: Callable[[type[Any]], Any],
        promises: Sequence[Promise[Any]],
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._kind, self._subject, self._promises = kind, subject, promises

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each promise."""
        for promise in self._promises:
            yield PromiseItem.from_parent(
                self, name=said(promise), check=lambda promise=promise: promise(self._subject(self._kind))
            )


class PromiseItem(pytest.Item):
    """One promise, tried on one method."""

    def __init__(self, *, check: Callable[[], None], **options: Any) -> None:
        super().__init__(**options)
        self._check = check

    def runtest(self) -> None:
        """Try it."""
        self._check()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The case in which it is broken, in one line; the traceback of any other failure."""
        if isinstance(excinfo.value, BrokenContract):
            return f"{self.name}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where it is from."""
        return self.path, None, f"{self.parent.name if self.parent else ''}: {self.name}"
