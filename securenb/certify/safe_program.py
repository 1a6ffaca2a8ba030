"""Linear programs whose bound is proven by multipliers, whatever the solver rounded."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from securenb.bayes.parameters import Floats

ROUNDING = 1e-12
"""What is added to a bound for rounding, as a share of all its terms."""


@dataclass
class Constraints:
    """Rows of a sparse matrix with their right-hand sides, written one after the other."""

    columns: list[Sequence[int]] = field(default_factory=list)
    values: list[Sequence[float]] = field(default_factory=list)
    sides: list[float] = field(default_factory=list)

    def add(self, columns: Sequence[int], values: Sequence[float], side: float) -> None:
        """One more."""
        self.columns.append(columns)
        self.values.append(values)
        self.sides.append(side)


class SafeProgram:
    """The most of `gain` · x where `at_most` and `equal` hold and all x are bounded.

    Neumaier and Shcherbina 2004, "Safe bounds in linear and mixed-integer linear programming": where all
    variables are bounded, multipliers of the right sign prove a bound, also if they are not the best ones.
    What the arithmetic of that bound itself rounds is added.

    Parameters
    ----------
    gain
        Shape (n,).
    """

    def __init__(self, gain: Floats, at_most: Constraints, equal: Constraints) -> None:
        self._gain = gain
        self._upper, self._equal = (_matrix(each, len(gain)) for each in (at_most, equal))
        self._most, self._value = (np.array(each.sides, dtype=np.float64) for each in (at_most, equal))

    def most(self, low: Floats, high: Floats) -> tuple[float, Floats | None]:
        """A number that no solution within these bounds exceeds, and what the solver says x is, if it does.

        Parameters
        ----------
        low, high
            Finite, shape (n,).
        """
        from scipy.optimize import linprog  # takes half a second, which most commands can do without

        found: Any = linprog(
            -self._gain,
            self._upper,
            self._most,
            self._equal,
            self._value,
            np.stack([low, high], 1).tolist(),
            method="highs",
        )
        trivial = np.maximum(self._gain * low, self._gain * high)
        bound = float(trivial.sum() + ROUNDING * np.abs(trivial).sum())
        if found.x is None:
            # said to be without a solution, which nothing here proves
            return bound, None
        y, v = np.maximum(-found.ineqlin.marginals, 0.0), -found.eqlin.marginals
        rest = self._gain - self._upper.T @ y - self._equal.T @ v
        size = np.abs(self._gain) + abs(self._upper).T @ y + abs(self._equal).T @ np.abs(v)
        sides = np.concatenate([y * self._most, v * self._value])
        proven = sides.sum() + np.maximum(rest * low, rest * high).sum()
        rounded = np.abs(sides).sum() + (size * np.maximum(np.abs(low), np.abs(high))).sum()
        return min(bound, float(proven + ROUNDING * rounded)), found.x


def _matrix(rows: Constraints, width: int) -> Any:
    from scipy.sparse import csr_array

    pointers = np.cumsum([0, *map(len, rows.columns)])
    columns = np.concatenate([np.asarray(each, dtype=np.int64) for each in rows.columns])
    values = np.concatenate([np.asarray(each, dtype=np.float64) for each in rows.values])
    return csr_array((values, columns, pointers), shape=(len(rows.sides), width))
