"""Poisoning certificates: how many records an attacker must add before a prediction can change.

For the model of a plain sum. Who adds records to push class w over the predicted class c does best
with t records of class w that raise it most, and u records of class c that lower it most. For categorical
and binned features those are equal to the point, and unlike it (`securenb.certify.categorical`); for
Gaussians see `securenb.certify.gaussian`. Features are chosen each for itself, which the invariants
(`securenb.schema.invariants`) let through, and which is more than what records can do. Every t and u is
looked at, not a grid of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from securenb._html import html_table
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import Floats
from securenb.certify import categorical, gaussian  # noqa: F401 - they register what they reach
from securenb.certify.reach import Held, Reach, reach
from securenb.certify.worst_addition import TIE, Counts, WorstAddition
from securenb.schema.cells import Codes
from securenb.schema.records import UNKNOWN
from securenb.schema.statistics import Statistics

Places = NDArray[np.intp]
Bounds = tuple[Places, list[Floats], list[Floats]]
"""Of a feature: rows of the points, and by class the least and the most in each row, (rows, added + 1)."""

FIRST, GROWTH = 63, 8
"""How many added records are looked at first, and how many times as many next, for what withstood them."""
AT_ONCE = 2_000_000
"""Log-odds that are held in memory at a time."""


@dataclass(frozen=True, eq=False, repr=False)
class Certificates:
    """What it takes to change each prediction.

    Attributes
    ----------
    predicted
        Class indices, shape (n,).
    needed
        No fewer added records can change the prediction, shape (n,): 0 where two classes tie already,
        `limit` + 1 where `limit` do not suffice.
    exact
        Whether so many do, shape (n,): a table within the invariants was found that brings it about, or
        none was needed. It may be missing only for Gaussians, whose sums and squares are bounded as real
        numbers, and more widely where noise took a mean out of its bounds.
    limit
        The most added records that were considered.
    """

    predicted: NDArray[np.int64]
    needed: Counts
    exact: NDArray[np.bool_]
    limit: int

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
        return [float(np.mean(held)) for held in self.held(labels, cap, malicious)]

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each prediction: the class index, how many records change it, whether that is exact."""
        return pd.DataFrame({"predicted": self.predicted, "needed": self.needed, "exact": self.exact})

    def __repr__(self) -> str:
        return f"<Certificates: {len(self.needed)} predictions, {self._told()}>"

    def _told(self) -> str:
        withstand = int((self.needed > self.limit).sum())
        half = float(np.median(self.needed)) if len(self.needed) else 0.0
        return f"half need {half:g} added records or more, {withstand} withstand all {self.limit}"

    def _repr_html_(self) -> str:
        quarters = [f"{100 * q:.0f} %" for q in (0, 0.25, 0.5, 0.75, 1)]
        at = np.quantile(self.needed, [0, 0.25, 0.5, 0.75, 1]) if len(self.needed) else np.zeros(5)
        needed = ["added records needed", *(f"{value:g}" for value in at)]
        return html_table(f"Certificates: {self._told()}", ["of predictions", *quarters], [needed])

    def held(
        self, labels: NDArray[np.int32], cap: int, malicious: Sequence[int], *, certainly: bool = True
    ) -> list[NDArray[np.bool_]]:
        """For each number of malicious nodes, which predictions are right and stay so, shape (n,).

        Parameters
        ----------
        certainly
            Otherwise those that are not known to change.
        """
        if max(malicious) * cap > self.limit:
            raise ValueError(
                f"{max(malicious)} nodes with {cap} records are beyond the {self.limit} considered"
            )
        right, withstood = self.predicted == labels, self.malicious(cap)
        doubtful = np.zeros_like(self.exact) if certainly else ~self.exact
        return [right & ((withstood >= count) | doubtful) for count in malicious]


UNCERTIFIABLE = (
    "only the model of a plain sum can be certified: train with --rule verified_sum, or with --no-shrinkage"
)


def certify(model: NaiveBayes, points: pd.DataFrame | Codes, malicious: int, cap: int) -> Certificates:
    """How many nodes each prediction withstands, up to `malicious` of them with `cap` records each.

    Parameters
    ----------
    model
        That of a plain sum: of the rule `verified_sum`, or of `sum` without noise or without shrinkage.
    points
        A table with the schema's columns, or codes of shape (n, F).

    Raises
    ------
    ValueError
        If the model is another, or the numbers are out of range.
    """
    if model.pooled is None:
        raise ValueError(UNCERTIFIABLE)
    if malicious < 0 or cap < 1:
        raise ValueError(f"needs malicious ≥ 0 and a cap of at least 1, got {malicious} and {cap}")
    codes = model.schema.encode(points) if isinstance(points, pd.DataFrame) else points
    return certify_sums(model.pooled.statistics, codes, malicious * cap, model.pooled.smoothing)


def certify_sums(statistics: Statistics, codes: Codes, limit: int, smoothing: float = 1.0) -> Certificates:
    """Certificates for the predictions that the model of these sums makes.

    Parameters
    ----------
    statistics
        The opened sum that the model was made from.
    codes
        The points, shape (n, F).
    limit
        The most added records to consider: malicious nodes × cap. Each takes about a kilobyte of memory
        for each numeric feature and class.
    smoothing
        The rule's.

    Raises
    ------
    ValueError
        If the numbers are out of range, or the kind of a feature has no certificate, naming it.
    """
    if limit < 0 or not smoothing > 0:
        raise ValueError(f"needs limit ≥ 0 and positive smoothing, got {limit} and {smoothing}")
    for feature, columns in zip(statistics.schema.features, statistics.schema.columns, strict=True):
        reach(feature, Held(0, statistics.table[0, columns], smoothing))  # refuses what has none
    needed = np.full(len(codes), limit + 1, dtype=np.int64)
    predicted = np.zeros(len(codes), dtype=np.int64)
    exact = np.ones(len(codes), dtype=np.bool_)
    # points that lack the same features share their tables
    patterns, which = np.unique(codes == UNKNOWN, axis=0, return_inverse=True)
    for index, unknown in enumerate(patterns):
        points = np.flatnonzero(which.reshape(-1) == index)
        search = _Search(statistics, np.flatnonzero(~unknown), codes[points], smoothing)
        predicted[points], needed[points], exact[points] = search.run(limit)
    return Certificates(predicted, needed, exact, limit)


class _Search:
    """Points of which the same features are known.

    The log-joint of a class is, up to what all classes share, log(n + α) with n its count, and what each
    feature says. With a records added to the class, no matter how many to others, the least and the most
    that a feature can say depend on a and the point's value alone.
    """

    def __init__(self, statistics: Statistics, features: Places, codes: Codes, smoothing: float) -> None:
        schema, table = statistics.schema, statistics.table
        self._statistics, self._smoothing, self._codes = statistics, smoothing, codes
        self._classes = range(len(schema.classes))
        self._features: list[tuple[NDArray[np.int32], list[Reach]]] = []
        for at in features:
            feature, columns = schema.features[at], schema.columns[at]
            reaches = [reach(feature, Held(int(row[0]), row[columns], smoothing)) for row in table]
            self._features.append((codes[:, at], reaches))

    def run(self, limit: int) -> tuple[Counts, Counts, NDArray[np.bool_]]:
        """Predicted classes, the fewest records that can change them, and whether so many do."""
        waiting = np.arange(len(self._codes))
        joint = np.tile(self._priors(0).T, (len(waiting), 1))
        for row, least, _ in self._bounds(waiting, 0):
            joint += np.stack([least[y][row, 0] for y in self._classes], axis=1)
        predicted = np.argmax(joint, axis=1)
        worst, most = WorstAddition.none(len(waiting), limit), min(limit, FIRST)
        while True:
            priors, bounds = self._priors(most), self._bounds(waiting, most)
            rows = max(1, AT_ONCE // (most + 1))
            for right in self._classes:
                places = np.flatnonzero(predicted[waiting] == right)
                for start in range(0, len(places), rows):
                    some = places[start : start + rows]
                    _lower(
                        worst,
                        waiting[some],
                        right,
                        priors,
                        [(row[some], low, high) for row, low, high in bounds],
                    )
            waiting = waiting[worst.needed[waiting] > most]
            if most == limit or not len(waiting):
                break
            most = min(limit, GROWTH * most)
        exact = worst.found(self._statistics, self._codes, predicted, self._smoothing)
        return predicted, worst.needed, exact

    def _priors(self, most: int) -> Floats:
        """What a class's count says with 0 … `most` records added, shape (C, most + 1)."""
        counts = np.maximum(self._statistics.table[:, :1] + np.arange(most + 1), 0)
        logs: Floats = np.log(counts + self._smoothing)
        return logs

    def _bounds(self, points: Places, most: int) -> list[Bounds]:
        """What each feature can say about some points with 0 … `most` records added to a class."""
        added = np.arange(most + 1, dtype=np.float64)[None]
        found: list[Bounds] = []
        for column, reaches in self._features:
            values, row = np.unique(column[points], return_inverse=True)
            ends = [reach.bounds(values[:, None].astype(np.float64), added) for reach in reaches]
            found.append((row.reshape(-1), [low for low, _ in ends], [high for _, high in ends]))
        return found


def _lower(
    worst: WorstAddition, points: Places, right: int, priors: Floats, bounds: Sequence[Bounds]
) -> None:
    """Note for some points, all predicted `right`, what takes that down to another class."""
    falls = np.tile(priors[right], (len(points), 1))
    for row, least, _ in bounds:
        falls += least[right][row]
    falls = -np.minimum.accumulate(falls, axis=1)
    like = np.arange(falls.shape[1])
    for wrong in set(range(len(priors))) - {right}:
        rises = np.tile(priors[wrong], (len(points), 1))
        for row, _, most in bounds:
            rises += most[wrong][row]
        # one more of a kind may undo what fewer did; they need not be sent
        rises = np.maximum.accumulate(rises, axis=1) + TIE
        for point, fall, rise in zip(points, falls, -rises, strict=True):
            unlike = np.searchsorted(fall, rise)
            best = int(np.argmin(like + unlike))
            # beyond the end is not a number of records, but none that was looked at
            if best + unlike[best] < len(like):
                worst.note(int(point), wrong, best, int(unlike[best]))
