"""What a change of the data can cost, as data: kept in ledgers, and composed late, by any accountant.

A cost is a tree. Its leaves are queries with the law of their noise, or a bound on the loss where no more is
known; it says which of them one change moves together, and between which of them a change chooses.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from protocols.ring import Integers
from securenb.privacy.accountant import ORDERS, Queries, Query, converted
from securenb.privacy.distributions import Floats


@dataclass(frozen=True)
class Pure:
    """A privacy loss of at most `epsilon`, however it comes about."""

    epsilon: Fraction


@dataclass(frozen=True)
class Together:
    """All parts, `times` times over: they compose."""

    parts: "tuple[Cost, ...]"
    times: int = 1


@dataclass(frozen=True)
class Either:
    """One of the options, and it is not known which: the costliest counts."""

    options: "tuple[Cost, ...]"


Cost = Query | Pure | Together | Either

NOTHING = Together(())


def pure(cost: Cost) -> Fraction | None:
    """The largest loss, exact; `None` if it has no bound."""
    match cost:
        case Pure(epsilon):
            return epsilon
        case Query(distribution, shift, times):
            largest = distribution.pure(shift)
            return None if largest is None else times * largest
        case Together(parts, times):
            losses = [pure(part) for part in parts]
            known = [loss for loss in losses if loss is not None]
            return times * sum(known, Fraction(0)) if len(known) == len(losses) else None
        case Either(options):
            losses = [pure(option) for option in options]
            known = [loss for loss in losses if loss is not None]
            return max(known, default=Fraction(0)) if len(known) == len(losses) else None


def renyi(cost: Cost, orders: Integers) -> Floats:
    """A bound on the Rényi divergence of each integer order > 1, shape of `orders`.

    A loss of at most epsilon has a divergence of at most min(epsilon, order · epsilon² / 2) (Bun and Steinke
    2016, proposition 3.3). Of several options the worst of each order counts: whichever is chosen, it
    stays within that.
    """
    match cost:
        case Pure(epsilon):
            loss = float(epsilon)
            return np.minimum(loss, orders * loss**2 / 2)
        case Query(distribution, shift, times):
            return times * distribution.renyi(orders, shift)
        case Together(parts, times):
            total: Floats = sum((renyi(part, orders) for part in parts), np.zeros(len(orders)))
            return times * total
        case Either(options):
            worst: Floats = np.max([renyi(option, orders) for option in options], axis=0)
            return worst


def epsilon_at(cost: Cost, delta: float) -> Fraction | None:
    """Epsilon of one release: exact for `delta` 0, else from Rényi divergences; `None` if unbounded."""
    if delta == 0:
        return pure(cost)
    divergences = renyi(cost, ORDERS)
    bounds = [float(converted(divergences, ORDERS, delta).min())]
    if (largest := pure(cost)) is not None:
        bounds.append(float(largest))
    least = min(bounds)
    return Fraction(least) if math.isfinite(least) else None


def fixed(cost: Cost) -> Queries | None:
    """All queries of a cost that leaves no choice, for accountants of such; `None` for any other."""
    match cost:
        case Query():
            return (cost,)
        case Together(parts, times):
            found: list[Query] = []
            for part in parts:
                queries = fixed(part)
                if queries is None:
                    return None
                found += [Query(each.distribution, each.shift, each.times * times) for each in queries]
            return tuple(found)
        case Either((option,)):
            return fixed(option)
        case _:
            return None


def together(costs: Sequence[Cost]) -> Together:
    """The costs composed, equal ones counted."""
    counted: dict[Cost, int] = {}
    for cost in costs:
        counted[cost] = counted.get(cost, 0) + 1
    return Together(
        tuple(cost if times == 1 else Together((cost,), times) for cost, times in counted.items())
    )
