"""Bilevel label flip: true records, and the labels among them that hurt most when they are flipped."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.descent import Sums, back, weighed
from attacks.toolkit.judge import Judge
from attacks.toolkit.sampled import drawn
from securenb.bayes.parameters import estimate
from securenb.schema.statistics import Statistics

DRAWS = 4
"""Draws of noise that are averaged over."""
HEAT = 1.0
"""Temperature of the soft accuracy."""


@dataclass(frozen=True)
class LabelFlipBilevel(Poison):
    """Flips the labels of those of its own records that bring the model of a sum down most.

    Biggio, Nelson and Laskov 2012, "Poisoning Attacks against Support Vector Machines", and their label flips
    (2011): here the inner problem, training, has a closed form, so that the gradient says what each flip is
    worth to first order. Flips what gains, a tenth of the records at a time, and goes back on flips that no
    longer do. What is sent are statistics of records that exist, each counted once.

    Uses the schema, own statistics and records, the sum of the honest nodes that it sees, the rule's
    smoothing, and the law of the noise.

    Parameters
    ----------
    rounds
        How often the gradient is taken.
    records
        The most of one's own records to judge on.
    """

    rounds: int = 25
    records: int = 1000

    def brief(self) -> Self:
        """See `Poison.brief`."""
        return replace(self, rounds=3, records=60)

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        schema, sums, smoothing = known.schema, Sums.of(known.schema), known.rule.smoothing
        sizes = known.own[:, :, 0].sum(axis=1)
        own = known.records
        if own is None or len(own) != sizes.sum():
            model = estimate(schema, known.own.sum(axis=0), smoothing).table
            own = drawn(schema, model, -(-int(sizes.sum()) // len(schema.classes)), rng)[: int(sizes.sum())]
        judge = Judge(sums, known.judged_on(self.records, rng))
        background = known.honest_sum[None] + known.noise_draws(DRAWS, rng)
        codes, truth = own.codes, own.labels.astype(np.int64)
        classes = len(schema.classes)
        added = np.zeros((len(own), schema.width))
        added[:, 0] = 1.0
        for at, (feature, columns) in enumerate(zip(schema.features, schema.columns, strict=True)):
            added[:, columns] = feature.added(codes[:, at])
        labels, best, least = truth.copy(), truth.copy(), np.inf
        for turn in range(self.rounds):
            table = np.array([added[labels == row].sum(axis=0) for row in range(classes)])
            totals = background + table
            found = weighed(sums, totals, smoothing)
            score = float(judge.hard(found.weights).mean())
            if score < least:
                least, best = score, labels.copy()
            _, slope = judge.soft(found.weights, HEAT)
            by_table = back(sums, totals, found, slope, smoothing).mean(axis=0)
            worth = added @ by_table.T
            choice = worth.argmin(axis=1)
            gain = worth[np.arange(len(labels)), labels] - worth.min(axis=1)
            most = max(int(len(labels) * 0.1 / (1 + turn / 8)), 1)
            order = np.argsort(-gain, kind="stable")[:most]
            order = order[gain[order] > 0]
            if not len(order):
                break
            labels[order] = choice[order]
        ends = np.cumsum(sizes)[:-1]
        parts = zip(np.split(codes, ends), np.split(best, ends), strict=True)
        kind = type(own)
        return [Statistics.of(schema, kind(part, row.astype(np.int32))).table for part, row in parts]
