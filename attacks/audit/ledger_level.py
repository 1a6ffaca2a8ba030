"""L0: the ledger, read with arithmetic of the auditor's own. Static and certain."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from attacks.audit.finding import Finding
from attacks.audit.target import Line, Target
from securenb.accountant import Query, renyi_epsilon
from securenb.distributions import Distribution
from securenb.feature import Numeric
from securenb.schema import Schema
from securenb.sensitivity import ADJACENCIES, Adjacency


def audit_ledger(target: Target, adjacency: Adjacency) -> Iterator[Finding]:
    """Every static check."""
    lines = target.lines()
    yield _finding("every public cell is in the ledger once", _coverage(target.schema, lines))
    yield _finding("sensitivities follow from the public schema", _sensitivities(target, lines))
    yield _finding("every line has integer noise of finite, positive spread", _laws(lines))
    among, honest = target.honest()
    shares = f"{among} shares make a dose, {honest} honest ones are guaranteed"
    yield _finding("honest survivors carry a dose", "" if 1 <= among <= honest else shares, shares)
    rows = target.uncharged()
    yield _finding("every opened row is charged", f"nobody is charged for {', '.join(rows)}" if rows else "")
    capacity = target.capacity()
    bits = 0 if capacity is None else capacity.largest_sum.bit_length() + 1
    room = f"sums take {bits} bits of 64" if bits else "no ring is used"
    yield _finding("sums do not wrap", room if bits > 64 else "", room)
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
    feature = schema.features[line.block.feature]
    if line.block.kind in ("count", "levels") or not isinstance(feature, Numeric):
        return 1
    points = [point - feature.offset for point in range(feature.steps + 1)]
    if line.block.kind == "sum":
        return max(abs(point) for point in points)
    return max(abs(point**2 - feature.square_offset) for point in points)


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
    may leave one class for another, so the two costliest do.
    """
    check = f"the claim under {adjacency} is the sum over a record's path"
    claimed = target.claimed(adjacency)
    if claimed is None:
        return Finding("L0", check, "FAIL", "no epsilon is claimed: nothing is private")
    width = target.schema.width
    totals: dict[Adjacency, float] = {}
    by_class: list[list[Query]] = [[] for _ in target.schema.classes]
    for line in lines:
        if not isinstance(line.law, Distribution):
            return Finding("L0", check, "FAIL", f"{line.name}: {line.law} bounds no loss")
        by_class[line.columns.start // width].append(Query(line.law, line.reach))
    for kind in ADJACENCIES:
        if target.delta:
            repeated = 1 if kind == "add-remove" else 2
            paths = [[Query(q.distribution, q.shift, repeated) for q in path] for path in by_class]
            totals[kind] = max(renyi_epsilon(path, target.delta) for path in paths)
        else:
            costs = sorted(sum((_pure(q) for q in path), Fraction(0)) for path in by_class)
            totals[kind] = float(costs[-1] if kind == "add-remove" else costs[-1] + costs[-2])
    evidence = ", ".join(f"{kind} {totals[kind]:.6g}" for kind in ADJACENCIES)
    evidence = f"recomputed: {evidence}; claimed {float(claimed):.6g}" + (
        f" at delta {target.delta:g}" if target.delta else ""
    )
    short = totals[adjacency] > float(claimed) * (1 + 1e-6)
    return Finding("L0", check, "FAIL" if short else "PASS", evidence, totals[adjacency], float(claimed))


def _pure(query: Query) -> Fraction:
    pure = query.distribution.pure(query.shift)
    assert pure is not None, "a law without a largest loss needs a delta"
    return pure
