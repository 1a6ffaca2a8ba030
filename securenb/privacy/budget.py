"""What a population's records may cost in all, however the rounds are chosen."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np

from protocols.ring import Integers
from securenb.privacy.accountant import ORDERS, converted, loss_epsilon
from securenb.privacy.cost import Cost, fixed, pure, renyi, together
from securenb.privacy.mechanism import exact

USUAL_DELTA = 1e-6
"""What orders are chosen for where the first budget of a ledger has no delta."""

GRID = tuple(2**k for k in range(1, 17))
"""Orders that every ledger has besides its best."""


@dataclass(frozen=True)
class Budget:
    """An epsilon (add/remove), and what it holds up to.

    Parameters
    ----------
    epsilon
        What all releases together may cost.
    delta
        What epsilon is composed at; with 0 only pure differential privacy is in the budget.
    """

    epsilon: Fraction
    delta: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Self:
        """A budget as it is written, `EPS` or `EPS,DELTA`; a `ValueError` that says so otherwise."""
        epsilon, comma, rest = str(text).partition(",")
        try:
            delta = float(rest) if comma else 0.0
        except ValueError:
            delta = -1.0
        if comma and not 0 < delta < 1:
            raise ValueError(f"a budget is EPS or EPS,DELTA with DELTA between 0 and 1, got {text!r}")
        return cls(exact(epsilon.strip()), delta)

    def __str__(self) -> str:
        return f"{float(self.epsilon):.6g}" + (f",{self.delta:g}" if self.delta else "")


@dataclass(frozen=True)
class Orders:
    """Rényi orders, each with its part of delta, fixed before the first of the rounds that they compose.

    At a fixed order divergences add up though each round is chosen by the outcome of the last, and a run that
    stops before their sum passes a bound stays within it (Feldman and Zrnic 2021; Lécuyer 2021): a filter.
    The order that happens to be best *afterwards* is no such thing. So each order gets a part of delta for
    itself. Split the outcomes by the first order whose filter has held until the end; on each part the run
    is one that this filter bounds, so the parts of delta add up, and epsilon is that of the best order.

    The same holds for a tight accountant of each round's privacy-loss distribution, which is no filter: after
    a round of .02, choosing the next by its outcome can cost 1.31 times the delta.
    """

    parts: tuple[tuple[int, Fraction], ...]

    def __post_init__(self) -> None:
        orders = [order for order, _ in self.parts]
        if min(orders, default=0) < 2 or len(set(orders)) < len(orders):
            raise ValueError(f"Rényi orders are integers above 1, all different, got {orders}")
        if min(part for _, part in self.parts) <= 0 or sum(part for _, part in self.parts) > 1:
            raise ValueError(f"parts of delta are positive and at most 1 together, got {self.parts}")

    @classmethod
    def best_for(cls, budget: Budget) -> Self:
        """Half of delta for the order at which Gaussian noise spends the budget last, half for a grid.

        The grid shows what was spent long before the budget is; the half costs log(2) / log(1 / delta).
        """
        delta = (budget.delta or USUAL_DELTA) / 2
        left = float(budget.epsilon) - converted(np.zeros(len(ORDERS)), ORDERS, delta)
        best = int(ORDERS[int(np.argmax(left / ORDERS))])
        parts = dict.fromkeys(GRID, Fraction(1, 2 * len(GRID)))
        parts[best] = parts.get(best, Fraction(0)) + Fraction(1, 2)
        return cls(tuple(sorted(parts.items())))

    @property
    def array(self) -> Integers:
        """The orders, shape (n,)."""
        return np.array([order for order, _ in self.parts], dtype=np.int64)

    def epsilon(self, costs: Sequence[Cost], delta: float) -> Fraction | None:
        """What these costs come to at `delta`, however they were chosen; `None` if nothing bounds them.

        For `delta` 0 the exact sum of the largest losses; else that, or what the best order gives.
        """
        all_ = together(costs)
        largest = pure(all_)
        if delta <= 0 or (largest is not None and largest == 0):
            return largest
        parts = np.array([float(part) for _, part in self.parts])
        bounds = converted(renyi(all_, self.array), self.array, delta * parts)
        least = float(bounds.min())
        found = [Fraction(least)] if np.isfinite(least) else []
        return min([*found, *([] if largest is None else [largest])], default=None)


def fixed_epsilon(costs: Sequence[Cost], delta: float) -> float | None:
    """Epsilon at `delta` from privacy-loss distributions, had all rounds been fixed in advance: no budget.

    `None` where a cost leaves a choice, or a distribution cannot be tabulated.
    """
    queries = fixed(together(costs))
    return None if queries is None or delta <= 0 else loss_epsilon(queries, delta)
