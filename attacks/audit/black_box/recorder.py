"""Records what a release asks of numpy's generators, and answers from a tape; loaded beside `driver`."""

from __future__ import annotations

from typing import Any

import numpy as np


class Recorder(np.random.Generator):
    """Writes down requests for Laplace and normal noise, and answers them from a tape.

    Other requests are answered by a generator that is the same in every run, and named.
    """

    def __init__(self, answers: Any) -> None:
        super().__init__(np.random.PCG64(20221))
        self._answers = list(answers)
        self._at = 0
        self.calls: list[Any] = []
        self.others: list[str] = []

    def _noise(self, law: Any, loc: Any, scale: Any, size: Any) -> Any:
        shape = np.broadcast(np.asarray(loc), np.asarray(scale)).shape if size is None else size
        scales = np.broadcast_to(np.asarray(scale, dtype=float), shape)
        taken = self._answers[self._at : self._at + scales.size]
        units = np.zeros(scales.size)
        units[: len(taken)] = taken
        self._at += scales.size
        self.calls.extend([law, float(each)] for each in scales.ravel())
        drawn = loc + scales * units.reshape(scales.shape)
        return drawn if scales.shape else float(drawn)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """See `numpy.random.Generator.laplace`."""
        return self._noise("laplace", loc, scale, size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """See `numpy.random.Generator.normal`."""
        return self._noise("normal", loc, scale, size)

    def standard_normal(self, size: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """See `numpy.random.Generator.standard_normal`."""
        return self._noise("normal", 0.0, 1.0, () if size is None else size)

    def __getattribute__(self, name: str) -> Any:
        if name in OTHERS:
            super().__getattribute__("others").append(name)
        return super().__getattribute__(name)


OTHERS = frozenset(
    name for name in dir(np.random.Generator) if not name.startswith("_") and name not in vars(Recorder)
) - {"bit_generator"}


class patched:  # noqa: N801 - used like a function
    """Puts a recorder in the place of numpy's generators."""

    NAMES = ("laplace", "normal", "standard_normal", "default_rng")

    def __init__(self, recorder: Any) -> None:
        self._put = {name: getattr(recorder, name, None) for name in self.NAMES}
        self._put["default_rng"] = lambda *_: recorder
        self._kept: dict[str, Any] = {}

    def __enter__(self) -> None:
        for name, put in self._put.items():
            self._kept[name] = getattr(np.random, name)
            setattr(np.random, name, put)

    def __exit__(self, *error: Any) -> None:
        for name, kept in self._kept.items():
            setattr(np.random, name, kept)
