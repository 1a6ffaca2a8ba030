"""L0: what was asked for, against the noise in the ledger, by arithmetic that is not the product's.

The product's accountant, and the laws' own formulas, are what is doubted here. Pure epsilon is added up in
exact rationals, or, for less than a dose of Pólya noise, read off its probabilities. Up to a delta
`dp-accounting` composes the laws' probabilities, where it is installed.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray
from scipy import special

from attacks.audit.finding import Finding
from attacks.audit.ledger_level import crossed, reach
from attacks.audit.target import Target
from securenb.privacy.distributions import DiscreteGaussian, Polya, Skellam
from securenb.privacy.joint import BoxMarginal

CHECK = "the noise in the ledger is what was asked for, and claimed"

SLACK = 1e-3
"""What bounds up to a delta may differ by: the product's are a little too large."""


WIDEST = 1e9
"""The variance up to which Bessel functions of doubles are probabilities of Skellam noise."""

LOSSES = 1 << 14
"""Steps of the grid between the least and the largest privacy loss of a coordinate."""


@dataclass(frozen=True)
class Moved:
    """One coordinate that a record moves: its noise, in words and numbers, and by how much."""

    law: str
    parameter: Fraction
    amount: Fraction
    shift: int


def audit_asked(target: Target) -> Finding | None:
    """Whether adding or removing a record costs what was asked for; `None` where nothing was asked."""
    asked, claimed = target.asked(), target.claimed("add-remove")
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
            case BoxMarginal(box=box):
                # a draw of several cells is crossed once, as far as what moves furthest
                moved = Moved("box", box.epsilon, Fraction(1), crossed(schema, line, line.law))
            case _:
                return Finding(
                    "L0", CHECK, "PASS", f"not recomputed: no arithmetic of our own for {line.law}"
                )
        paths.setdefault(line.columns.start // schema.width, []).append(moved)
    # classes mostly cost the same
    costs = [_cost(path, target.delta) for path in {tuple(path) for path in paths.values()}]
    known = [cost for cost in costs if cost is not None]
    if len(known) < len(costs):
        why = (
            "no table of such noise"
            if find_spec("dp_accounting")
            else "dp-accounting (extra `oracle`) is missing"
        )
        return Finding("L0", CHECK, "PASS", f"not recomputed: {why}")
    found = max(known)
    slack = 1 + (SLACK if target.delta else 1e-9)
    short = found > float(asked) * slack or (claimed is not None and found > float(claimed) * slack)
    said = "" if claimed == asked or claimed is None else f", claimed {float(claimed):.6g}"
    evidence = f"recomputed {found:.6g}, asked for {float(asked):.6g}{said}"
    return Finding("L0", CHECK, "FAIL" if short else "PASS", evidence, found, float(asked))


def _cost(path: Sequence[Moved], delta: float) -> float | None:
    if delta:
        return _composed(path, delta) if find_spec("dp_accounting") else None
    if any(moved.law not in ("polya", "box") for moved in path):
        return math.inf
    boxes: dict[Fraction, int] = {}
    for moved in path:
        if moved.law == "box":
            boxes[moved.parameter] = max(boxes.get(moved.parameter, 0), moved.shift)
    path = [moved for moved in path if moved.law != "box"]
    whole = sum((moved.shift / moved.parameter for moved in path if moved.amount >= 1), Fraction(0))
    whole += sum((epsilon * times for epsilon, times in boxes.items()), Fraction(0))
    return float(whole) + sum(_less_than_a_dose(moved) for moved in path if moved.amount < 1)


def _less_than_a_dose(moved: Moved) -> float:
    """The log of P(0) / P(shift), by summing products of negative binomial probabilities."""
    from scipy import stats  # takes a second, which most audits can do without

    r, x = float(moved.amount), math.exp(-1 / float(moved.parameter))
    top = int(45 * float(moved.parameter)) + 64
    j = np.arange(top, dtype=np.float64)
    logs = stats.nbinom.logpmf(j, r, 1 - x)
    near = special.logsumexp(2 * logs)
    far = (
        special.logsumexp(logs[: top - moved.shift] + logs[moved.shift :]) if moved.shift < top else -math.inf
    )
    return float(near - far)


def _composed(path: Sequence[Moved], delta: float) -> float | None:
    """Epsilon at delta by dp-accounting, from privacy losses that are rounded up to a grid."""
    losses = import_module("dp_accounting.pld.privacy_loss_distribution").PrivacyLossDistribution
    single = {moved: _losses(moved) for moved in path}
    if any(found is None for found in single.values()):
        return None
    grid = max(float(np.ptp(values)) for values, _ in filter(None, single.values())) / LOSSES
    total = None
    for moved, times in Counter(path).items():
        values, masses = single[moved] or ((), ())
        at = np.ceil(np.asarray(values) / grid - 1e-9).astype(np.int64)
        binned = np.bincount(at - at.min(), weights=masses)
        rounded = {int(at.min()) + index: float(binned[index]) for index in np.flatnonzero(binned)}
        one = losses.create_from_rounded_probability(rounded, max(0.0, 1 - float(binned.sum())), grid)
        one = one.self_compose(times)
        total = one if total is None else total.compose(one)
    assert total is not None
    return float(total.get_epsilon_for_delta(delta))


def _losses(moved: Moved) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """The privacy losses of one coordinate and their probabilities; `None` for laws without a table."""
    if moved.law == "polya" and moved.amount != 1:
        return None
    if moved.law == "skellam" and moved.parameter > WIDEST:
        return None
    table = _table(moved)
    if moved.shift >= len(table):
        return None
    here, there = table[moved.shift :], table[: len(table) - moved.shift]
    held = np.isfinite(here) & np.isfinite(there)
    return here[held] - there[held], np.exp(here[held])


def _table(moved: Moved) -> NDArray[np.float64]:
    """Log-probabilities of the noise, from far below its middle to far above."""
    variance = float(moved.parameter)
    span = int(45 * variance) + 64 if moved.law == "polya" else int(12 * variance**0.5) + 40
    k = np.arange(-span, span + 1)
    if moved.law == "skellam":
        with np.errstate(divide="ignore"):  # Bessel functions: scipy's own sums take minutes for wide laws
            return np.asarray(np.log(special.ive(np.abs(k), variance)))
    if moved.law == "polya":
        return np.asarray(
            -np.abs(k) / float(moved.parameter) - special.logsumexp(-np.abs(k) / float(moved.parameter))
        )
    exponents = -(k**2) / (2 * variance)
    return np.asarray(exponents - special.logsumexp(exponents))
