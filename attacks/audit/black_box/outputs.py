"""What many runs on two neighbouring inputs put out, as numbers that can be compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from securenb.bayes.parameters import Floats

GOOGOL = 1e100


@dataclass(frozen=True, eq=False)
class Outputs:
    """Runs on one input, in order.

    Attributes
    ----------
    outcomes
        What happened in each run, in words: that it raised, or how many numbers it returned; shape (n,).
    values
        The numbers, shape (n, k); zeros in runs that did not return k of them.
    odd
        Which of the numbers were no finite number, shape (n,): how many a run.
    """

    outcomes: NDArray[np.str_]
    values: Floats
    odd: Floats

    def __len__(self) -> int:
        return len(self.outcomes)

    def __getitem__(self, runs: Any) -> Self:
        """Some of the runs."""
        return type(self)(self.outcomes[runs], self.values[runs], self.odd[runs])

    @classmethod
    def of(cls, run: Mapping[str, Any], width: int) -> Self:
        """What a `driver.Subject` gave, where `width` numbers are what a run usually returns."""
        lengths = np.asarray(run["lengths"], dtype=np.int64)
        kinds = np.array([kind + ("" if kind != "returns" else " {} numbers") for kind in run["kinds"]])
        named = (
            kinds[np.asarray(run["outcomes"], dtype=np.int64)] if len(lengths) else np.zeros(0, dtype=np.str_)
        )
        outcomes = np.array([name.format(length) for name, length in zip(named, lengths, strict=True)])
        usual = (lengths == width) & (np.char.startswith(named, "returns") if len(named) else lengths < 0)
        flat, starts = np.asarray(run["values"], dtype=np.float64), np.cumsum(lengths) - lengths
        values = np.zeros((len(lengths), width))
        if usual.any() and width:
            values[usual] = flat[starts[usual][:, None] + np.arange(width)]
        odd = (~np.isfinite(values)).sum(axis=1).astype(np.float64)
        return cls(outcomes.astype(np.str_), finite(values), odd)

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """Several batches as one."""
        return cls(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("outcomes", "values", "odd")
            )
        )

    def windows(self, length: int) -> Self:
        """Every `length` successive runs as one."""
        count = len(self) // length
        outcomes = self.outcomes[: count * length].reshape(count, length)
        return type(self)(
            np.array([", then ".join(row) for row in outcomes]) if count else self.outcomes[:0],
            self.values[: count * length].reshape(count, -1),
            self.odd[: count * length].reshape(count, length).sum(axis=1),
        )


def finite(values: Floats) -> Floats:
    """Numbers that can be squared and added up: nothing beyond a googol, zero for NaN."""
    return np.clip(np.nan_to_num(values, nan=0.0), -GOOGOL, GOOGOL)


def usual_width(runs: Sequence[Mapping[str, Any]]) -> int:
    """How many numbers a run returns most often."""
    lengths = np.concatenate(
        [
            np.asarray(run["lengths"])[[run["kinds"][int(at)] == "returns" for at in run["outcomes"]]]
            for run in runs
        ]
    ).astype(np.int64)
    return int(np.bincount(lengths).argmax()) if len(lengths) else 0
