"""A robust rule behind an adapter, and honest rows for it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from attacks.judging.adapter import Adapter, Answer, BrokenAdapterError
from attacks.judging.check import Found
from attacks.judging.outcome import Outcome
from securenb.bayes.parameters import Floats

ROWS, WIDTH, MALICIOUS = 11, 4, 2
FAR = 5.0
"""Beyond this an output has left honest rows, which are standard normal."""
CLOSE = 1e-6
"""How far an output may stray, relative to its size, where arithmetic differs only by rounding."""


@dataclass(frozen=True)
class Rule:
    """One rule of an adapter.

    Attributes
    ----------
    takes_f
        Whether it is told how many rows are malicious.
    """

    adapter: Adapter
    name: str
    takes_f: bool = True

    @classmethod
    def read(cls, adapter: Adapter, declared: Any) -> Self:
        """From an entry of `rules()`: a name, or a dictionary; a `BrokenAdapterError` says what is wrong."""
        if isinstance(declared, str):
            return cls(adapter, declared)
        if not isinstance(declared, Mapping) or not {"name"} <= set(declared) <= {"name", "takes_f"}:
            raise BrokenAdapterError(
                f"rules() gives names, or dictionaries with name and takes_f: {declared!r}"
            )
        return cls(adapter, str(declared["name"]), bool(declared.get("takes_f", True)))

    def combine(self, rows: Floats | Sequence[Sequence[float]], f: int = MALICIOUS) -> Answer:
        """What it makes of rows, shape (n, d); the answer gives numbers, shape (d,).

        Raises
        ------
        BrokenAdapterError
            If the adapter returns something else.
        """
        sent = np.asarray(rows, dtype=np.float64)
        answer = self.adapter.ask("combine", rule=self.name, rows=sent.tolist(), f=f)
        if answer.ended is not None:
            return answer
        try:
            out = np.asarray(answer.given, dtype=np.float64)
        except (TypeError, ValueError):
            out = np.zeros(0)
        if out.shape != sent.shape[1:]:
            raise BrokenAdapterError(
                f"combine() gives {sent.shape[1]} numbers, got {str(answer.given)[:80]!r}"
            )
        return Answer(out)

    def tolerance(self, n: int) -> int | None:
        """The most malicious rows of n that it claims to withstand; `None` if the adapter does not say."""
        if not self.adapter.has("tolerates"):
            return None
        answer = self.adapter.ask("tolerates", rule=self.name, n=n)
        if answer.ended is not None or not (answer.given is None or type(answer.given) is int):
            raise BrokenAdapterError(f"tolerates() gives a whole number or None, got {answer}")
        tolerated: int | None = answer.given
        return tolerated


def honest(rng: np.random.Generator, rows: int = ROWS) -> Floats:
    """Standard normal rows, shape (rows, 4)."""
    return rng.normal(size=(rows, WIDTH))


def same(case: str, answer: Answer, wanted: Floats, tolerance: float = CLOSE) -> Found:
    """Right if two outputs agree but for rounding."""
    if answer.ended is not None:
        return Found(case, answer.ended, answer.said, runs=1)
    size = 1 + float(np.abs(wanted).max())
    off = float(np.abs(answer.given - wanted).max())
    if off <= tolerance * size:  # false for NaN
        return Found(case, Outcome.RIGHT, "to the last bit" if off == 0 else f"within {off:.1g}", runs=1)
    return Found(case, Outcome.WRONG, f"differs by {off:.3g}", runs=1)


def held(case: str, answer: Answer) -> Found:
    """Right if an output stays where honest rows are."""
    if answer.ended is not None:
        return Found(case, answer.ended, answer.said, runs=1)
    far = float(np.abs(answer.given).max())
    if math.isfinite(far) and far < FAR:
        return Found(case, Outcome.RIGHT, f"at most {far:.2g}", runs=1)
    return Found(case, Outcome.WRONG, f"as far as {far:.2g}", runs=1)
