"""The round as an attacker can play it alone, to find out what hurts."""

import numpy as np

from attacks.poison import Knowledge
from attacks.toolkit.forging import flipped, pooled, table_at, towards_flip
from attacks.toolkit.projection import into_invariants
from attacks.toolkit.sampled import drawn
from protocols.ring import Integers
from securenb.bayes.parameters import estimate
from securenb.experiments.montecarlo import Scorer
from securenb.robust.rule import Rows
from securenb.schema.increments import Increments

STEPS = (0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 3.0)
"""How far to go from the honest average; at 1 stand flipped labels."""
WEIGHTS = (1, 10, 1000)
"""How many times an honest node's records to claim."""


class Game:
    """One attacker's idea of one round.

    Parameters
    ----------
    known
        What the attacker knows.
    records
        How many records of each class to draw from the honest model.
    rng
        Draws records and groups.
    """

    def __init__(self, known: Knowledge, records: int, rng: np.random.Generator) -> None:
        self.known = known
        model = estimate(known.schema, known.others.sum(axis=0), known.rule.smoothing).table
        self._scorer = Scorer.of(known.schema, drawn(known.schema, model, records, rng))
        self._middle, self._direction = towards_flip(known.schema, known.others, known.smoothing)
        self._counts = pooled(known.others)[:, 0]
        nodes = len(known.others) + len(known.own)
        groups = max(nodes // known.group_size, 1)
        self._order = rng.permutation(nodes)
        self._starts = np.cumsum([0, *(len(part) for part in np.array_split(self._order, groups)[:-1])])
        self._sizes = np.diff([*self._starts, nodes])

    def forgeries(self, step: float, weight: int, inside: bool) -> list[Integers]:  # noqa: FBT001 - forwarded
        """Tables to try: parameters on the way to flipped labels, and flipped counts mixed with true ones."""
        known = self.known
        point = self._middle + step * self._direction
        towards = table_at(known.schema, point, weight * self._counts, known.smoothing)
        true, false = pooled(known.others), pooled(flipped(known.others))
        mixed = np.rint(weight * ((1 - step) * true + step * false)).astype(np.int64)
        tables = [towards, mixed]
        return [into_invariants(known.schema, t, known.cap) for t in tables] if inside else tables

    def score(self, table: Integers) -> float:
        """Balanced accuracy, on the attacker's own records, of the model after this forgery; 2 if refused."""
        known = self.known
        tables = np.concatenate([known.others, np.repeat(table[None], len(known.own), axis=0)])[self._order]
        if isinstance(layout := known.layout, Increments):
            tables = np.stack([layout.expanded(layout.within(claimed)) for claimed in tables])
        rows = Rows(layout, np.add.reduceat(tables, self._starts, axis=0), self._sizes)
        try:
            model = known.rule.model(rows)
        except ValueError:
            return 2.0
        return self._scorer.judged(model)[1]
