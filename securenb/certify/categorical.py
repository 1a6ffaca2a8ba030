"""How much, and how little, a histogram can be made to say about a point by records added to its class."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protocols.ring import Integers
from securenb.bayes.parameters import Floats
from securenb.certify.reach import Held, reach
from securenb.schema.cells import Codes
from securenb.schema.levelled import Levelled


@dataclass(frozen=True, eq=False)
class CategoricalReach:
    """One categorical or binned feature in one class; exact, also where noise made counts negative.

    Parameters
    ----------
    counts
        Of the levels, shape (L,); the estimate reads negative ones as zero.
    smoothing
        The rule's.
    """

    counts: Integers
    smoothing: float

    def bounds(self, codes: Floats, added: Floats) -> tuple[Floats, Floats]:
        """The least and the most log-probability of each level, over all placements of so many records.

        The most with all of them at the level itself; the least with all at the most frequent other one,
        where none is lost in a negative count.

        Parameters
        ----------
        codes, added
            Levels and numbers of added records, as floats; broadcast against each other.
        """
        level = codes.astype(np.intp)
        seen = np.maximum(self.counts, 0)
        total, pseudo = seen.sum(), len(seen) * self.smoothing
        raised = np.maximum(self.counts[level] + added, 0)
        most = np.log(raised + self.smoothing) - np.log(total - seen[level] + raised + pseudo)
        other = self.counts[self.other(level)]
        larger = total - np.maximum(other, 0) + np.maximum(other + added, 0)
        least = np.log(seen[level] + self.smoothing) - np.log(larger + pseudo)
        return least, most

    def addition(self, codes: Codes, added: Integers, *, most: bool) -> Integers:
        """See `Reach.addition`: all at the level itself, or all at another."""
        level = codes.astype(np.intp)
        table = np.zeros((len(codes), len(self.counts)), dtype=np.int64)
        table[np.arange(len(codes)), level if most else self.other(level)] = added
        return table

    def other(self, level: NDArray[np.intp]) -> NDArray[np.intp]:
        """The most frequent level that is not the given one."""
        first, second = np.argsort(-self.counts, kind="stable")[:2]
        found: NDArray[np.intp] = np.where(level == first, second, first)
        return found


@reach.register
def _(_feature: Levelled, held: Held) -> CategoricalReach:
    return CategoricalReach(held.sums, held.smoothing)
