"""Whatever malicious nodes send, staircase sums stay in their boxes, and certified predictions stand."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from benchmarks.evidence.claim import Claim, Result
from protocols.ring import Integers
from securenb.bayes.staircase.estimate import scores, shares
from securenb.bayes.staircase.model import StaircaseModel
from securenb.bayes.staircase.votes import projected
from securenb.certify.staircase import withstands
from securenb.schema.features import Categorical
from securenb.schema.increments import Increments
from securenb.schema.schema import Schema

CASES = 500
TIE = 1e-9
"""What rounding may move a projected vote or a log-rate by."""


def layout_of(rng: np.random.Generator) -> Increments:
    """A random schema with random thresholds, of one to eight steps, and of different quotas."""
    classes, features = int(rng.integers(2, 4)), int(rng.integers(1, 4))
    schema = Schema(
        tuple("abc"[:classes]),
        tuple(Categorical(f"f{at}", tuple("uvwx"[: rng.integers(2, 5)])) for at in range(features)),
    )
    ladders = []
    for _ in range(classes):
        quota = int(rng.integers(2, 40))
        inner = rng.choice(np.arange(1, quota), min(int(rng.integers(0, 8)), quota - 1), replace=False)
        ladders.append((0, *sorted(map(int, inner)), quota))
    return Increments.of(schema, ladders)


def honest(layout: Increments, nodes: int, rng: np.random.Generator) -> Integers:
    """Increments of nodes that hold random records, some of them full, shape (nodes, C, width)."""
    tables = []
    for _ in range(nodes):
        table = np.zeros((len(layout.classes), layout.base.width), dtype=np.int64)
        for index, quota in enumerate(layout.quotas):
            count = quota if rng.random() < 0.5 else int(rng.integers(0, quota + 1))
            table[index, 0] = count
            for columns in layout.base.columns:
                levels = columns.stop - columns.start
                table[index, columns] = rng.multinomial(count, rng.dirichlet(np.ones(levels)))
        tables.append(layout.expanded(table))
    return np.array(tables)


def lies(layout: Increments, nodes: int, rng: np.random.Generator) -> Integers:
    """Increments anywhere between nothing and their steps, far more than a quota of records."""
    full = full_of(layout)
    kind = int(rng.integers(3))
    if kind == 0:
        return rng.integers(0, full + 1, (nodes, *full.shape))
    shape = (1, *full.shape) if kind == 1 else (nodes, *full.shape)
    return np.broadcast_to(full * (rng.random(shape) < 0.5), (nodes, *full.shape)).astype(np.int64)


def full_of(layout: Increments) -> Integers:
    """Every increment at its step, (C, width)."""
    parts = [np.tile(layout.steps, (1, feature.size)) for feature in layout.features]
    full: Integers = np.concatenate(parts, axis=1)
    return full


def case(seed: int, number: int) -> Counter[str]:
    """One row, box and certificates checked; a violation raises `AssertionError`."""
    rng = np.random.default_rng([seed, number])
    layout, nodes = layout_of(rng), int(rng.integers(3, 30))
    bad = int(rng.integers(1, nodes))
    trim = float(rng.choice([0.0, 0.3, 0.48]))
    others, forged, full = honest(layout, nodes - bad, rng), lies(layout, bad, rng), full_of(layout)
    noise = np.rint(rng.normal(0, rng.choice([0.0, 2.0, 40.0]), full.shape)).astype(np.int64)
    least = others.sum(axis=0) + noise
    rows = [least, least + forged.sum(axis=0), least + bad * full]
    box(layout, rows, nodes, trim)
    codes = np.stack([rng.integers(0, feature.size, 60) for feature in layout.features], axis=1)
    row = StaircaseModel(layout, rows[1], nodes, trim)
    alone = alone_of(layout, least, nodes, bad, trim)
    sure = withstands(row, codes.astype(np.int32), bad)
    at_least = np.zeros((len(codes), len(layout.classes)))
    for columns, levels in zip(layout.base.columns, codes.T, strict=True):
        at_least += np.log(alone[:, columns][:, levels]).T
    changed = sure & (at_least.argmax(axis=1) != row.predict_codes(codes.astype(np.int32)))
    assert not changed.any(), f"case {number}: {int(changed.sum())} certified predictions are others'"
    return Counter(cases=1, certified=int(sure.sum()), points=len(codes))


def box(layout: Increments, rows: Sequence[Integers], nodes: int, trim: float) -> None:
    """Theorem 1: projected votes, and rates, between those of the two ends."""
    votes = [shares(layout, row, nodes) for row in rows]
    for index, steps in enumerate(layout.steps):
        widths = steps[steps > 0].astype(np.float64)
        for at in range(len(layout.features)):
            low, middle, high = (projected(vote[index][at], widths) for vote in votes)
            assert (middle >= low - TIE).all()
            assert (middle <= high + TIE).all()
    low, middle, high = (np.log(scores(layout, vote, trim, nodes)) for vote in votes)
    assert (middle >= low - TIE).all()
    assert (middle <= high + TIE).all()


def alone_of(layout: Increments, least: Integers, nodes: int, bad: int, trim: float) -> np.ndarray:
    """What the rule reads off the others alone, with this row's noise, thresholds, curve and a."""
    votes = shares(layout, least, nodes)
    grown = tuple(tuple(part * nodes / (nodes - bad) for part in features) for features in votes)
    return scores(layout, grown, trim, nodes)


class StaircaseBoxes(Claim):
    """10,000 random rows of increments."""

    says = (
        "Whatever malicious nodes send within their steps, votes and rates lie within the box of theorem 1, "
        "and a certified prediction is that of the others."
    )
    code = (
        "securenb/bayes/staircase",
        "securenb/certify/staircase.py",
        "securenb/schema/increments.py",
    )
    seed = 19
    parts = 20

    def measure(self, part: int, size: int | None = None) -> Result:
        """See `Claim.measure`; a violation raises `AssertionError`."""
        total: Counter[str] = Counter()
        for number in range(part * CASES, part * CASES + (size or CASES)):
            total += case(self.seed, number)
        return {name: float(total[name]) for name in ("cases", "points", "certified")}

    def holds(self, results: Sequence[Result]) -> bool:
        """See `Claim.holds`: nothing was violated, and something was certified."""
        return all(result["cases"] > 0 and result["certified"] > 0 for result in results)
