"""L0: the ledger, read with arithmetic of the auditor's own. Static and certain."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from attacks.audit.finding import Finding
from attacks.audit.target import Line, Target
from protocols.errors import Abort
from protocols.ring import BITS, Integers
from securenb.data.node import Node
from securenb.privacy.accountant import Query
from securenb.privacy.box import Box
from securenb.privacy.cost import Cost, Either, Pure, Together, epsilon_at
from securenb.privacy.distributions import Distribution
from securenb.privacy.joint import BoxMarginal
from securenb.privacy.mechanism import TAIL_BITS
from securenb.privacy.sensitivity import ADJACENCIES, Adjacency
from securenb.schema.increments import Increments
from securenb.schema.records import Records
from securenb.schema.schema import Schema


def audit_ledger(target: Target, adjacency: Adjacency) -> Iterator[Finding]:
    """Every static check."""
    lines = target.lines()
    yield _finding("every public cell is in the ledger once", _coverage(target.schema, lines))
    if target.witnesses():
        yield _witnesses(target, lines)
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


def _witnesses(target: Target, lines: Sequence[Line]) -> Finding:
    """Witness cells cost no epsilon: they stand behind all that records are tabulated into."""
    cells, length = target.witnesses(), target.schema.length
    counted = [line.name for line in lines if line.columns.stop > cells.start]
    problem = f"{counted[0]} reaches into them" if counted else ""
    if cells.start != length:
        problem = f"they begin at {cells.start}, and statistics have {length} coordinates"
    evidence = f"{len(cells)} cells behind {length}: none in a line of the ledger, so none on a record's path"
    return _finding("witness cells are on no record's path", problem, evidence)


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
    return int(np.abs(held(schema, line)).max())


def crossed(schema: Schema, line: Line, law: BoxMarginal, *, within: bool = False) -> int:
    """How many boxes a record that is added, or changed within its class, crosses with this line's cells."""
    values = held(schema, line)
    if law.part and law.part <= law.box.pairs:
        if (values.sum(axis=1) != 1).any():
            raise ValueError(f"{line.name}: a record does not have exactly one of two levels")
        values = values[:, 1:] - values[:, :1]
    far = int(np.ptp(values, axis=0).max() if within else np.abs(values).max())
    return -(-far // law.box.reach(law.part))


def span(schema: Schema, line: Line) -> int:
    """How far changing one record within its class can move a coordinate of the line, in the same way."""
    return int(np.ptp(held(schema, line), axis=0).max())


def moved(schema: Schema, line: Line) -> int:
    """How many coordinates of the line adding one record can move, in the same way."""
    return int((held(schema, line) != 0).sum(axis=1).max())


def held(schema: Schema, line: Line) -> Integers:
    """What a record of the class may add to each coordinate, one row for each value that it may have."""
    at = line.block.feature
    if isinstance(schema, Increments):
        return _exchanged(schema, line)
    if at < 0:
        return np.ones((1, 1), dtype=np.int64)
    feature, start = schema.features[at], schema.columns[at].start
    # each code in a class of its own, through the function that a node's statistics come from
    every = np.arange(feature.size)
    table = feature.tabulate(every.astype(np.int32), every, feature.size)
    return table[:, line.block.start - start : line.block.stop - start]


def _exchanged(layout: Increments, line: Line) -> Integers:
    """What a record does to the line's increments at a full node, one row for each pair of values.

    The node holds its quota, all of one value; the record comes before them, so that one of them goes.
    """
    label, at = line.columns.start // layout.width, line.block.feature
    size, quota = layout.features[at].size, layout.quotas[label]
    silent = np.zeros(layout.length, dtype=np.int64)

    def sent(values: Sequence[int]) -> Integers:
        codes = np.zeros((len(values), len(layout.features)), dtype=np.int32)
        codes[:, at] = values
        held = Records(codes, np.full(len(values), label, dtype=np.int32))
        vector = Node("full", held).contribution(layout, silent, 1)
        return vector[line.columns.start : line.columns.stop]

    rows = [
        sent([comes, *[goes] * quota]) - full
        for goes in range(size)
        for full in [sent([goes] * quota)]
        for comes in range(size)
    ]
    return np.stack(rows)


def _charged(target: Target) -> Finding:
    check = "every opened row is charged"
    try:
        rows = target.uncharged()
    except (ValueError, Abort) as refusal:
        return Finding("L0", check, "INCONCLUSIVE", f"a round opens nothing: {refusal}")
    return _finding(check, f"no node is charged for {', '.join(rows)}" if rows else "")


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
    features: dict[tuple[int, int], list[Line]] = {}
    boxed: dict[tuple[int, Box], list[tuple[Line, BoxMarginal]]] = defaultdict(list)
    for line in lines:
        law, label = line.law, line.columns.start // schema.width
        if not isinstance(law, Distribution):
            return Finding("L0", check, "FAIL", f"{line.name}: {law} bounds no loss")
        if not target.delta and law.pure(line.reach) is None:
            return Finding("L0", check, "FAIL", f"{line.name}: {law} bounds no loss")
        if isinstance(law, BoxMarginal):
            boxed[label, law.box].append((line, law))
            continue
        leaving[label].append(Query(law, line.reach, moved(schema, line)))
        if line.block.feature >= 0:
            features.setdefault((label, line.block.feature), []).append(line)
    known: dict[object, Cost] = {}
    for (label, feature), parts in features.items():
        # classes mostly have the same queries; of increments each has its own
        key = (
            (label, feature)
            if isinstance(schema, Increments)
            else (feature, *((one.law, one.reach) for one in parts))
        )
        staying[label].append(known.get(key) or known.setdefault(key, _jump(schema, parts)))
    for (label, box), several in boxed.items():
        if sorted(law.part for _, law in several) != list(range(box.dimension)):
            return Finding("L0", check, "FAIL", f"{several[0][0].name}: a draw of several cells is not whole")
        leaving[label].append(Pure(max(box.epsilon * crossed(schema, *one) for one in several)))
        staying[label].append(Pure(max(box.epsilon * crossed(schema, *one, within=True) for one in several)))
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
    said = {kind: target.claimed(kind) for kind in ADJACENCIES}
    under = [kind for kind, of in said.items() if of is not None and totals[kind] > float(of) * (1 + 1e-6)]
    if other := [kind for kind in under if kind != adjacency]:
        evidence += f"; under {other[0]} {float(said[other[0]] or 0):.6g} are claimed"
    short = bool(under)
    return Finding("L0", check, "FAIL" if short else "PASS", evidence, totals[adjacency], float(claimed))


def _jump(schema: Schema, lines: Sequence[Line]) -> Cost:
    """From one value of a feature to another: what that does to all its lines, by trying every pair.

    Of pairs that move the first line alike, the furthest that the others go is taken.
    """
    moves = []
    for line in lines:
        values = held(schema, line)
        moves.append(np.abs(values[:, None] - values).max(axis=-1).ravel())
    furthest: dict[int, list[int]] = {}
    for first, *others in np.unique(np.stack(moves, axis=1), axis=0).tolist():
        found = furthest.setdefault(first, others)
        furthest[first] = [max(pair) for pair in zip(found, others, strict=True)]
    options = []
    for first, others in furthest.items():
        queries = []
        for line, by in zip(lines, (first, *others), strict=True):
            assert isinstance(line.law, Distribution)
            grid = line.reach // reach(schema, line)
            queries.append(Query(line.law, by * grid, min(2 * moved(schema, line), len(line.columns))))
        options.append(Together(tuple(queries)))
    return Either(tuple(options))


def _cost(path: Sequence[Cost], delta: float) -> Fraction:
    """What everything on a path costs together."""
    epsilon = epsilon_at(Together(tuple(path)), delta)
    assert epsilon is not None, "a law without a largest loss needs a delta"
    return epsilon
