"""Collective certificates against everything that malicious records can do, in cases that can be tried."""

import itertools
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.evidence.claim import Claim, Result
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import estimate
from securenb.bayes.pooled import Pooled
from securenb.certify.collective import certify_together
from securenb.certify.worst_addition import TIE
from securenb.schema.features import Categorical
from securenb.schema.records import UNKNOWN, Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

Tables = NDArray[np.int64]

SCHEMAS = (
    Schema(("a", "b"), (Categorical("colour", ("red", "green", "blue")), Categorical("shape", ("x", "y")))),
    Schema(("a", "b", "c"), (Categorical("colour", ("red", "green")), Categorical("shape", ("x", "y")))),
    Schema(("a", "b"), tuple(Categorical(name, ("0", "1")) for name in "uvw")),
)
MOST = 3
"""Records that are added at most."""


class CollectiveCertificates(Claim):
    """Two or three classes and features; unknown values, noise that makes counts negative, odd smoothing."""

    says = "No placement takes a model below its collective certificate, never below the pointwise one."
    code = ("securenb/certify", "securenb/bayes")
    seed = 18
    parts = 100

    def measure(self, part: int, size: int | None = None) -> Result:
        """See `Claim.measure`; a part is a hundred cases."""
        cases, violations, below, tight = size or 100, 0, 0, 0
        for case in range(cases):
            rng = np.random.default_rng([self.seed, part, case])
            model, points, limit = _case(rng)
            balanced, programs = bool(rng.integers(2)), int(rng.choice([1, 4, 16]))
            found = certify_together(model, points, 1, limit, balanced=balanced, programs=programs)
            truth = least_score(model, points, limit, balanced=balanced)
            violations += found.at_least > truth + 1e-9
            below += found.at_least < found.pointwise
            tight += found.at_least > truth - 1e-9
        return {"cases": cases, "violations": violations, "below_pointwise": below, "tight": tight}

    def holds(self, results: Sequence[Result]) -> bool:
        """See `Claim.holds`."""
        broken = sum(result["violations"] + result["below_pointwise"] for result in results)
        return broken == 0 < sum(result["cases"] for result in results)


def _case(rng: np.random.Generator) -> tuple[NaiveBayes, Records, int]:
    schema = SCHEMAS[int(rng.integers(len(SCHEMAS)))]
    levels, classes = [feature.size for feature in schema.features], len(schema.classes)
    records = int(rng.integers(2, 25))
    labels = rng.integers(0, classes, records)
    codes = np.stack([np.minimum(rng.integers(0, n, records) + labels % 2, n - 1) for n in levels], axis=1)
    table = Statistics.of(schema, Records(codes.astype(np.int32), labels.astype(np.int32))).table
    if rng.random() < 0.3:
        table = table + rng.integers(-2, 3, table.shape)
    pooled = Pooled(Statistics(schema, table), float(rng.choice([0.5, 1.0, 3.0])))
    n = int(rng.integers(3, 15))
    points = np.stack([rng.integers(0, size, n) for size in levels], axis=1).astype(np.int32)
    points[rng.random(points.shape) < 0.1] = UNKNOWN
    model = NaiveBayes(pooled.parameters(), pooled)
    truth = model.predict_codes(points)
    some = rng.random(n) < 0.2
    truth[some] = rng.integers(0, classes, int(some.sum()))
    return model, Records(points, truth.astype(np.int32)), int(rng.integers(1, MOST + 1))


def least_score(model: NaiveBayes, points: Records, limit: int, *, balanced: bool) -> float:
    """The score under the worst placement of at most `limit` records within the invariants, by trying all."""
    assert model.pooled is not None
    statistics, labels = model.pooled.statistics, points.labels
    classes, sizes = np.unique(labels, return_counts=True)
    weights = 1 / len(classes) / sizes[np.searchsorted(classes, labels)]
    if not balanced:
        weights = np.full(len(labels), 1 / len(labels))
    schema, codes = statistics.schema, points.codes
    found = estimate(schema, statistics.table + additions(schema, limit), model.pooled.smoothing).table
    joint = np.repeat(np.log(found[:, None, :, 0]), len(labels), axis=1)
    for columns, code in zip(schema.columns, codes.T, strict=True):
        known = code != UNKNOWN
        joint[:, known] += np.log(found[..., columns])[:, :, code[known]].swapaxes(1, 2)
    at = np.arange(len(labels))
    own = joint[:, at, labels].copy()
    joint[:, at, labels] = -np.inf
    # as certificates do: a tie counts as changed
    kept = (model.predict_codes(codes) == labels) & (own - joint.max(axis=2) > TIE)
    return float((kept @ weights).min())


@lru_cache(maxsize=16)
def additions(schema: Schema, limit: int) -> Tables:
    """All tables within the invariants of at most `limit` records: features are placed each for itself."""
    found = []
    for counts in itertools.product(range(limit + 1), repeat=len(schema.classes)):
        if sum(counts) <= limit:
            rows = [_rows(schema, count) for count in counts]
            found += [np.stack(chosen) for chosen in itertools.product(*rows)]
    return np.array(found)


def _rows(schema: Schema, count: int) -> list[NDArray[np.int64]]:
    """All rows of a class with so many records."""
    by_feature = [
        [
            levels
            for levels in itertools.product(range(count + 1), repeat=feature.size)
            if sum(levels) == count
        ]
        for feature in schema.features
    ]
    return [np.array([count, *itertools.chain(*chosen)]) for chosen in itertools.product(*by_feature)]
