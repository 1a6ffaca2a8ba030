"""A system of linear inequalities over variables that are 0 or 1, built term by term and solved by HiGHS."""

from collections.abc import Hashable, Mapping

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_matrix

Name = Hashable
Terms = Mapping[Name, float]

SOLVED, LIMIT, INFEASIBLE = 0, 1, 2


class OutOfTime(Exception):
    """The solver neither found a solution nor proved that there is none."""


class Program:
    """Variables are named as they are used."""

    def __init__(self) -> None:
        self._columns: dict[Name, int] = {}
        self._rows: list[tuple[Terms, float, float]] = []

    def at_least(self, bound: float, terms: Terms) -> None:
        """Σ coefficient · variable ≥ bound."""
        self._add(terms, bound, np.inf)

    def at_most(self, bound: float, terms: Terms) -> None:
        """Σ coefficient · variable ≤ bound."""
        self._add(terms, -np.inf, bound)

    def exactly(self, bound: float, terms: Terms) -> None:
        """Σ coefficient · variable = bound."""
        self._add(terms, bound, bound)

    def _add(self, terms: Terms, low: float, high: float) -> None:
        for name in terms:
            self._columns.setdefault(name, len(self._columns))
        self._rows.append((terms, low, high))

    def solution(self, seconds: float) -> Mapping[Name, bool] | None:
        """One solution, or `None` if there is none.

        Raises
        ------
        OutOfTime
            If that is not known after so many seconds.
        """
        entries = [
            (row, self._columns[name], value)
            for row, (terms, _, _) in enumerate(self._rows)
            for name, value in terms.items()
        ]
        rows, columns, values = (np.array(each) for each in zip(*entries, strict=True))
        shape = len(self._rows), len(self._columns)
        matrix = coo_matrix((values.astype(float), (rows, columns)), shape=shape).tocsr()
        found = milp(
            np.zeros(shape[1]),
            constraints=LinearConstraint(
                matrix, [low for _, low, _ in self._rows], [high for _, _, high in self._rows]
            ),
            integrality=np.ones(shape[1], dtype=np.int64),
            bounds=Bounds(0, 1),
            options={"time_limit": max(seconds, 0.01)},
        )
        if found.status == INFEASIBLE:
            return None
        if found.status != SOLVED:
            raise OutOfTime(found.message)
        chosen = np.rint(np.asarray(found.x))
        # floating point found it: whether it is one is decided in integers
        checked = matrix @ chosen
        for total, (_, low, high) in zip(checked, self._rows, strict=True):
            if not low <= total <= high:
                raise OutOfTime("the solver's solution is none when it is rounded")
        return {name: bool(chosen[column]) for name, column in self._columns.items()}
