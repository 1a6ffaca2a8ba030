"""How many honest records must be removed, replaced or flipped before a prediction can change.

Of categorical and binned features, in sums without noise. With c the predicted class and w another, the
log-odds fall most where records like the point leave c and records like it enter w, and where records unlike
it enter c and leave w; only how many of each kind is to be searched. Features are chosen each for itself,
which sums allow, and which is more than what the records at hand may allow: no fewer records can.
"""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import Floats
from securenb.certify.certificate import UNCERTIFIABLE, Certificates
from securenb.certify.collective import sums_of
from securenb.certify.placement_program import Sums
from securenb.certify.worst_addition import TIE
from securenb.schema.cells import Codes
from securenb.schema.records import UNKNOWN

Change = Literal["removed", "replaced", "flipped"]
"""What happens to honest records: they vanish, become any others, or have another label."""

MOST = 2000
"""Changed records that are considered at most: the search takes their square."""


def certify_changed(model: NaiveBayes, codes: Codes, limit: int, change: Change) -> Certificates:
    """How many records each prediction withstands, up to `limit` of them.

    Parameters
    ----------
    model
        That of a plain sum without noise or shrinkage.
    codes
        Shape (n, F).

    Returns
    -------
    Certificates
        `exact` for removed records; else only where none is needed or `limit` does not suffice. For more than
        two classes flips are counted as replacements, which they are.

    Raises
    ------
    ValueError
        If the model is no plain sum or has noise, a feature has no levels, or a number is out of range.
    """
    if model.pooled is None:
        raise ValueError(UNCERTIFIABLE)
    if change not in get_args(Change):
        raise ValueError(f"records are {', '.join(get_args(Change))}, got {change!r}")
    if not 0 <= limit <= MOST:
        raise ValueError(f"considers from 0 to {MOST} changed records, got {limit}")
    sums = sums_of(model.pooled.statistics, model.pooled.smoothing)
    by_feature = np.add.reduceat(sums.counts, sums.starts[:-1], axis=1)
    if (sums.counts < 0).any() or (by_feature != sums.totals[:, None]).any():
        raise ValueError("levels do not add up to the class counts: sums with noise have no such certificate")
    classes = range(len(sums.totals))
    if change == "flipped" and len(classes) > 2:
        change = "replaced"
    predicted = model.predict_codes(codes)
    needed = np.full(len(codes), limit + 1, dtype=np.int64)
    for point, (code, right) in enumerate(zip(codes, predicted, strict=True)):
        features = np.flatnonzero(code != UNKNOWN)
        at = sums.starts[features] + code[features]
        for wrong in set(classes) - {int(right)}:
            leads = _Duel(sums, features, at, int(right), wrong, limit).leads(change)
            lost = np.flatnonzero(leads <= TIE)
            needed[point] = min(needed[point], int(lost[0]) if len(lost) else limit + 1)
    sure = (needed == 0) | (needed > limit)
    exact = np.ones_like(sure) if change == "removed" else sure
    return Certificates(predicted.astype(np.int64), needed, exact, limit)


class _Duel:
    """One point, the predicted class and one other; all arrays are indexed by numbers of records."""

    def __init__(
        self, sums: Sums, features: NDArray[np.intp], at: NDArray[np.intp], right: int, wrong: int, limit: int
    ) -> None:
        self._limit, self._many = limit, len(sums.totals) > 2
        self._alpha = sums.smoothing
        self._own, self._rival = sums.counts[right, at], sums.counts[wrong, at]
        self._sizes = int(sums.totals[right]), int(sums.totals[wrong])
        pseudo = (sums.starts[features + 1] - sums.starts[features]) * sums.smoothing
        self._totals = [
            self._of_totals(size, pseudo, sign) for size, sign in zip(self._sizes, (1, -1), strict=True)
        ]

    def leads(self, change: Change) -> Floats:
        """A lower bound on the lead with at most 0 … limit changed records."""
        found = {"removed": self._removed, "replaced": self._replaced, "flipped": self._flipped}[change]()
        return np.asarray(np.minimum.accumulate(found))

    def _of_totals(self, size: int, pseudo: NDArray[np.floating[Any]], sign: int) -> Floats:
        """What class count and denominators say for the lead with -limit … limit records more."""
        total = size + np.arange(-self._limit, self._limit + 1)
        safe = np.maximum(total, 0)
        said = np.log(safe + self._alpha) - np.log(safe[:, None] + pseudo).sum(axis=1)
        found: Floats = np.where(total < 0, np.inf, sign * said)
        return found

    def _fewer_alike(self) -> Floats:
        """What the levels of the point say in its class with 0 … limit records alike removed."""
        removed = np.arange(self._limit + 1)
        logs = np.log(np.maximum(self._own - removed[:, None], 0) + self._alpha).sum(axis=1)
        found: Floats = np.where(removed > self._sizes[0], np.inf, logs)
        return found

    def _more_alike(self, most: NDArray[np.int64] | None = None) -> Floats:
        """What they say in the other class with 0 … limit records alike added, of each at most `most`."""
        added = np.arange(self._limit + 1)[:, None]
        added = added if most is None else np.minimum(added, most)
        found: Floats = np.log(self._rival + added + self._alpha).sum(axis=1)
        return found

    def _removed(self) -> Floats:
        """So many removed from the one class, the others from the other."""
        middle, removed = self._limit, np.arange(self._limit + 1)
        forced = np.maximum(removed[:, None] - (self._sizes[1] - self._rival), 0)
        logs = np.log(np.maximum(self._rival - forced, 0) + self._alpha).sum(axis=1)
        falls = np.minimum.accumulate(self._fewer_alike() + self._totals[0][middle::-1])
        rises = np.minimum.accumulate(self._totals[1][middle::-1] - logs)
        return np.array([(falls[: n + 1] + rises[n::-1]).min() for n in removed])

    def _replaced(self) -> Floats:
        """Of n replaced, r leave the class, b enter the other; the rest leave the other, enter the class."""
        middle, limit = self._limit, self._limit
        fewer, more = self._fewer_alike(), self._more_alike()
        pairs = np.full(2 * limit + 1, np.inf)
        for r in range(limit + 1):
            pairs[r : r + limit + 1] = np.minimum(pairs[r : r + limit + 1], fewer[r] - more)
        own, rival = self._totals
        if self._many:  # what leaves or enters a third class need not leave or enter these
            own, rival = np.minimum.accumulate(own), np.minimum.accumulate(rival[::-1])[::-1]
        totals = own[::-1] + rival
        return np.array(
            [(pairs[: 2 * n + 1] + totals[middle - n : middle + n + 1]).min() for n in range(limit + 1)]
        )

    def _flipped(self) -> Floats:
        """Some leave the class for the other, alike as far as there are such; others come back, unlike it."""
        middle, limit = self._limit, self._limit
        levels = self._fewer_alike() - self._more_alike(self._own)
        totals = self._totals[0][::-1] + self._totals[1]
        found = np.full(limit + 1, np.inf)
        for t in range(limit + 1):
            lead = levels[t] + totals[middle + 2 * t - limit : middle + t + 1][::-1]
            found[t:] = np.minimum(found[t:], lead)
        return found
