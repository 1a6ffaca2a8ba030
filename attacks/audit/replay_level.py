"""L1: neighbouring inputs, with noise frozen. What differs then, differs for certain."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from attacks.audit.boxed import drawn_together, whole
from attacks.audit.boxed import loss as lost_in
from attacks.audit.finding import Finding
from attacks.audit.neighbours import Neighbours, Pair
from attacks.audit.strange_values import unencodable
from attacks.audit.target import Line, Replay, Target, Values
from attacks.audit.worst_neighbour import crowd_pair, named_sizes, size_pairs, worst_record
from securenb.privacy.accountant import Query, worst
from securenb.privacy.distributions import Distribution
from securenb.privacy.joint import BoxMarginal
from securenb.privacy.sensitivity import Adjacency

STEADY = "the same noise is asked for whatever the data"
COVERED = "every cell gets noise"
AS_CHARGED = "the noise is what the ledger says"
INTEGER = "what is released is an integer"
WITHIN = "no pair loses more than is claimed"

STREAMS = "every contributor adds the same noise, from a stream of its own"

LANDS = "noise lands on the same cells whatever the data"
ANSWERED = "no pair of which exactly one is refused"
RELATIONS = "no relation among cells is free of noise"
PEEKS = "what follows the opened rows depends on nothing else"
PEEKED = 4
"""Pairs of neighbours of which rounds are run for that."""

UNTOUCHED = "no record touches a witness cell, and each gets the noise of a class count"

CHECKS = (STEADY, LANDS, COVERED, AS_CHARGED, INTEGER, ANSWERED, WITHIN)


def audit_replay(
    target: Target,
    adjacency: Adjacency,
    neighbours: Neighbours,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[Finding]:
    """Every check on every pair: one finding a check, with the first witness where it fails."""
    pool = target.encode(neighbours.pool)
    lines = target.lines()
    cells = target.witnesses()
    problems: dict[str, str] = dict.fromkeys((*CHECKS, UNTOUCHED) if cells else CHECKS, "")
    largest, tried, refused = 0.0, 0, 0
    landed: Values | None = None
    claimed = target.claimed(adjacency)
    charged: dict[int, object] = {column: line.law for line in lines for column in line.columns}

    @lru_cache(maxsize=256)  # many pairs begin with the same records
    def replayed(rows: tuple[int, ...], *, traced: bool) -> Replay | None:
        try:
            return target.replay(pool[np.array(rows, dtype=np.int64)], traced=traced)
        except ValueError:
            return None

    def once(rows: tuple[int, ...]) -> Replay | None:
        return replayed(rows, traced=False)

    def pairs() -> Iterator[Pair]:
        yield from neighbours.pairs
        progress("a crowd of records")
        if odd := crowd_pair(neighbours, neighbours.crowd, once, adjacency, target.most_records()):
            yield odd
        sizes = named_sizes(lambda: target.replay(pool[neighbours.crowd[:1]], traced=False))
        yield from size_pairs(sizes, neighbours, adjacency)

    for pair in pairs():
        progress(pair.what.partition(" (")[0])
        before, after = (replayed(rows, traced=not pair.random) for rows in (pair.before, pair.after))
        if before is None or after is None:
            refused += 1
            if (before is None) != (after is None) and _within(target, pair):
                side = "first" if before is None else "second"
                _note(problems, ANSWERED, pair, f"the {side} is refused, and the other is not")
            continue
        tried += 1
        for replay in (before, after):
            landed = replay.landed if landed is None else landed
            _note(problems, LANDS, pair, _elsewhere(landed, replay, lines))
        _note(problems, STEADY, pair, _differing_calls(before, after))
        for replay in (before, after):
            if not pair.random:
                _note(problems, COVERED, pair, _bare(replay, lines))
                _note(problems, AS_CHARGED, pair, _other_law(replay, lines))
            _note(problems, INTEGER, pair, _fraction(replay))
            if cells:
                _note(problems, UNTOUCHED, pair, _touched(replay, cells))
        loss = _loss(before, after, charged, target)
        if claimed is None or loss > float(claimed) * (1 + 1e-6):
            _note(problems, WITHIN, pair, f"loss {loss:.6g}, claimed {claimed and float(claimed)}")
        largest = max(largest, loss)
    progress("the worst record")
    if problem := _worst(target, adjacency, neighbours, charged):
        problems[WITHIN] = problems[WITHIN] or problem
    yield unencodable(target, neighbours)
    progress("streams of noise")
    wrong = target.streams()
    yield Finding("L1", STREAMS, "FAIL" if wrong else "PASS", "; ".join(wrong[:3]) or "holds")
    count = f"{tried} pairs" + (f", {refused} refused by the node" if refused else "")
    for check, problem in problems.items():
        if not tried:
            yield Finding("L1", check, "INCONCLUSIVE", "the node refuses every pair")
        elif problem:
            yield Finding("L1", check, "FAIL", problem)
        else:
            evidence = f"{count}; largest loss {largest:.6g}" if check == WITHIN else count
            yield Finding("L1", check, "PASS", evidence)
    progress("relations among cells")
    free = target.relations()
    yield Finding("L1", RELATIONS, "FAIL" if free else "PASS", "; ".join(free) or "holds")
    progress("from records to what is charged")
    for check, problem in target.path(neighbours.pool).items():
        yield Finding("L1", check, "FAIL" if problem else "PASS", problem or "holds")
    progress("what follows the opened rows")
    yield _peeks(target, pool, neighbours)


def _worst(target: Target, adjacency: Adjacency, neighbours: Neighbours, charged: dict[int, object]) -> str:
    """Whether the worst record that is found loses more than is claimed, in words."""
    claimed = target.claimed(adjacency)

    known: list[tuple[Any, Replay]] = []

    def replayed(records: Any) -> Replay:
        return target.replay(records, traced=False)

    def loss(before: Any, after: Any) -> float:
        try:
            if not known or known[0][0] is not before:  # most begin with the same records
                known[:] = [(before, replayed(before))]
            return _loss(known[0][1], replayed(after), charged, target)
        except ValueError:
            return 0.0

    if claimed is None:
        return ""
    before, after, what = worst_record(target, neighbours, adjacency, loss)
    lost = loss(before, after)
    short = lost > float(claimed) * (1 + 1e-6)
    return f"loss {lost:.6g}, claimed {float(claimed)}; witness: {what}" if short else ""


def _within(target: Target, pair: Pair) -> bool:
    """Whether both sides are within the public limit on a node's records: then neither may be refused."""
    most = target.most_records()
    return most is None or max(len(pair.before), len(pair.after)) <= most


def _peeks(target: Target, pool: Any, neighbours: Neighbours) -> Finding:
    """Rounds that open the same rows and hold other records, with noise and without, in company and alone."""
    chosen = [pair for pair in neighbours.pairs if not pair.random]
    each = chosen[:: max(1, len(neighbours.pairs) // 40)][:PEEKED]
    most = target.most_records()
    # what opens the same rows need not be neighbours: records by the hundred are beyond any threshold
    crowd = Pair("a crowd of records, and none", tuple(neighbours.crowd)[:most], ())
    tried = [(pair, at < 2, at % 2 == 0) for at, pair in enumerate(each)]
    tried += [(crowd, company, noisy) for company in (False, True) for noisy in (False, True)]
    ended, why = 0, "every pair holds more records than a node may"
    for pair, company, noisy in tried:
        if most is not None and max(len(pair.before), len(pair.after)) > most:
            continue
        one, other = (pool[np.array(rows, dtype=np.int64)] for rows in (pair.before, pair.after))
        try:
            found = target.peeks(one, other, company=company, noisy=noisy)
        except ValueError as error:
            why = str(error)
            continue
        ended += 1
        if found:
            return Finding("L1", PEEKS, "FAIL", f"{found}; witness: {pair.what}")
    for noisy in (False, True):
        try:
            found = target.peeks_by_size(pool[np.array(neighbours.crowd)][:most], noisy=noisy)
        except ValueError as error:
            why = str(error)
            continue
        ended += 1
        if found:
            return Finding("L1", PEEKS, "FAIL", found)
    if not ended:
        return Finding("L1", PEEKS, "INCONCLUSIVE", f"no round can be run: {why}")
    return Finding("L1", PEEKS, "PASS", f"{ended} pairs of rounds")


def _elsewhere(landed: Values | None, replay: Replay, lines: Sequence[Line]) -> str:
    if landed is None or replay.landed is None:
        return ""
    other = np.flatnonzero(landed != replay.landed)
    if not len(other):
        return ""
    name = next((line.name for line in lines if other[0] in line.columns), "a cell")
    return f"{name}: drawn noise is added otherwise than in other runs ({len(other)} such cells)"


def _note(problems: dict[str, str], check: str, pair: Pair, problem: str) -> None:
    if problem and not problems[check]:
        problems[check] = f"{problem}; witness: {pair.what}"


def _differing_calls(before: Replay, after: Replay) -> str:
    if len(before.calls) != len(after.calls):
        return f"{len(before.calls)} against {len(after.calls)} requests for noise"
    for one, other in zip(before.calls, after.calls, strict=True):
        if one != other:
            return f"the noise depends on the data: {one[0] or 'none'} against {other[0] or 'none'}"
    return ""


def _bare(replay: Replay, lines: Sequence[Line]) -> str:
    bare = [index for index, law in enumerate(replay.laws) if law is None]
    if not bare:
        return ""
    name = next((line.name for line in lines if bare[0] in line.columns), "a cell")
    return f"{name}: coordinate {bare[0]} is released without noise ({len(bare)} such)"


def _other_law(replay: Replay, lines: Sequence[Line]) -> str:
    for line in lines:
        for column in line.columns:
            if replay.laws[column] != line.law:
                return f"{line.name}: {replay.laws[column]} is drawn, the ledger has {line.law}"
    return ""


def _touched(replay: Replay, cells: range) -> str:
    held = np.flatnonzero(replay.values[cells.start :])
    if len(held):
        return f"witness cell {held[0]} holds {replay.values[cells.start + held[0]]} without noise"
    if len(replay.values) != cells.stop:
        return f"{len(replay.values) - cells.start} cells are released, and {len(cells)} are to be"
    for cell in cells if replay.laws else ():
        if replay.laws[cell] != replay.laws[0]:
            return (
                f"witness cell {cell - cells.start} gets {replay.laws[cell]}, a class count {replay.laws[0]}"
            )
    return ""


def _fraction(replay: Replay) -> str:
    odd = np.flatnonzero(replay.values != np.rint(replay.values))
    return f"coordinate {odd[0]} is {replay.values[odd[0]]}" if len(odd) else ""


def _loss(before: Replay, after: Replay, charged: dict[int, object], target: Target) -> float:
    """What tells the two apart, at most, given the noise that was seen, or else that is charged."""
    moved = np.flatnonzero(before.values != after.values)
    laws = dict(enumerate(before.laws)) if before.laws else charged
    queries, boxes = [], 0.0
    together = drawn_together(laws.items(), target.schema.width)
    for (_, box), cells in together.items():
        change = (after.values - before.values)[[column for column, _ in cells]]
        if change.any():
            boxes += float(lost_in(box, change)) if whole(cells) else math.inf
    for column in moved:
        law = laws.get(int(column))
        if isinstance(law, BoxMarginal):
            continue
        shift = abs(after.values[column] - before.values[column])
        if not isinstance(law, Distribution) or shift != np.rint(shift):
            return math.inf
        queries.append(Query(law, int(shift)))
    total = worst([queries], target.delta)
    return math.inf if total is None else float(total) + boxes
