"""Gradient against a rule: where rows can carry it, by descent, tried with the rule itself."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.descent import Sums
from attacks.toolkit.forging import claimed, table_at, table_of
from attacks.toolkit.judge import Judge
from attacks.toolkit.projection import into_invariants
from attacks.toolkit.reach import Reach
from attacks.toolkit.rehearsal import Rehearsal
from protocols.ring import Integers
from securenb.bayes.parameters import Floats, Parameters, estimate
from securenb.robust.centre_rule import PointRule
from securenb.robust.points import Points, stabilised
from securenb.schema.features.numeric import GRID_VARIANCE
from securenb.schema.schema import Schema

CLAIM = 1000
"""How many caps a node claims where no check holds it back: enough that rounding to records is nothing."""
LENGTHS = (0.3, 1.0, 2.0)
"""How far directions are optimised for, in the distance of honest rows from their middle."""
AMPLITUDES = np.array([0.15, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 5.0])
"""How far along a direction to try, in the length it was optimised for."""
CARRIED = (0.4, 0.7, 1.0)
"""Parts of the way that malicious rows went which the model may have gone with them."""
NEAR = np.array([0.75, 0.9, 1.0, 1.1, 1.3])
"""What to try around the best reach of a direction."""
FEW = 3
"""Places and directions that different nodes share between them are combined from so many of the best."""


@dataclass(frozen=True)
class GradientRule(Poison):
    """White-box attack on any rule that sees rows (median, trimmed mean, MDA, Krum, with or without mixing).

    Two families, each by descent on the soft balanced accuracy of the model: *boxes* that the rule's order
    statistics leave to the malicious rows, coordinate by coordinate (what Fang et al. 2020, section 4, do
    in one direction; here every coordinate, and the class probabilities, follow the gradient); and
    *directions* from the middle of the honest rows, as Shejwalkar and Houmansadr (2021, section IV) scale
    theirs, but optimised. What comes out is made integers, brought within the invariants if it must be, and
    tried with the true rule over draws of noise and groups; the worst is sent. Some of the nodes may send
    another table than the others, or claim records of one class alone.

    Uses the schema, own statistics and records, those of the nodes that it sees, the rule, group size and
    cap, and the law of the noise.

    Parameters
    ----------
    starts
        Random starts in a box.
    steps
        Of descent.
    records
        The most of one's own records to try forgeries on.
    judged
        How many of these the descent is on.
    rounds
        How often directions are optimised once more for as far as the best ones carried the model.
    draws
        Rounds that a forgery is tried in, where noise or groups are random.
    """

    starts: int = 3
    steps: int = 150
    records: int = 2000
    judged: int = 800
    draws: int = 3
    rounds: int = 1

    against_rule: ClassVar[bool] = True

    def brief(self) -> Self:
        """See `Poison.brief`."""
        return replace(self, starts=1, steps=4, records=60, judged=60, draws=1, rounds=0)

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        rehearsal = Rehearsal(known, self.records, self.draws, rng, noisy=self.noisy)
        bad = len(known.own)
        found: list[tuple[float, int, Integers]] = []

        def tried(table: Integers) -> float:
            sent = into_invariants(known.schema, table, known.cap) if self.inside else table
            found.append((rehearsal.score([sent] * bad), len(found), sent))
            return found[-1][0]

        self._search(known, rehearsal, tried, rng)
        found.sort(key=lambda entry: entry[:2])
        least, _, table = found[0]
        best = [table] * bad
        for tables in _shared([entry[2] for entry in found[:FEW]], bad):
            score = rehearsal.score(tables)
            if score < least:
                least, best = score, tables
        return best

    def _search(
        self,
        known: Knowledge,
        rehearsal: Rehearsal,
        tried: Callable[[Integers], float],
        rng: np.random.Generator,
    ) -> None:
        """Give `tried` tables, which says how good they are."""
        schema, sums = known.schema, Sums.of(known.schema)
        honest = [estimate(schema, tables, known.smoothing) for tables in rehearsal.honest_tables()]
        prior = np.mean([each.table[:, :, 0].mean(axis=0) for each in honest], axis=0)
        rows = len(rehearsal.rows(list(np.zeros_like(known.own))).sizes)
        bad = max(rehearsal.contaminated, 1)
        few = rehearsal.records[:: -(-len(rehearsal.records) // self.judged)]
        game = Reach(sums, Judge(sums, few), prior / prior.sum(), bad / rows)
        records = float(known.cap if self.inside else claimed(known, CLAIM))
        low, high = (
            np.mean(ends, axis=0) for ends in zip(*(_box(known, h, bad) for h in honest), strict=True)
        )
        starts = rng.normal(0.0, 0.3, (self.starts, *low.shape))
        _, inside, own = game.in_box(low, high, starts, self.steps)
        for places in zip(inside, own, strict=True):
            for beyond in (True, False):
                tried(_realised(sums, *places, low, high, records, known.smoothing, beyond=beyond))
        points = np.concatenate([stabilised(each).imputed() for each in honest])
        middle, spread = points.mean(axis=0), points.std(axis=0)
        radius = float(np.sqrt(np.median(np.square(points - middle).sum(axis=1))))
        shape = (len(schema.classes), schema.width)
        flip = np.roll(middle.reshape(shape), 1, axis=0) - middle.reshape(shape)
        whitened = np.maximum(spread, 1e-3 * spread.max() + 1e-9).reshape(shape)
        scales = np.array([s for s in (np.ones(shape), whitened) for _ in LENGTHS])
        size = np.sqrt(np.square(whitened).mean())
        lengths = radius * np.array([length / unit for unit in (1.0, size) for length in LENGTHS])
        starts, reaches = flip / scales, lengths[:, None] * AMPLITUDES
        for _ in range(1 + self.rounds):
            units = game.directions(middle.reshape(shape), scales, lengths, starts, self.steps)
            scores: list[tuple[float, int, float]] = []
            for at, (unit, scale) in enumerate(zip(units, scales, strict=True)):
                for reach in reaches[at]:
                    point = middle + (reach * scale * unit).reshape(-1)
                    table = table_at(schema, point, records * prior / prior.sum(), known.smoothing)
                    scores.append((tried(table), at, reach))
            best = [min(score for score in scores if score[1] // len(LENGTHS) == half) for half in range(2)]
            at, went = np.repeat([[index, reach] for _, index, reach in best], len(LENGTHS), axis=0).T
            scales, starts = scales[at.astype(int)], units[at.astype(int)]
            lengths, reaches = went * np.tile(CARRIED, 2), went[:, None] * NEAR


def _box(known: Knowledge, honest: Parameters, bad: int) -> tuple[Floats, Floats]:
    """Between which parameters (C, width) malicious rows carry the rule, coordinate by coordinate.

    A rule that works by coordinates is asked; of others the median's order statistics are taken.
    """
    schema, rule = known.schema, known.rule
    ends = []
    for extreme in _extremes(schema, honest.table.shape[1:]):
        values = np.concatenate([honest.table, np.repeat(extreme[None], bad, axis=0)])
        defined = np.concatenate([honest.defined, np.ones((bad, *extreme.shape), dtype=np.bool_)])
        points = Points(values.reshape(len(values), -1), defined.reshape(len(values), -1))
        centre = None
        if isinstance(rule, PointRule) and rule.by_coordinate and not rule.before:
            try:
                centre = replace(rule, malicious=min(bad, max(rule.bound(len(values)), 0))).centre(points)
            except ValueError:
                centre = None
        if centre is None:
            centre = np.nanmedian(np.where(points.defined, points.values, np.nan), axis=0)
        ends.append(centre.reshape(extreme.shape))
    return np.minimum(*ends), np.maximum(*ends)


def _extremes(schema: Schema, shape: tuple[int, ...]) -> Iterator[Floats]:
    sums = Sums.of(schema)
    for top in (0.0, 1.0):
        table = np.full(shape, top)
        table[:, sums.first] = top * sums.steps - sums.offset
        table[:, sums.first + 1] = GRID_VARIANCE + top * (sums.steps**2 / 4 - GRID_VARIANCE)
        yield table


def _realised(
    sums: Sums,
    inside: Floats,
    own: Floats,
    low: Floats,
    high: Floats,
    records: float,
    smoothing: float,
    *,
    beyond: bool,
) -> Integers:
    """A table whose parameters stand at a place in the box, or `beyond` its ends where it is at one."""
    table = low + (high - low) * inside
    up, down = inside > 0.9, inside < 0.1
    if beyond:
        top = np.clip(high * 1.02 + 1e-6, 0.0, 1.0)
        table[:, sums.levels] = np.where(up, top, np.where(down, 1e-9, table))[:, sums.levels]
        for offset, (least, most) in enumerate(
            (
                (-sums.offset, sums.steps - sums.offset),
                (np.full_like(sums.steps, GRID_VARIANCE), sums.steps**2 / 4),
            )
        ):
            at = sums.first + offset
            table[:, at] = np.where(up[:, at], most, np.where(down[:, at], least, table[:, at]))
    cells, ups = np.maximum(table[:, sums.levels], 1e-9), up[:, sums.levels]
    spare = np.maximum(1 - sums.per_feature(cells), 0.0)
    raised = np.maximum(sums.per_feature(cells * ups), 1e-12)
    cells = np.where(ups & beyond, cells * (1 + spare / raised), cells)
    table[:, sums.levels] = cells / sums.per_feature(cells)
    table[:, 0] = np.clip(own, 1e-6, 1.0) / np.clip(own, 1e-6, 1.0).sum()
    model = Parameters(sums.schema, table, np.ones(table.shape, dtype=np.bool_))
    return table_of(model, np.full(len(table), records / len(table)), smoothing)


def _shared(tables: Sequence[Integers], bad: int) -> Iterator[list[Integers]]:
    """Ways to let nodes send different tables: halves, and a part that claims records of one class alone."""
    best = tables[0]
    for other in tables[1:]:
        yield [best if index % 2 else other for index in range(bad)]
    for row in range(len(best)):
        lone = np.zeros_like(best)
        lone[row] = best[row]
        for every in (2, 4):
            yield [best if (index + 1) % every else lone for index in range(bad)]
