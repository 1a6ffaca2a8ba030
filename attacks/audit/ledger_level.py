"""L0: the ledger, read with arithmetic of the auditor's own. Static and certain."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from attacks.audit.finding import Finding
from attacks.audit.target import Line, Target
from protocols.errors import Abort
from protocols.ring import BITS
from securenb.privacy.accountant import Query
from securenb.privacy.cost import Cost, Either, Together, epsilon_at
from securenb.privacy.distributions import Distribution
from securenb.privacy.mechanism import TAIL_BITS
from securenb.privacy.sensitivity import ADJACENCIES, Adjacency
from securenb.schema.feature import Numeric
from securenb.schema.schema import Schema


def audit_ledger(target: Target, adjacency: Adjacency) -> Iterator[Finding]:
    """Every static check."""
    lines = target.lines()
    yield _finding("every public cell is in the ledger once", _coverage(target.schema, lines))
    yield _finding("sensitivities follow from the public schema", _sensitivities(target, lines))
    yield _finding("every line has integer noise of finite, positive spread", _laws(lines))
    among, honest = target.honest()
    shares = f"{among} shares make a dose, {honest} honest ones are guaranteed"
    yield _finding("honest survivors carry a dose", "" if 1 <= among <= honest else shares, shares)
    yield _charged(target)
    yield _room(target, lines)
    yield _claim(target, lines, adjacency)


def _finding(check: str, problem: str, evidence: str = "holds") -> Finding:
    return Finding("L0", check, "FAIL" if problem else "PASS", problem or evidence)


def _coverage(schema: Schema, lines: Sequence[Line]) -> str:
    count = np.zeros(schema.length, dtype=int)
    for line in lines:
        count[line.columns] += 1
    wrong = np.flatnonzero(count != 1)
    if not len(wrong):
        return ""
    label, column = divmod(int(wrong[0]), schema.width)
    return f"{schema.column_name(column)} of class {schema.classes[label]} is in {count[wrong[0]]} lines"


def _sensitivities(target: Target, lines: Sequence[Line]) -> str:
    grids = set()
    for line in lines:
        if line.source != "schema":
            return f"{line.name}: the sensitivity is read off the data"
        if line.law is not None:
            grids.add(Fraction(line.reach, reach(target.schema, line)))
    if len(grids) > 1 or any(grid.denominator != 1 for grid in grids):
        return f"stated and derived sensitivities differ by the factors {sorted(map(float, grids))}"
    return ""


def reach(schema: Schema, line: Line) -> int:
    """How far adding one record can move a coordinate of the line, by trying everything it may hold."""
    return max(abs(value) for value in _held(schema, line))


def span(schema: Schema, line: Line) -> int:
    """How far changing one record within its class can move a coordinate of the line, in the same way."""
    values = _held(schema, line)
    return max(values) - min(values)


def _held(schema: Schema, line: Line) -> list[int]:
    """What a record of the class may add to one coordinate."""
    feature = schema.features[line.block.feature]
    if line.block.kind == "count":
        return [1]
    if line.block.kind == "levels" or not isinstance(feature, Numeric):
        return [0, 1]
    points = [point - feature.offset for point in range(feature.steps + 1)]
    return points if line.block.kind == "sum" else [point**2 - feature.square_offset for point in points]


def _charged(target: Target) -> Finding:
    check = "every opened row is charged"
    try:
        rows = target.uncharged()
    except Abort as abort:
        return Finding("L0", check, "INCONCLUSIVE", f"a round opens nothing: {abort}")
    return _finding(check, f"nobody is charged for {', '.join(rows)}" if rows else "")


def _room(target: Target, lines: Sequence[Line]) -> Finding:
    """Sums, recomputed from what records and noise may reach, against what the ring was planned for."""
    check, capacity = "sums do not wrap", target.capacity()
    if capacity is None:
        return Finding("L0", check, "PASS", "no ring is used")
    needed = max(
        line.reach * target.records()
        + (line.law.tail(TAIL_BITS * math.log(2)) if isinstance(line.law, Distribution) else 0)
        for line in lines
    )
    evidence = f"sums may reach {needed:,}, the ring is planned for {capacity.largest_sum:,}"
    fits = needed <= capacity.largest_sum < 1 << (BITS - 1)
    return Finding("L0", check, "PASS" if fits else "FAIL", evidence)


def _laws(lines: Sequence[Line]) -> str:
    for line in lines:
        if line.law is None:
            return f"{line.name} gets no noise"
        if not isinstance(line.law, Distribution):
            return f"{line.name}: {line.law} is not integer-valued"
        if not 0 < line.law.spread() < math.inf:
            return f"{line.name}: {line.law} has variance {line.law.spread()}"
    return ""


def _claim(target: Target, lines: Sequence[Line], adjacency: Adjacency) -> Finding:
    """The claim, recomputed along the path of a record: all lines of its class.

    Under add/remove costs add up over them, and the costliest class counts. Under replace-one a record
    may leave one class for another, so the two costliest do; or it stays, and moves within its class,
    which up to a delta may cost more.
    """
    check = f"the claim under {adjacency} is the sum over a record's path"
    claimed = target.claimed(adjacency)
    if claimed is None:
        return Finding("L0", check, "FAIL", "no epsilon is claimed: nothing is private")
    schema = target.schema
    leaving: list[list[Cost]] = [[] for _ in schema.classes]
    staying: list[list[Cost]] = [[] for _ in schema.classes]
    sums: dict[tuple[int, int], Line] = {}
    for line in lines:
        law, label = line.law, line.columns.start // schema.width
        if not isinstance(law, Distribution):
            return Finding("L0", check, "FAIL", f"{line.name}: {law} bounds no loss")
        if not target.delta and law.pure(line.reach) is None:
            return Finding("L0", check, "FAIL", f"{line.name}: {law} bounds no loss")
        leaving[label].append(Query(law, line.reach))
        if line.block.kind == "levels":
            staying[label].append(Query(law, line.reach, 2))
        elif line.block.kind == "sum":
            sums[label, line.block.feature] = line
        elif line.block.kind == "squares" and (label, line.block.feature) in sums:
            staying[label].append(_jump(schema, sums[label, line.block.feature], line))
    costs = sorted((_cost(path, target.delta), index) for index, path in enumerate(leaving))
    within = max(_cost(path, target.delta) for path in staying)
    (_, second), (dearest, first) = costs[-2:]
    totals: dict[Adjacency, float] = {
        "add-remove": float(dearest),
        "replace-one": float(max(_cost([*leaving[first], *leaving[second]], target.delta), within)),
    }
    evidence = ", ".join(f"{kind} {totals[kind]:.6g}" for kind in ADJACENCIES)
    evidence = f"recomputed: {evidence}; claimed {float(claimed):.6g}" + (
        f" at delta {target.delta:g}" if target.delta else ""
    )
    short = totals[adjacency] > float(claimed) * (1 + 1e-6)
    return Finding("L0", check, "FAIL" if short else "PASS", evidence, totals[adjacency], float(claimed))


def _jump(schema: Schema, sums: Line, squares: Line) -> Cost:
    """From one value of a number to another: what that does to its two lines, by trying every pair."""
    values, squared = (np.array(_held(schema, line)) for line in (sums, squares))
    grid = sums.reach // reach(schema, sums)
    by = np.abs(values[:, None] - values).ravel()
    square = np.abs(squared[:, None] - squared).ravel()
    furthest: dict[int, int] = {}
    for far, also in zip(by.tolist(), square.tolist(), strict=True):
        furthest[far] = max(furthest.get(far, 0), also)
    assert isinstance(sums.law, Distribution)
    assert isinstance(squares.law, Distribution)
    return Either(
        tuple(
            Together((Query(sums.law, far * grid), Query(squares.law, also * grid)))
            for far, also in furthest.items()
        )
    )


def _cost(path: Sequence[Cost], delta: float) -> Fraction:
    """What everything on a path costs together."""
    epsilon = epsilon_at(Together(tuple(path)), delta)
    assert epsilon is not None, "a law without a largest loss needs a delta"
    return epsilon
