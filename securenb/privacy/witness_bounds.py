"""Bounds on epsilon from the width of what witness cells show."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from protocols.ring import Integers
from securenb.privacy.cost import Cost, Either, Pure, Together, epsilon_at
from securenb.privacy.distributions import Distribution
from securenb.privacy.event import Event
from securenb.privacy.witness_law import Law, carried, width, width_law

CONFIDENCE = 0.95
"""Of each bound on epsilon, for all rows together."""

PARTS = 1_000
"""Bounds look for a scale, or for doses, in steps of one part in so many."""

FARTHEST = 4
"""They look up to so many times, and down to one part in so many, of what is claimed."""

Range = tuple[float | None, float | None, float | None]


@dataclass(frozen=True)
class Bounds:
    """Epsilon under add/remove of the row that shows least noise, at `CONFIDENCE`.

    Attributes
    ----------
    claimed
        By the ledger.
    lower, upper
        If all shares are there, and equally much too wide or too narrow. `None`: none within `FARTHEST`.
    shares
        The upper bound if shares are as wide as they should be, and fewer; `None` likewise.
    """

    claimed: float
    lower: float | None
    upper: float | None
    shares: float | None


def bounds_of(
    event: Event,
    delta: float,
    dose: Law,
    narrowest: Mapping[tuple[Fraction, Fraction], Integers],
    rows: int,
) -> Bounds:
    """The bounds of a round.

    Parameters
    ----------
    event, delta
        What the ledger keeps of a row with one dose, and what epsilon is read at.
    dose
        The law of a dose on a cell.
    narrowest
        By the doses that a row should carry and those that the claim counts on, the cells that show
        least, (K,).
    rows
        How many rows those were chosen from; they share the confidence.
    """
    alpha = (1 - CONFIDENCE) / rows

    def epsilon(doses: Fraction, scale: Fraction) -> float:
        cost = epsilon_at(_noised(event.add_remove, lambda law: carried(law, doses, scale)), delta)
        assert cost is not None, "both laws bound epsilon"
        return float(cost)

    def bounds(full: Fraction, needed: Fraction, cells: Integers) -> Range:
        seen, one = width(dose, cells), Fraction(1)
        known = needed - 1  # doses that colluding nodes may subtract

        def wide(scale: Fraction) -> Law:
            return carried(dose, full, scale)

        def few(part: Fraction) -> Law:
            return carried(dose, full * part)

        def too_much(law: Law) -> bool:
            return width_law(dose, law, len(cells)).at_most(seen) <= alpha

        def too_little(law: Law) -> bool:
            return width_law(dose, law, len(cells)).at_least(seen) <= alpha

        least = _last(lambda scale: too_little(wide(scale)))
        most = _last(lambda scale: not too_much(wide(scale))) or Fraction(1, FARTHEST)
        some = _last(lambda part: too_little(few(part)))
        return (
            None if most >= FARTHEST else epsilon(one, most + Fraction(1, PARTS)),
            None if least is None else epsilon(one, least),
            None if some is None or full * some <= known else epsilon(min(one, full * some - known), one),
        )

    each = [bounds(full, needed, cells) for (full, needed), cells in narrowest.items()]
    lower = [bound for bound, _, _ in each if bound is not None]
    return Bounds(
        epsilon(Fraction(1), Fraction(1)), max(lower, default=None), _largest(each, 1), _largest(each, 2)
    )


def first_law(cost: Cost) -> Distribution | None:
    """The law of the first query of a cost."""
    match cost:
        case Together(parts) | Either(parts):
            return next((law for part in parts if (law := first_law(part)) is not None), None)
        case Pure():
            return None
    return cost.distribution


def _largest(each: Sequence[Range], at: int) -> float | None:
    """The largest upper bound; `None` if one row has none."""
    found = [bounds[at] for bounds in each]
    known = [bound for bound in found if bound is not None]
    return max(known) if len(known) == len(found) else None


def _last(holds: Callable[[Fraction], bool]) -> Fraction | None:
    """The largest part, of those in `PARTS`, for which something holds that holds for all smaller ones.

    `None` if it does not hold for the smallest that is tried.
    """
    low, high = PARTS // FARTHEST, PARTS * FARTHEST
    if not holds(Fraction(low, PARTS)):
        return None
    if holds(Fraction(high, PARTS)):
        return Fraction(FARTHEST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(Fraction(middle, PARTS)) else (low, middle)
    return Fraction(low, PARTS)


def _noised(cost: Cost, law: Callable[[Law], Distribution]) -> Cost:
    """The cost under other laws of noise."""
    match cost:
        case Together(parts, times):
            return Together(tuple(_noised(part, law) for part in parts), times)
        case Either(options):
            return Either(tuple(_noised(option, law) for option in options))
        case Pure():
            return cost
    assert isinstance(cost.distribution, Law), "all blocks have noise of one kind"
    return replace(cost, distribution=law(cost.distribution))
