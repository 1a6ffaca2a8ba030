"""L0: what was asked for, against the noise in the ledger, by arithmetic that is not the product's.

The product's accountant, and the laws' own formulas, are what is doubted here. Pure epsilon is added up in
exact rationals, or, for less than a dose of Pólya noise, read off its probabilities. Up to a delta
`dp-accounting` composes the laws' probabilities, where it is installed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from attacks.audit.finding import Finding
from attacks.audit.ledger_level import reach
from attacks.audit.target import Target
from securenb.privacy.distributions import DiscreteGaussian, Polya, Skellam

CHECK = "the noise in the ledger is what was asked for"

SLACK = 1e-3
"""What bounds up to a delta may differ by: the product's are a little too large."""


@dataclass(frozen=True)
class Moved:
    """One coordinate that a record moves: its noise, in words and numbers, and by how much."""

    law: str
    parameter: Fraction
    amount: Fraction
    shift: int


def audit_asked(target: Target) -> Finding | None:
    """Whether adding or removing a record costs what was asked for; `None` where nothing was asked."""
    asked = target.asked()
    if asked is None:
        return None
    schema = target.schema
    paths: dict[int, list[Moved]] = {}
    for line in target.lines():
        grid = Fraction(line.reach, reach(schema, line))
        shift = int(reach(schema, line) * grid)
        match line.law:
            case Polya(scale=scale, doses=doses):
                moved = Moved("polya", scale, doses, shift)
            case Skellam(variance=variance):
                moved = Moved("skellam", variance, Fraction(1), shift)
            case DiscreteGaussian(variance=variance, terms=terms):
                moved = Moved("gaussian", variance, Fraction(terms), shift)
            case _:
                return Finding(
                    "L0", CHECK, "PASS", f"not recomputed: no arithmetic of our own for {line.law}"
                )
        paths.setdefault(line.columns.start // schema.width, []).append(moved)
    costs = [_cost(path, target.delta) for path in paths.values()]
    known = [cost for cost in costs if cost is not None]
    if len(known) < len(costs):
        return Finding("L0", CHECK, "PASS", "not recomputed: dp-accounting is not installed (extra `oracle`)")
    found = max(known)
    short = found > float(asked) * (1 + (SLACK if target.delta else 1e-9))
    evidence = f"recomputed {found:.6g}, asked for {float(asked):.6g}"
    return Finding("L0", CHECK, "FAIL" if short else "PASS", evidence, found, float(asked))


def _cost(path: Sequence[Moved], delta: float) -> float | None:
    if delta:
        return _composed(path, delta) if find_spec("dp_accounting") else None
    if any(moved.law != "polya" for moved in path):
        return math.inf
    whole = sum((moved.shift / moved.parameter for moved in path if moved.amount >= 1), Fraction(0))
    return float(whole) + sum(_less_than_a_dose(moved) for moved in path if moved.amount < 1)


def _less_than_a_dose(moved: Moved) -> float:
    """The log of P(0) / P(shift), by summing products of negative binomial probabilities."""
    r, x = float(moved.amount), math.exp(-1 / float(moved.parameter))
    top = int(45 * float(moved.parameter)) + 64
    j = np.arange(top, dtype=np.float64)
    logs = stats.nbinom.logpmf(j, r, 1 - x)
    near = special.logsumexp(2 * logs)
    far = (
        special.logsumexp(logs[: top - moved.shift] + logs[moved.shift :]) if moved.shift < top else -math.inf
    )
    return float(near - far)


def _composed(path: Sequence[Moved], delta: float) -> float:
    """Epsilon at delta by dp-accounting, from tables of probabilities."""
    losses = import_module("dp_accounting.pld.privacy_loss_distribution")
    total = None
    for moved in path:
        table = _table(moved)
        size = len(table)
        here = {index: float(table[index]) for index in range(size)}
        there = {index + moved.shift: float(table[index]) for index in range(size)}
        one = losses.from_two_probability_mass_functions(here, there)
        total = one if total is None else total.compose(one)
    assert total is not None
    return float(total.get_epsilon_for_delta(delta))


def _table(moved: Moved) -> NDArray[np.float64]:
    """Log-probabilities of the noise, from far below its middle to far above."""
    variance = float(moved.parameter)
    if moved.law == "polya":
        variance = 2 * variance**2 * float(moved.amount)
    span = int(12 * variance**0.5) + 40
    k = np.arange(-span, span + 1)
    if moved.law == "skellam":
        return np.asarray(stats.skellam.logpmf(k, variance / 2, variance / 2))
    if moved.law == "polya":
        return np.asarray(
            -np.abs(k) / float(moved.parameter) - special.logsumexp(-np.abs(k) / float(moved.parameter))
        )
    exponents = -(k**2) / (2 * variance)
    return np.asarray(exponents - special.logsumexp(exponents))
