"""Poisoning certificates: how many records somebody must add before a prediction can change.

For the model of a plain sum. Whoever adds records to push class w over the predicted class c does best
with t records of class w equal to the point in every feature, and u records of class c unlike it in every
feature; whatever else lies within the invariants moves the two classes' log-odds less. Log-odds rise with
t, and a table over u says how many more are needed, so the least t + u is found by splitting intervals
of t until no unsplit one can hold less: exact over the integers, and over everything that the invariants
(`securenb.validity`) let through, which is more than what records can do.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from securenb.feature import Codes, Numeric
from securenb.parameters import Floats
from securenb.records import UNKNOWN
from securenb.schema import Schema
from securenb.statistics import Statistics

Counts = NDArray[np.int64]

TIE = 1e-9
"""Log-odds closer than this count as a tie, and a tie as changed: rounding never certifies too much."""


@dataclass(frozen=True, eq=False)
class Certificates:
    """What it takes to change each prediction.

    Attributes
    ----------
    predicted
        Class indices, shape (n,).
    needed
        The fewest added records that can change the prediction, shape (n,): 0 where two classes tie
        already, `limit` + 1 where `limit` do not suffice.
    limit
        The most added records that were considered.
    exact
        Whether `needed` is exact. Sums with negative counts, which noise makes, are read as zero for the
        point and so in the attacker's favour: then fewer records are said to suffice than truly do.
    """

    predicted: NDArray[np.int64]
    needed: Counts
    limit: int
    exact: bool

    def malicious(self, cap: int) -> Counts:
        """The most nodes with `cap` records each that cannot change the prediction; −1 for a tie."""
        if cap < 1:
            raise ValueError(f"a cap is at least 1 record, got {cap}")
        return (self.needed - 1) // cap

    def accuracy(self, labels: NDArray[np.int32], cap: int, malicious: Sequence[int]) -> list[float]:
        """Certified accuracy: the share predicted right whatever so many malicious nodes add.

        Raises
        ------
        ValueError
            If so many nodes may add more records than were considered.
        """
        if max(malicious) * cap > self.limit:
            raise ValueError(
                f"{max(malicious)} nodes with {cap} records are beyond the {self.limit} considered"
            )
        right = self.predicted == labels
        return [float(np.mean(right & (self.malicious(cap) >= count))) for count in malicious]


def check_certifiable(schema: Schema) -> None:
    """Raise `ValueError`, naming a feature, if no exact certificate is known for models of this schema."""
    if gaussian := [feature.name for feature in schema.features if isinstance(feature, Numeric)]:
        raise ValueError(
            f"{gaussian[0]} is modelled by a Gaussian, for which no exact certificate is known; "
            "use the histogram schema"
        )


def certify(statistics: Statistics, codes: Codes, limit: int, smoothing: float = 1.0) -> Certificates:
    """Certificates for the predictions that the model of these sums makes.

    Parameters
    ----------
    statistics
        The opened sum that the model was made from.
    codes
        The points, shape (n, F).
    limit
        The most added records to consider: malicious nodes × cap.
    smoothing
        The rule's.

    Raises
    ------
    ValueError
        For a schema with Gaussian features, see `check_certifiable`. Histograms (`Schema.histogram`) are
        exact.
    """
    check_certifiable(statistics.schema)
    if limit < 0 or not smoothing > 0:
        raise ValueError(f"needs limit ≥ 0 and positive smoothing, got {limit} and {smoothing}")
    needed = np.full(len(codes), limit + 1, dtype=np.int64)
    predicted = np.zeros(len(codes), dtype=np.int64)
    # points that lack the same features share their tables
    patterns, which = np.unique(codes == UNKNOWN, axis=0, return_inverse=True)
    for index, unknown in enumerate(patterns):
        points = np.flatnonzero(which.reshape(-1) == index)
        search = _Search(statistics, np.flatnonzero(~unknown), limit, smoothing)
        predicted[points], needed[points] = search.of(codes[points])
    return Certificates(predicted, needed, limit, bool((statistics.table >= 0).all()))


class _Search:
    """Points of which the same features are known.

    The log-joint of class y with a records added, b of which have the point's level, is, up to what all
    classes share, log(n + a + α) + Σ_f [log(m_f + b + α) − log(S_f + a + L_f·α)] with n its count, m_f
    those of the point's levels and S_f the sum of all levels.
    """

    def __init__(
        self, statistics: Statistics, features: NDArray[np.intp], limit: int, smoothing: float
    ) -> None:
        schema = statistics.schema
        self._smoothing = smoothing
        self._limit = limit
        self._features = features
        blocks = {block.feature: block for block in schema.blocks if block.kind == "levels"}
        counts = np.maximum(statistics.table, 0)
        self._levels = [counts[:, blocks[feature].columns] for feature in features]
        added = np.arange(limit + 1)
        # the count itself is not clamped: what is added to a negative one has no effect at first
        prior = np.log(np.maximum(statistics.table[:, :1] + added, 0) + smoothing)
        totals = [
            np.log(levels.sum(axis=1, keepdims=True) + added + levels.shape[1] * smoothing)
            for levels in self._levels
        ]
        self._rest: Floats = prior - sum(totals, np.zeros_like(prior))
        """What a added records do to a class, whatever their levels: shape (C, limit + 1)."""
        drop = self._rest[:, :1] - self._rest
        # so many records or fewer: a class with few records gains from more of them at first
        self._drop: Floats = np.maximum.accumulate(drop, axis=1)

    def of(self, codes: Codes) -> tuple[NDArray[np.int64], Counts]:
        """Predicted classes and the fewest records that can change them."""
        shape = (len(codes), len(self._features), len(self._rest))
        cells = np.zeros(shape, dtype=np.int64)
        for at, (feature, levels) in enumerate(zip(self._features, self._levels, strict=True)):
            cells[:, at] = levels[:, codes[:, feature]].T
        joint = np.log(cells + self._smoothing).sum(axis=1) + self._rest[:, 0]
        predicted = np.argmax(joint, axis=1)
        needed = np.full(len(codes), self._limit + 1, dtype=np.int64)
        for right in range(shape[2]):
            points = np.flatnonzero(predicted == right)
            for wrong in set(range(shape[2])) - {right}:
                self._lower(needed, points, cells[points, :, wrong], joint[points, right], right, wrong)
        return predicted, needed

    def _lower(
        self, needed: Counts, points: NDArray[np.intp], cells: Counts, lead: Floats, right: int, wrong: int
    ) -> None:
        """Lower `needed` at some points to what takes `right` down to `wrong`."""

        def more(at: NDArray[np.intp], like: Counts) -> Counts:
            """Records of the right class needed besides `like` of the wrong one; limit + 1 if too many."""
            promoted = np.log(cells[at] + like[:, None] + self._smoothing).sum(axis=1)
            gap = lead[at] - promoted - self._rest[wrong, like] - TIE
            found: Counts = np.searchsorted(self._drop[right], gap).astype(np.int64)
            return found

        best = needed[points]
        at = np.arange(len(points))
        low, high = np.zeros(len(points), dtype=np.int64), np.full(len(points), self._limit)
        more_high = more(at, high)
        best = np.minimum(best, np.minimum(more(at, low), high + more_high))
        while len(at):
            # strictly between the ends: more than low, and no fewer others than at the high end
            open_ = (high - low > 1) & (low + 1 + more_high < best[at])
            at, low, high, more_high = at[open_], low[open_], high[open_], more_high[open_]
            middle = (low + high) // 2
            more_middle = more(at, middle)
            np.minimum.at(best, at, middle + more_middle)
            at, low, high = np.tile(at, 2), np.concatenate([low, middle]), np.concatenate([middle, high])
            more_high = np.concatenate([more_middle, more_high])
        needed[points] = best
