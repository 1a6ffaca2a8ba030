"""Runs a release, in the interpreter that the release needs.

Loaded by path in that interpreter, so it imports nothing but the standard library, and numpy where there is
one. Kept to the syntax of Python 3.8.
"""

from __future__ import annotations

import array
import copy
import hashlib
import importlib
import inspect
import json
import math
import os
import random
import time
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

try:
    import numpy as np
except ImportError:  # then releases draw from `random.Random`
    np = None  # type: ignore[assignment]

LARGEST = 100_000
"""Numbers that one run may return."""


class Subject:
    """A release, and the pairs of neighbouring inputs that it is tried on.

    Parameters
    ----------
    release
        `release(data, rng)`, or `release(data)` if it finds its own randomness.
    pairs
        Pairs of inputs, or triples with a name.
    """

    def __init__(self, release: Any, pairs: Any) -> None:
        self.release = release
        self.pairs = []
        for index, pair in enumerate(pairs):
            if len(pair) not in (2, 3):
                raise ValueError(
                    f"pairs() gives (data, neighbour) or (data, neighbour, name), got {len(pair)} parts"
                )
            name = pair[2] if len(pair) == 3 else f"pair {index}"
            self.pairs.append((pair[0], pair[1], str(name)))
        if not self.pairs:
            raise ValueError("there is no pair of neighbouring inputs to try")
        self.takes_rng = takes_rng(release)
        self._generators: dict[Any, Any] = {}

    def names(self) -> Any:
        """The names of the pairs, and whether noise can be recorded."""
        return {"pairs": [name for _, _, name in self.pairs], "numpy": np is not None}

    def run(self, pair: int, side: int, count: int, seed: int, seconds: float) -> Any:
        """Run up to `count` times, for up to `seconds`; what came out, run after run."""
        data = self.pairs[pair][side]
        rng = self._generator(pair, side, seed)
        kinds, outcomes, lengths, values = [], array.array("d"), array.array("d"), array.array("d")
        said = ""
        until = time.monotonic() + seconds
        for done in range(count):
            if done and time.monotonic() > until:
                break
            before = len(values)
            try:
                given = self._once(copy.deepcopy(data), rng)
                kind = "returns"
            except Unreadable:
                raise
            except Exception as error:
                kind, given = f"raises {type(error).__name__}", None
                said = said or " ".join(str(error).split())[:200]
            if kind == "returns":
                numbers(given, values)
            if kind not in kinds:
                kinds.append(kind)
            outcomes.append(kinds.index(kind))
            lengths.append(len(values) - before)
        return {"kinds": kinds, "outcomes": outcomes, "lengths": lengths, "values": values, "said": said}

    def tape(self, pair: int, side: int, answers: Any) -> Any:
        """Run once with recorded requests for noise, answered from `answers`, then with zeros."""
        recorder = beside("recorder").Recorder(answers)
        data = copy.deepcopy(self.pairs[pair][side])
        values = array.array("d")
        try:
            if self.takes_rng:
                given = self.release(data, recorder)
            else:
                with beside("recorder").patched(recorder):
                    given = self.release(data)
            numbers(given, values)
            outcome = "returns"
        except Exception as error:
            outcome = f"raises {type(error).__name__}"
        return {"outcome": outcome, "values": values, "calls": recorder.calls, "others": recorder.others}

    def _once(self, data: Any, rng: Any) -> Any:
        return self.release(data, rng) if self.takes_rng else self.release(data)

    def _generator(self, pair: int, side: int, seed: int) -> Any:
        # one stream a side, gone on with, so that batches are fresh
        if (pair, side, seed) not in self._generators:
            if np is not None:
                rng = np.random.default_rng([seed, pair, side])
            else:
                rng = random.Random(f"{seed} {pair} {side}")  # noqa: S311
            self._generators[pair, side, seed] = rng
        return self._generators[pair, side, seed]


def takes_rng(release: Any) -> Any:
    """Whether a release wants a generator as its second argument."""
    try:
        parameters = list(inspect.signature(release).parameters.values())
    except (TypeError, ValueError):
        return False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    wanted = [p for p in positional if p.default is p.empty]
    return len(wanted) >= 2 or any(p.name == "rng" for p in positional[1:2])


def numbers(value: Any, into: Any) -> None:
    """Everything in a returned value as numbers, in order; text becomes a number that stands for it."""
    if type(value) is float:
        into.append(value)
    elif isinstance(value, (bool, int)):
        try:
            into.append(float(value))
        except OverflowError:
            into.append(math.inf if value > 0 else -math.inf)
    elif isinstance(value, (str, bytes)):
        text = value if isinstance(value, bytes) else value.encode()
        into.append(float(int.from_bytes(hashlib.sha256(text).digest()[:6], "big")))
    elif value is None:
        into.append(math.nan)
    elif isinstance(value, dict):
        for key in sorted(value, key=repr):
            numbers(key, into)
            numbers(value[key], into)
    elif isinstance(value, (list, tuple)):
        for part in value:
            numbers(part, into)
    elif isinstance(value, (set, frozenset)):
        for part in sorted(value, key=repr):
            numbers(part, into)
    elif isinstance(value, complex):
        into.extend((value.real, value.imag))
    elif hasattr(value, "to_numpy"):
        numbers(value.to_numpy().tolist(), into)
    elif hasattr(value, "tolist"):
        if getattr(getattr(value, "dtype", None), "kind", "") in "fiub":
            into.extend(value.ravel().tolist())
        else:
            numbers(value.tolist(), into)
    elif hasattr(value, "__float__"):
        into.append(float(value))
    else:
        raise Unreadable(
            f"a run returned {type(value).__name__}; an audit reads numbers, text, and lists of them"
        )
    if len(into) > LARGEST and not isinstance(value, (float, int)):
        _too_long(value)


def _too_long(value: Any) -> None:
    try:
        length = len(value)
    except TypeError:
        return
    if length > LARGEST:
        raise Unreadable(f"a run returned {length} numbers; an audit reads up to {LARGEST}")


class Unreadable(Exception):
    """What was returned is nothing that can be read as numbers; a mistake, not an output."""


def open_function(
    spec: str, neighbours: str | None = None, data: Any = None, adjacency: str = "add-remove"
) -> Any:
    """The subject that names a function, and where its pairs come from."""
    return Subject(found(spec), beside("inputs").pairs_of(neighbours, data, adjacency, from_file))


def open_estimator(
    spec: str,
    arguments: str = "{}",
    neighbours: str | None = None,
    data: Any = None,
    adjacency: str = "add-remove",
) -> Any:
    """The subject that fits an estimator and releases what it learned."""
    kind = found(spec)
    options = json.loads(arguments)

    def release(pair: Any) -> Any:
        fitted = kind(**options).fit(*pair)
        learned = {
            name: value
            for name, value in vars(fitted).items()
            if name.endswith("_") and not name.startswith("_") and not callable(value)
        }
        if not learned:
            raise Unreadable(f"{kind.__name__} has no fitted attributes: names that end in _")
        return {name: value for name, value in learned.items() if readable(value)}

    chosen = (
        beside("inputs").pairs_of(neighbours, data, adjacency, from_file)
        if neighbours or data
        else beside("inputs").labelled(adjacency)
    )
    return Subject(release, chosen)


def readable(value: Any) -> bool:
    """Whether `numbers` can read a value."""
    try:
        numbers(value, array.array("d"))
    except (Unreadable, TypeError, ValueError):
        return False
    return True


def found(spec: str) -> Any:
    """What `module:name` or `file.py:name` names; modules are looked for in the current folder first."""
    where, _, name = spec.rpartition(":")
    if not where or not name:
        raise ValueError(f"say module:name or file.py:name, got {spec!r}")
    module = from_file(where) if where.endswith(".py") else importlib.import_module(where)
    try:
        for part in name.split("."):
            module = getattr(module, part)
    except AttributeError:
        raise ValueError(f"{where} has no {name!r}") from None
    if not callable(module):
        raise ValueError(f"{name!r} in {where} is not callable")  # noqa: TRY004 - a user's mistake
    return module


def from_file(path: str) -> Any:
    """The module in a file."""
    if not os.path.isfile(path):  # noqa: PTH113 - the far end stays small
        raise ValueError(f"there is no file {path}")
    spec = spec_from_file_location(os.path.basename(path)[:-3], path)  # noqa: PTH119
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is not a Python file")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def beside(name: str) -> Any:
    """A file beside this one: the far interpreter has no package of ours to import it from."""
    if name not in _BESIDE:
        _BESIDE[name] = from_file(os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py"))  # noqa: PTH100, PTH118, PTH120
    return _BESIDE[name]


_BESIDE: dict[str, Any] = {}
