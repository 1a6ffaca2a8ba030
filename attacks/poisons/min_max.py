"""Min-Max: as far out as the two most distant honest nodes are from each other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.directions import check_direction, direction_of
from attacks.toolkit.forging import farthest


@dataclass(frozen=True)
class MinMax(Poison):
    """Moves the honest mean towards flipped labels, no farther from any honest node than honest nodes are.

    Shejwalkar and Houmansadr 2021, "Manipulating the Byzantine", section IV-C: it does not
    know the rule. Their bound holds for what is sent, whole numbers of records, not only for the point that
    was meant.

    Uses the schema, the statistics of the nodes that it sees, the group size and the cap.

    Parameters
    ----------
    direction
        `flip` (towards flipped labels), or theirs: `unit` (against the mean), `std` (against the deviations)
        or `sign` (against the signs of the mean), each around the honest mean.
    """

    direction: str = "flip"

    def __post_init__(self) -> None:
        check_direction(self.direction)

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        return farthest(known, direction_of(known, self.direction), np.max, inside=self.inside)
