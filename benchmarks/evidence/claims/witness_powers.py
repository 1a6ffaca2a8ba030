"""Witness cells find what they should, and honest rounds have no more findings than stated."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from benchmarks.evidence.claim import Claim, Result
from securenb.data.dataset import DATASETS
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.samplers import FastNoise
from securenb.privacy.witnesses import Found, Reading, Witnesses

ROUNDS = 500
"""Of each kind in a part."""

BOUNDED = 20
"""Rounds of a part whose bounds on epsilon are looked for."""

KINDS: dict[str, tuple[int, Fraction, Fraction, Fraction, float, Found]] = {
    "half": (400, Fraction(1), Fraction(1), Fraction(1, 2), 0.99, "claim broken"),
    "quarter": (400, Fraction(1), Fraction(3, 4), Fraction(1), 0.75, "claim broken"),
    "quarter_500": (500, Fraction(1), Fraction(3, 4), Fraction(1), 0.85, "claim broken"),
    "tenth": (4_000, Fraction(1), Fraction(9, 10), Fraction(1), 0.90, "claim broken"),
    "one_of_five": (1_000, Fraction(5, 4), Fraction(1), Fraction(1), 0.90, "shares missing"),
    "two_of_five": (1_000, Fraction(5, 4), Fraction(3, 4), Fraction(1), 0.99, "claim broken"),
}
"""Cells, doses that the row should carry and does, how wide they are; the power, and what is found."""


class WitnessPowers(Claim):
    """Cells drawn by the mechanism's own function, at the scale of twenty-one queries at epsilon 1."""

    says = (
        "Witness cells find half the width, a missing quarter or tenth of a dose, one or two silent sites "
        "of five, as often as designed; bounds on epsilon hold with 95 % and are within a tenth on average."
    )
    code = (
        "securenb/privacy/witness_law.py",
        "securenb/privacy/witness_bounds.py",
        "securenb/privacy/witnesses.py",
        "securenb/privacy/mechanism.py",
    )
    seed = 0
    parts = 20

    def measure(self, part: int, size: int | None = None) -> Result:
        """See `Claim.measure`; `size` is the number of rounds of each kind."""
        rounds, noise = size or ROUNDS, FastNoise(np.random.default_rng([self.seed, part]))
        result: Result = {"rounds": rounds}
        for name, (cells, due, carried, scale, _, found) in KINDS.items():
            rows = [witnesses(noise, cells, due, carried, scale) for _ in range(rounds)]
            result[name] = sum(row.found == found for row in rows)
        for due in (Fraction(1), Fraction(5, 4)):
            honest = [witnesses(noise, 400, due, due, Fraction(1)) for _ in range(rounds)]
            result[f"alarms_{float(due):g}"] = sum(row.found != "as claimed" for row in honest)
            if due == 1:
                bounds = [row.bounds for row in honest[:BOUNDED]]
                result["bounded"] = len(bounds)
                result["upper"] = sum((each.upper or np.inf) / each.claimed for each in bounds)
                result["lower"] = sum((each.lower or 0.0) / each.claimed for each in bounds)
                result["above_upper"] = sum((each.upper or np.inf) < each.claimed for each in bounds)
                result["below_lower"] = sum((each.lower or 0.0) > each.claimed for each in bounds)
        return result

    def holds(self, results: Sequence[Result]) -> bool:
        """See `Claim.holds`; counts may be four standard deviations off what is claimed."""

        def total(name: str) -> float:
            return float(sum(result[name] for result in results))

        rounds, bounded = total("rounds"), total("bounded")
        found = all(
            total(name) >= power * rounds - 4 * np.sqrt(rounds * power * (1 - power))
            for name, (_, _, _, _, power, _) in KINDS.items()
        )
        silent = all(
            total(f"alarms_{due}") <= 1e-3 * rounds + 4 * np.sqrt(1e-3 * rounds) + 1 for due in ("1", "1.25")
        )
        wrong = 0.05 * bounded + 4 * np.sqrt(0.05 * bounded)
        slack = 0.25 / np.sqrt(bounded)
        tight = total("upper") <= (1.10 + slack) * bounded and total("lower") >= (0.90 - slack) * bounded
        return bool(found and silent and tight and max(total("above_upper"), total("below_lower")) <= wrong)


def witnesses(noise: FastNoise, cells: int, due: Fraction, carried: Fraction, scale: Fraction) -> Witnesses:
    """One row of cells by `Mechanism.share`, which is due to carry `due` doses.

    Parameters
    ----------
    carried, scale
        How many doses it carries, and how wide.
    """
    schema = DATASETS["phishing"].schema  # ten queries
    mechanism = DiscreteLaplace(Fraction(len(schema.blocks), 21))
    honest, narrow = 20, DiscreteLaplace(mechanism.epsilon / scale)
    drawn = narrow.share(schema, honest, noise, int(carried * honest), cells)[schema.length :]
    reading = Reading("row 0", honest, int(due * honest), drawn)
    return Witnesses(mechanism.event(schema, honest, honest), mechanism.delta, (reading,))
