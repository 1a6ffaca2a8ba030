"""The round as malicious nodes can rehearse it: the true rule, noise of the true law, new groups."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attacks.poison import Forged, Knowledge
from attacks.toolkit.sampled import drawn
from protocols.ring import Integers
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import Floats, estimate
from securenb.experiments.montecarlo import Scorer
from securenb.federation.noise_plan import NodeShares
from securenb.federation.postprocess import USUAL
from securenb.privacy.mechanisms.none import NoNoise
from securenb.privacy.samplers import FastNoise
from securenb.robust.rule import Rows
from securenb.schema.records import Records
from securenb.schema.statistics import Statistics

REFUSED = 2.0
"""The score of what the rule refuses: stopping a round is not steering it."""


class Rehearsal:
    """Some draws of one round, each with noise and groups of its own, in which forgeries are tried.

    Parameters
    ----------
    known
        What the malicious nodes know. Where they see fewer nodes than there are honest ones, the others
        hold records drawn from the malicious nodes' own.
    records
        Records to judge models on, or how many at most, see `Knowledge.judged_on`.
    draws
        How many rounds; one is enough where nothing is random.
    noisy
        Whether malicious nodes add their shares of noise.
    """

    def __init__(
        self,
        known: Knowledge,
        records: int | Records,
        draws: int,
        rng: np.random.Generator,
        *,
        noisy: bool = False,
    ) -> None:
        self.known = known
        self.records = records if isinstance(records, Records) else known.judged_on(records, rng)
        self._scorer = Scorer.of(known.schema, self.records)
        self._noisy = noisy
        honest = stand_ins(known, rng)
        nodes = len(honest) + len(known.own)
        random = known.group_size > 1 and known.group_size < nodes
        silent = known.noise is None or isinstance(known.noise.mechanism, NoNoise)
        self._draws = [self._draw(honest, rng) for _ in range(1 if silent and not random else draws)]

    def _draw(self, honest: Integers, rng: np.random.Generator) -> "_Draw":
        known, bad = self.known, len(self.known.own)
        nodes = len(honest) + bad
        order = rng.permutation(nodes)
        groups = np.array_split(order, max(nodes // known.group_size, 1))
        grid = 1 if known.noise is None else known.noise.mechanism.grid
        source = FastNoise(rng)
        rows = np.zeros((len(groups), *honest.shape[1:]), dtype=np.int64)
        members = []
        for row, group in zip(rows, groups, strict=True):
            members.append(group[group < bad])
            true = group[group >= bad] - bad
            row += grid * honest[true].sum(axis=0)
            if known.noise is not None and not isinstance(known.noise.mechanism, NoNoise):
                row += self._noise(len(group), len(true), source).reshape(row.shape)
        sizes = np.array([len(group) for group in groups], dtype=np.int64)
        variances = None
        if known.noise is not None:
            of = {size: known.noise.variances(size) for size in set(sizes.tolist())}
            variances = np.array([of[size] for size in sizes.tolist()])
        return _Draw(rows, members, sizes, variances, grid)

    def _noise(self, size: int, honest: int, source: FastNoise) -> Integers:
        plan = self.known.noise
        assert plan is not None
        shares = plan.contributors(size)
        if isinstance(plan, NodeShares) and not self._noisy:
            shares = honest
        if not shares:
            return np.zeros(self.known.schema.length, dtype=np.int64)
        return plan.mechanism.share(self.known.schema, plan.honest(size), source, shares)

    def rows(self, tables: Sequence[Forged], draw: int = 0) -> Rows:
        """The rows that the rule combines in a draw, if each malicious node sends its table (C, width)."""
        return self._draws[draw].rows(self.known, np.asarray(tables))

    def models(self, tables: Sequence[Forged]) -> list[NaiveBayes]:
        """The model of each draw; none where the rule refuses one of them."""
        found = []
        for draw in self._draws:
            rows, rule = draw.rows(self.known, np.asarray(tables)), self.known.rule
            most = max(min(draw.contaminated, rule.tolerance(len(rows.sizes))), 0)
            try:
                found.append(replace(rule, malicious=most).model(rows))
            except ValueError:
                told = max(min(most, rule.tolerated(rows)), 0)
                try:
                    found.append(replace(rule, malicious=told).model(rows))
                except ValueError:
                    return []
        return found

    def score(self, tables: Sequence[Forged]) -> float:
        """Balanced accuracy of the model, the mean over draws; `REFUSED` where the rule refuses."""
        models = self.models(tables)
        if not models:
            return REFUSED
        return float(np.mean([self._scorer.judged(model)[1] for model in models]))

    def honest_tables(self) -> list[Floats]:
        """Of each draw, the rows without a malicious node, (g, C, width); all where every one has some."""
        nothing = np.zeros_like(self.known.own)
        found = []
        for draw in self._draws:
            clean = [not len(members) for members in draw.members]
            tables = draw.rows(self.known, nothing).tables
            found.append(tables[clean] if any(clean) and len(clean) == len(tables) else tables)
        return [tables.astype(np.float64) for tables in found]

    @property
    def contaminated(self) -> int:
        """Rows with a malicious node in them, in the first draw."""
        return self._draws[0].contaminated


class _Draw:
    """Honest rows on the noise's grid, and who of the malicious nodes is in each."""

    def __init__(
        self,
        base: Integers,
        members: list[Integers],
        sizes: Integers,
        variances: Floats | None,
        grid: int,
    ) -> None:
        self.members = members
        self.contaminated = sum(len(some) > 0 for some in members)
        self._base, self._sizes, self._variances, self._grid = base, sizes, variances, grid

    def rows(self, known: Knowledge, tables: Integers) -> Rows:
        rows = self._base.copy()
        for row, bad in zip(rows, self.members, strict=True):
            if len(bad):
                row += self._grid * tables[bad].sum(axis=0)
        whole = (2 * rows + self._grid) // (2 * self._grid)
        opened = Rows(known.schema, whole, self._sizes)
        if self._variances is None:
            return opened
        tied = () if known.noise is None else known.noise.tied
        return USUAL.refine(opened, self._variances, known.rule, tied)


def stand_ins(known: Knowledge, rng: np.random.Generator) -> Integers:
    """Tables of as many nodes as there are honest ones: those that are seen, or drawn from own records."""
    honest = len(known.others) if known.nodes is None else max(known.nodes - len(known.own), 1)
    if len(known.others) >= honest:
        return known.others
    size = max(round(float(known.own[:, :, 0].sum(axis=1).mean())), 1)
    pool = known.records
    if pool is None or not len(pool):
        model = estimate(known.schema, known.own.sum(axis=0), known.rule.smoothing).table
        pool = drawn(known.schema, model, max(size, 100), rng)
    chosen = rng.integers(0, len(pool), (honest, size))
    return np.array([Statistics.of(known.schema, _at(pool, rows)).table for rows in chosen])


def _at(records: Records, rows: Integers) -> Records:
    return Records(records.codes[rows], records.labels[rows])
