"""What records added to a class can make one feature say about a point: the contract, and who fulfils it.

A kind of feature for which no reach is registered has no certificate, and is refused by name.
"""

from dataclasses import dataclass
from functools import singledispatch
from typing import Protocol

from protocols.ring import Integers
from securenb.bayes.parameters import Floats
from securenb.schema.cells import Codes
from securenb.schema.feature import Feature


class Reach(Protocol):
    """One feature in one class, whose sums are known."""

    def bounds(self, codes: Floats, added: Floats) -> tuple[Floats, Floats]:
        """The least and the most log density at each point, over all placements of so many records.

        Parameters
        ----------
        codes, added
            Points and numbers of added records, as floats; broadcast against each other.
        """

    def addition(self, codes: Codes, added: Integers, *, most: bool) -> Integers:
        """Sums (n, width) of so many records, within the invariants, that come near one of the bounds.

        Parameters
        ----------
        codes, added
            Points and numbers of added records, shape (n,).
        """


@dataclass(frozen=True, eq=False)
class Held:
    """What a class holds of one feature: records, sums (width,), and the smoothing of the rule."""

    count: int
    sums: Integers
    smoothing: float


@singledispatch
def reach(feature: Feature, _held: Held) -> Reach:
    """The reach of a feature in a class.

    Raises
    ------
    ValueError
        If the kind of the feature has none.
    """
    raise ValueError(f"feature {feature.name!r} is of the kind {feature.kind!r}, which cannot be certified")


def has_reach(feature: Feature) -> bool:
    """Whether a reach is registered for the kind of the feature, so that its predictions can be certified."""
    return reach.dispatch(type(feature)) is not reach.dispatch(object)
