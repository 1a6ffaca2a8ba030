"""One row of increments with malicious nodes in it, as they can reckon it: rates, slopes, and proofs."""

from dataclasses import dataclass

import numpy as np

from attacks.poison import Knowledge
from protocols.ring import Integers
from securenb.bayes.parameters import Floats
from securenb.bayes.staircase.estimate import floor_of, votes_of
from securenb.privacy.mechanisms.none import NoNoise
from securenb.privacy.samplers import FastNoise
from securenb.schema.increments import Increments

PROBE = 0.25
"""The part of a step by which a column is raised to see what that does."""


@dataclass(frozen=True, eq=False)
class VoteGame:
    """The row that a round opens if every malicious node sends the same increments.

    Attributes
    ----------
    background
        The honest nodes' increments with draws of noise, shape (k, C, width of the layout).
    malicious, nodes
        How many there are, of how many.
    trim
        b of the rule.
    """

    layout: Increments
    background: Floats
    malicious: int
    nodes: int
    trim: float

    @classmethod
    def of(
        cls, known: Knowledge, layout: Increments, trim: float, draws: int, rng: np.random.Generator
    ) -> "VoteGame":
        """What malicious nodes know of a row: all but the noise, of which they know the law."""
        nodes = len(known.own) + len(known.others) if known.nodes is None else known.nodes
        expanded = np.array([layout.expanded(layout.within(table)) for table in known.others])
        honest = expanded.mean(axis=0) * max(nodes - len(known.own), 1)
        plan = known.noise
        silent = plan is None or isinstance(plan.mechanism, NoNoise)
        background = np.repeat(honest[None], 1 if silent else draws, axis=0)
        if plan is not None and not silent:
            among, contributors = plan.honest(nodes), plan.contributors(nodes)
            for row in background:
                share = plan.mechanism.share(layout, among, FastNoise(rng), contributors)
                row += share.reshape(row.shape) / plan.mechanism.grid
        return cls(layout, background, len(known.own), nodes, trim)

    @property
    def shape(self) -> tuple[int, int]:
        """Of increments, (C, width)."""
        return len(self.layout.classes), self.layout.width

    @property
    def full(self) -> Floats:
        """Every increment at its step, more than the quota lets any node send, (C, width)."""
        parts = [np.tile(self.layout.steps, (1, feature.size)) for feature in self.layout.features]
        return np.concatenate(parts, axis=1).astype(np.float64)

    def logs(self, table: Floats) -> Floats:
        """Log-rates if each malicious node sends a table (C, width), shape (k, C, base width)."""
        # one after the other stand features, their levels, and the thresholds of a level
        rows = (self.background + self.malicious * table).reshape(len(self.background), *self._cells)
        floor = floor_of(self.layout, self.trim, self.nodes)
        result = np.zeros((len(rows), len(self.layout.classes), self.layout.base.width))
        for index, (votes, steps) in enumerate(
            zip(votes_of(self.layout, self.trim), self.layout.steps, strict=True)
        ):
            real = steps > 0
            result[:, index, 1:] = np.log(
                votes.rate(rows[:, index][..., real] / (self.nodes * steps[real])) + floor
            )
        return result

    @property
    def _cells(self) -> tuple[int, int, int]:
        """Classes, levels of all features, thresholds."""
        return len(self.layout.classes), self.layout.base.width - 1, self.layout.steps.shape[1]

    def gains(self, table: Floats, logs: Floats, worth: Floats) -> Floats:
        """What one record more is worth in every increment, the mean over draws, (C, width).

        Parameters
        ----------
        logs
            Of the table.
        worth
            What a higher log-rate is worth in each cell, shape (k, C, base width).
        """
        result = np.zeros(self._cells)
        for column, steps in enumerate(self.layout.steps.T):
            raised = table.reshape(self._cells).copy()
            raised[:, :, column] += PROBE * steps[:, None]
            # cells are apart, so that all of them are probed at once
            moved = ((self.logs(raised.reshape(self.shape)) - logs) * worth).mean(axis=0)
            result[:, :, column] = moved[:, 1:] / np.maximum(PROBE * steps, PROBE)[:, None]
        return result.reshape(self.shape)

    def filled(self, gains: Floats) -> Floats:
        """Increments within the quota that gain most, (C, width): the best ones first, none that loses."""
        result, full = np.zeros(self.shape), self.full
        for index, quota in enumerate(self.layout.quotas):
            for columns in self.layout.columns:
                worth, room = gains[index, columns], full[index, columns]
                order = np.argsort(-worth, kind="stable")
                before = np.concatenate([[0.0], np.cumsum(room[order])[:-1]])
                taken = np.clip(quota - before, 0.0, room[order]) * (worth[order] > 0)
                result[index, columns][order] = taken
        return result

    def nearest(self, table: Floats) -> Floats:
        """A table of increments, scaled down in every feature that holds more than the quota."""
        result = table.copy()
        for index, quota in enumerate(self.layout.quotas):
            for columns in self.layout.columns:
                total = result[index, columns].sum()
                result[index, columns] *= min(1.0, quota / max(total, 1.0))
        return result

    def accepted(self, table: Floats, gains: Floats) -> Integers:
        """Whole increments that proofs accept, near a table within the quota: all features hold as many.

        What a feature lacks is filled in where `gains` (C, width) say that it costs least.
        """
        result = np.floor(table + 1e-9).astype(np.int64)
        full = self.full.astype(np.int64)
        for index in range(len(result)):
            most = max(int(result[index, columns].sum()) for columns in self.layout.columns)
            for columns in self.layout.columns:
                cells, room = result[index, columns], full[index, columns] - result[index, columns]
                order = np.argsort(-gains[index, columns], kind="stable")
                before = np.concatenate([[0], np.cumsum(room[order])[:-1]])
                cells[order] += np.clip(most - int(cells.sum()) - before, 0, room[order])
        return result
