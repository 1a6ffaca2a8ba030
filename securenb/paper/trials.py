"""The paper's experiment, fast: partitions drawn once a trial, noise in bulk, all privacy levels at once.

Within a trial all numbers of nodes cut the same permutation of the records, and all privacy levels scale
the same unit noise. Each point of a curve has the distribution it would have alone; points of one trial are
dependent, so that differences between them are more precise than with separate draws.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from securenb.bayes.parameters import Floats, estimate
from securenb.experiments.montecarlo import GroupNoise, Scorer
from securenb.paper.aggregate import parameters
from securenb.paper.centralised import assumed_sensitivity, centralised_parameters, estimates
from securenb.paper.records import PaperData, RawRecords
from securenb.paper.release import SMALLEST_COUNT, floors, sum_columns
from securenb.privacy.mechanism import Mechanism
from securenb.randomness import Streams
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

EPSILONS = tuple(float(10.0 ** (half / 2)) for half in range(-4, 3))
"""The privacy levels of Figure 1: 0.01 to 10 in half decades."""

NODES = (10, 100, 1000)
"""The numbers of nodes of Figure 1."""


Arm = tuple[Callable[[float], Mechanism], int]
"""What makes the mechanism of an epsilon, and how many doses there are in all."""


def numbers_of_nodes(records: int) -> tuple[int, ...]:
    """Those of `NODES` that leave each node at least two records."""
    return tuple(count for count in NODES if 2 * count <= records)


@dataclass(frozen=True, eq=False)
class NodeTables:
    """The exact answers of all nodes of one partition, and their scales.

    Attributes
    ----------
    tables
        `securenb.paper.release.tabulate` of each node, shape (N, C, width).
    scales
        `securenb.paper.release.local_sensitivity` of each node, shape (N, C, width).
    """

    tables: Floats
    scales: Floats

    def totals(self, schema: Schema, epsilons: Sequence[float], rng: np.random.Generator) -> Floats:
        """Sums over nodes of what each releases, shape (epsilons, C, width)."""
        noise = rng.laplace(size=self.tables.shape)
        noise *= self.scales
        floor = floors(schema, self.tables[:, :, 0] > 0)
        sent = np.empty_like(noise)
        totals = np.empty((len(epsilons), *self.tables.shape[1:]))
        for index, epsilon in enumerate(epsilons):
            np.multiply(noise, len(schema.blocks) / epsilon, out=sent)
            sent += self.tables
            np.maximum(sent, floor, out=sent)
            sent.sum(axis=0, out=totals[index])
        return totals


class Dealer:
    """Deals the training records to nodes in equal parts, for several numbers of nodes at once.

    Parameters
    ----------
    schema, train
        The training records.
    nodes
        Numbers of nodes; parts are those of `numpy.array_split` on one permutation.
    """

    def __init__(self, schema: Schema, train: RawRecords, nodes: Sequence[int]) -> None:
        self._schema = schema
        self._labels = train.labels.astype(np.int64)
        self._cells = train.cells
        self._values = [np.ascontiguousarray(column) for column in train.values.T]
        starts = [_starts(len(train), count) for count in nodes]
        cuts = np.unique(np.concatenate(starts))
        self._segment = np.repeat(np.arange(len(cuts)), np.diff(cuts, append=len(train)))
        self._first = {
            count: np.searchsorted(cuts, start) for count, start in zip(nodes, starts, strict=True)
        }

    def deal(self, rng: np.random.Generator) -> dict[int, NodeTables]:
        """One partition: the nodes' tables by number of nodes.

        Records are reduced once, over the finest segments that no cut divides; nodes add up segments.
        """
        order = rng.permutation(len(self._labels))
        labels = self._labels[order]
        segments, classes = int(self._segment[-1]) + 1, len(self._schema.classes)
        groups = self._segment * classes + labels
        width = self._schema.width
        flat = (groups[:, None] * width + self._cells[order]).reshape(-1)
        table = np.bincount(flat, minlength=segments * classes * width).astype(np.float64)
        table = table.reshape(segments, classes, width)
        sizes = np.bincount(groups, minlength=segments * classes).reshape(segments, classes)
        table[:, :, 0] = sizes
        largest = np.zeros((segments, classes, len(self._values)))
        if self._values:
            sums = sum_columns(self._schema)
            for index in range(classes):
                own = order[labels == index]
                here = np.flatnonzero(sizes[:, index])
                starts = (np.cumsum(sizes[:, index]) - sizes[:, index])[here]
                for feature, column in enumerate(self._values):
                    values = column[own]
                    table[here, index, sums[feature]] = np.add.reduceat(values, starts)
                    table[here, index, sums[feature] + 1] = np.add.reduceat(values**2, starts)
                    np.abs(values, out=values)
                    largest[here, index, feature] = np.maximum.reduceat(values, starts)
        return {count: self._nodes(table, largest, first) for count, first in self._first.items()}

    def _nodes(self, table: Floats, largest: Floats, first: NDArray[np.intp]) -> NodeTables:
        tables = np.add.reduceat(table, first, axis=0)
        scales = np.zeros_like(tables)
        scales[tables[:, :, 0] > 0] = 1.0
        scales[:, :, 0] = 1.0
        sums = sum_columns(self._schema)
        scales[:, :, sums] = np.maximum.reduceat(largest, first, axis=0)
        scales[:, :, sums + 1] = scales[:, :, sums] ** 2
        return NodeTables(tables, scales)


class AsPublished:
    """The paper's Figure 1 on one data set: the centralised baseline, then each number of nodes.

    Parameters
    ----------
    data
        Loaded as published.
    nodes
        Numbers of nodes that leave each node at least two records.
    epsilons
        Total, a record.
    seed
        Root of all randomness.
    """

    def __init__(self, data: PaperData, nodes: Sequence[int], epsilons: Sequence[float], seed: int) -> None:
        self.nodes = tuple(nodes)
        self._schema = data.schema
        self._name = data.name
        self._epsilons = tuple(epsilons)
        self._streams = Streams(seed)
        self._dealer = Dealer(data.schema, data.train, nodes)
        self._estimates = estimates(data.schema, data.train)
        self._scale = assumed_sensitivity(data.schema, data.train)
        self.scorer = Scorer(data.schema, data.test.evidence(data.schema), data.test.labels)

    def stream(self, trial: int, *use: str | int) -> np.random.Generator:
        """The generator of one trial for one use."""
        return self._streams.rng("paper", self._name, trial, *use)

    def parameters(self, trial: int) -> Floats:
        """Shape (1 + numbers of nodes, epsilons, C, width)."""
        unit = self.stream(trial, "centralised").laplace(size=self._scale.shape) * self._scale
        queries = len(self._schema.blocks)
        noisy = np.stack([self._estimates + unit * queries / epsilon for epsilon in self._epsilons])
        dealt = self._dealer.deal(self.stream(trial, "deal"))
        totals = [
            dealt[count].totals(self._schema, self._epsilons, self.stream(trial, "noise", count))
            for count in self.nodes
        ]
        return np.concatenate(
            [
                centralised_parameters(self._schema, noisy)[None],
                parameters(self._schema, np.stack(totals)),
            ]
        )


class Corrected:
    """The same figure by the main product: public bounds, noise in every cell, clamping what was opened.

    Parameters are estimated with a pseudo-count as small as the paper's clamp, so that the modes differ in
    what is released and in nothing else. Sums do not depend on who holds which record, and noise does not
    depend on the data, so nothing has to be dealt.

    Parameters
    ----------
    data
        Loaded as corrected.
    arms
        A mechanism for each epsilon, and how many doses of its noise the total carries. One for a trusted
        curator, or for one group under secure aggregation; N for N nodes that each add their own.
    epsilons, seed
        See `AsPublished`.
    """

    def __init__(self, data: PaperData, arms: Sequence[Arm], epsilons: Sequence[float], seed: int) -> None:
        self._schema = data.schema
        self._name = data.name
        self._noise = [
            [GroupNoise(data.schema, mechanism(epsilon), 1, doses) for epsilon in epsilons]
            for mechanism, doses in arms
        ]
        self._streams = Streams(seed)
        self.exact = Statistics.of(data.schema, data.coded_train).table
        self.scorer = Scorer.of(data.schema, data.coded_test)

    def totals(self, trial: int) -> Floats:
        """What is opened, in the unit of the statistics, shape (arms, epsilons, C, width)."""
        rng = self._streams.rng("corrected", self._name, self._schema.digest.hex(), trial)
        noise: Floats = np.array([[group.draw(rng) for group in arm] for arm in self._noise])
        return self.exact + noise

    def parameters(self, trial: int) -> Floats:
        """Shape (arms, epsilons, C, width)."""
        return estimate(self._schema, self.totals(trial), SMALLEST_COUNT).table


def _starts(records: int, nodes: int) -> NDArray[np.int64]:
    """Where each node's records begin: equal parts, the first ones larger by one."""
    small, larger = divmod(records, nodes)
    index = np.arange(nodes, dtype=np.int64)
    return index * small + np.minimum(index, larger)
