"""Collective certificates: what one placement of malicious records can do to all points of a test set.

A certificate of a single point lets malicious nodes place their records anew for each. Together, one
placement must serve all points, and changes fewer. Schuchardt, Bojchevski, Gasteiger and Günnemann 2021,
"Collective Robustness Certificates", for graphs; here Naive Bayes of counts allows a program of its own
(`securenb.certify.placement_program`).
"""

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import Floats
from securenb.certify.certificate import UNCERTIFIABLE, Certificates, certify_sums
from securenb.certify.placement_program import Box, PlacementProgram, Sums, Targets
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

FINE = 24
"""Sides of a box are cut to this part of all added records before points are decided one by one."""


@dataclass(frozen=True)
class Collective:
    """What is certain for a test set.

    Attributes
    ----------
    malicious, records
        How many malicious nodes, and how many records they add at most.
    at_least
        The score that no placement of these records takes the model below.
    pointwise
        What certificates of single points say; never more.
    clean
        The score without malicious nodes.
    programs
        How many linear programs were solved.
    """

    malicious: int
    records: int
    at_least: float
    pointwise: float
    clean: float
    programs: int


def certify_together(
    model: NaiveBayes,
    points: Records,
    malicious: int,
    cap: int,
    *,
    balanced: bool = True,
    programs: int = 64,
    found: Certificates | None = None,
) -> Collective:
    """The least score on these points, whatever so many malicious nodes add within the cap.

    Parameters
    ----------
    model
        That of a plain sum, as for `certify`; categorical and binned features.
    balanced
        Whether the score is balanced accuracy, over the classes that occur; otherwise accuracy.
    programs
        The most linear programs to solve: more bring the bound nearer to the truth.
    found
        Certificates of these points, if they are there already.

    Raises
    ------
    ValueError
        If the model is no plain sum, a feature has no levels, naming it, or a number is out of range.
    """
    if model.pooled is None:
        raise ValueError(UNCERTIFIABLE)
    if malicious < 0 or cap < 1 or programs < 1 or not len(points):
        raise ValueError(
            "needs some points, malicious ≥ 0, a cap and programs of at least 1, got "
            f"{len(points)} points, {malicious}, {cap} and {programs}"
        )
    sums = sums_of(model.pooled.statistics, model.pooled.smoothing)
    limit = malicious * cap
    if found is None:
        found = certify_sums(model.pooled.statistics, points.codes, limit, model.pooled.smoothing)
    classes, labels, sizes = np.unique(points.labels, return_inverse=True, return_counts=True)
    each = 1 / len(classes) / sizes[labels] if balanced else np.full(len(points), 1 / len(points))
    right, held = found.predicted == points.labels, found.held(points.labels, cap, [malicious])[0]
    clean, pointwise = float(each[right].sum()), float(each[held].sum())
    if not limit or held[right].all():
        return Collective(malicious, limit, pointwise, pointwise, clean, 0)
    doubtful = right & ~held
    known = np.column_stack([points.labels, points.codes])[doubtful]
    alike, which = np.unique(known, axis=0, return_inverse=True)
    weights = np.bincount(which.reshape(-1), each[doubtful]).astype(np.float64)
    targets = Targets(alike[:, 1:], alike[:, 0].astype(np.int64), weights)
    lost, solved = most_changed(sums, targets, limit, programs)
    return Collective(malicious, limit, max(clean - lost, pointwise), pointwise, clean, solved)


def has_levels(schema: Schema) -> bool:
    """Whether all features have levels, which a collective certificate needs."""
    return all(feature.partition for feature in schema.features)


def sums_of(statistics: Statistics, smoothing: float) -> Sums:
    """What programs need of sums.

    Raises
    ------
    ValueError
        If a feature has no levels, naming it.
    """
    schema = statistics.schema
    for feature in schema.features:
        if not feature.partition:
            raise ValueError(
                f"feature {feature.name!r} is of the kind {feature.kind!r}: a collective certificate needs "
                "levels; read numbers as histograms (numeric = histogram)"
            )
    parts = [statistics.table[:, columns] for columns in schema.columns]
    starts = np.cumsum([0, *(part.shape[1] for part in parts)])
    return Sums(np.concatenate(parts, axis=1), statistics.table[:, 0], starts, smoothing)


def most_changed(sums: Sums, targets: Targets, limit: int, programs: int) -> tuple[float, int]:
    """No placement of at most `limit` records changes targets worth more; and how many programs were solved.

    The worst part of the search is divided first: boxes of class counts until they are small, then what is
    changed in part is once held changed and once held unchanged. What is left undivided keeps its bound, so
    that the answer is right whenever the search ends.
    """
    whole = Box((0,) * len(sums.counts), (limit,) * len(sums.counts))
    queue: list[_Part] = [_Part.of(whole, PlacementProgram(sums, targets, limit, whole), {})]
    small, solved = max(1, limit // FINE), 1
    while solved + 2 <= programs:
        part = heappop(queue)
        if max(np.subtract(part.box.most, part.box.least)) >= small:
            boxes = [half.within(limit) for half in part.box.halves() if sum(half.least) <= limit]
            parts = [_Part.of(box, PlacementProgram(sums, targets, limit, box), {}) for box in boxes]
        else:
            variable = part.undecided(targets.weights)
            if variable is None:
                heappush(queue, part)
                break
            parts = [_Part.of(part.box, part.program, {**part.fixed, variable: value}) for value in (0, 1)]
        solved += len(parts)
        for each in parts:
            # a part holds no more than the whole, whatever its own program proves
            each.bound = min(each.bound, part.bound)
            heappush(queue, each)
    return min(queue[0].bound, float(targets.weights.sum())), solved


@dataclass(eq=False)
class _Part:
    """A part of the search: a box, its program, what is decided in it, its bound, how far points change."""

    box: Box
    program: PlacementProgram
    fixed: dict[int, int]
    bound: float
    changed: Floats

    @classmethod
    def of(cls, box: Box, program: PlacementProgram, fixed: dict[int, int]) -> "_Part":
        return cls(box, program, fixed, *program.most(fixed))

    def __lt__(self, other: "_Part") -> bool:
        return self.bound > other.bound  # the worst first

    def undecided(self, weights: Floats) -> int | None:
        """The variable that is changed most in part, by weight; `None` if all are decided."""
        part = np.minimum(self.changed, 1 - self.changed) * weights[self.program.owners]
        part[list(self.fixed)] = 0
        if not len(part) or part.max() <= 1e-9 * weights.max():
            return None
        return int(np.argmax(part))
