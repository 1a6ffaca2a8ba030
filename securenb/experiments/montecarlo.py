"""Thousands of trials: many noisy models score the same test records in one matrix product.

The log-odds of Naive Bayes are linear in [1, x, x², one indicator a level], which is the layout of the
statistics. So a model is a vector of weights, a batch of models is a matrix, and one product with the
test records, which never change, scores them all. The product is cut into blocks of bounded size.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from securenb.bayes.parameters import Floats
from securenb.privacy.distributions import Distribution
from securenb.privacy.mechanism import Mechanism
from securenb.privacy.samplers import FastNoise
from securenb.schema.feature import Numeric
from securenb.schema.records import UNKNOWN, Records
from securenb.schema.schema import Schema

BLOCK = 1 << 22
"""Scores held at once: 32 MB."""


class Scorer:
    """Test records, prepared for scoring many models.

    Parameters
    ----------
    schema
        Of the models.
    values
        What sums are taken of, one column a numeric feature, shape (n, numeric).
    cells
        The column of the table that each other feature's level counts in, shape (n, others).
    labels
        Class indices, shape (n,).
    """

    def __init__(
        self, schema: Schema, values: Floats, cells: NDArray[np.int64], labels: NDArray[np.int32]
    ) -> None:
        self.schema = schema
        self._sums = np.array([block.start for block in schema.blocks if block.kind == "sum"], dtype=np.intp)
        self._levels = [block.columns for block in schema.blocks if block.kind == "levels"]
        # x² - 2 xμ + μ² loses digits where μ is far from zero
        self._centre = values.mean(axis=0)
        spread = values.std(axis=0)
        self._spread = np.where(spread > 0, spread, 1.0)
        design = np.zeros((schema.width, len(labels)))
        design[0] = 1.0
        np.put_along_axis(design.T, cells, 1.0, axis=1)
        standard = ((values - self._centre) / self._spread).T
        design[self._sums] = standard
        design[self._sums + 1] = standard**2
        self._designs = [
            np.ascontiguousarray(design[:, labels == index]) for index in range(len(schema.classes))
        ]

    @classmethod
    def of(cls, schema: Schema, records: Records) -> "Scorer":
        """For models of the main product: numbers as grid points around their offset."""
        if (records.codes == UNKNOWN).any():
            raise ValueError("every code of a record to be scored in bulk must be known")
        numeric = [index for index, feature in enumerate(schema.features) if isinstance(feature, Numeric)]
        offsets = [schema.features[index].offset for index in numeric]  # type: ignore[union-attr]
        levels = [block for block in schema.blocks if block.kind == "levels"]
        starts = np.array([block.start for block in levels], dtype=np.int64)
        return cls(
            schema,
            records.codes[:, numeric].astype(np.float64) - offsets,
            records.codes[:, [block.feature for block in levels]].astype(np.int64) + starts,
            records.labels,
        )

    def weights(self, tables: Floats) -> Floats:
        """Weights of the log of p(class, features), up to a constant; shape as the tables.

        Parameters
        ----------
        tables
            Parameters in the layout of the statistics, shape (..., C, width): class probability, level
            probabilities (which need not add to one), mean, variance.
        """
        weights = np.zeros_like(tables)
        variance = tables[..., self._sums + 1] / self._spread**2
        mean = (tables[..., self._sums] - self._centre) / self._spread
        weights[..., self._sums] = mean / variance
        weights[..., self._sums + 1] = -0.5 / variance
        for columns in self._levels:
            weights[..., columns] = np.log(tables[..., columns])
        constant = np.log(tables[..., 0]) - 0.5 * (mean**2 / variance + np.log(variance)).sum(axis=-1)
        weights[..., 0] = constant
        return weights

    def hits(self, tables: Floats) -> NDArray[np.int64]:
        """How many test records of each class each model predicts, shape (..., C).

        Parameters
        ----------
        tables
            As for `weights`; ties go to the first class, as in `numpy.argmax`.
        """
        classes = tables.shape[-2]
        weights = self.weights(tables).reshape(-1, classes, self.schema.width)
        result = np.zeros((len(weights), classes), dtype=np.int64)
        for true in range(classes):
            for right in self.right(weights, true):
                result[:, true] += np.count_nonzero(right, axis=1)
        return result.reshape(*tables.shape[:-2], classes)

    def right(self, weights: Floats, true: int) -> Iterator[NDArray[np.bool_]]:
        """Which test records of class `true` each of k models predicts: blocks (k, r), records in order.

        Parameters
        ----------
        weights
            Shape (k, C, width).
        """
        models, classes, width = weights.shape
        others = [index for index in range(classes) if index != true]
        rivals = np.ascontiguousarray(weights[:, others] - weights[:, [true]]).reshape(-1, width)
        design = self._designs[true]
        step = max(1, BLOCK // len(rivals))
        for start in range(0, design.shape[1], step):
            scores = (rivals @ design[:, start : start + step]).reshape(models, classes - 1, -1)
            # the classes before the true one must lose, those after it may tie
            won: NDArray[np.bool_] = np.all(scores[:, :true] < 0, axis=1)
            won &= np.all(scores[:, true:] <= 0, axis=1)
            yield won

    def accuracies(self, tables: Floats) -> tuple[Floats, Floats]:
        """Accuracy and balanced accuracy of each model, both of shape (...)."""
        hits = self.hits(tables)
        sizes = np.array([design.shape[1] for design in self._designs])
        present = sizes > 0
        recalls: Floats = hits[..., present] / sizes[present]
        return hits.sum(axis=-1) / sizes.sum(), recalls.mean(axis=-1)


class GroupNoise:
    """Noise of whole opened rows: one draw a coordinate, however many nodes add their shares.

    Parameters
    ----------
    schema
        Of the statistics.
    mechanism
        With its epsilon.
    among
        How many shares make a dose.
    shares
        How many are in a row.
    """

    def __init__(self, schema: Schema, mechanism: Mechanism, among: int, shares: int) -> None:
        self._shape = (len(schema.classes), schema.width)
        self._grid = mechanism.grid
        laws = [mechanism.noise(schema, block, among, shares) for block in schema.blocks]
        # equal laws side by side are drawn together: a data set's categorical features share one
        self._runs: list[tuple[Distribution | None, int, int]] = []
        for law, block in zip(laws, schema.blocks, strict=True):
            if self._runs and self._runs[-1][0] == law:
                self._runs[-1] = (law, self._runs[-1][1], block.stop)
            else:
                self._runs.append((law, block.start, block.stop))

    def draw(self, rng: np.random.Generator) -> Floats:
        """Noise in whole units of the statistics, rounded as `Rows.of` does, shape (C, width)."""
        noise = FastNoise(rng)
        table = np.zeros(self._shape)
        for law, start, stop in self._runs:
            if law is not None:
                cells = table[:, start:stop]
                cells[...] = law.draw(noise, cells.size).reshape(cells.shape)
        rounded: Floats = np.floor(table / self._grid + 0.5)
        return rounded


class Experiment(Protocol):
    """What is tried many times: several arms at several settings, judged on the same test records."""

    @property
    def scorer(self) -> Scorer:
        """The test records."""

    def parameters(self, trial: int) -> Floats:
        """Parameters of every model of one trial, shape (..., C, width).

        All that is random follows from the trial's number, so that trials can be run in any order,
        batching and process.
        """
        ...


def run_trials(experiment: Experiment, trials: range) -> Floats:
    """Accuracy and balanced accuracy of each trial's models, shape (2, trials, ...)."""
    return np.stack(experiment.scorer.accuracies(np.stack([experiment.parameters(t) for t in trials])))


@dataclass(frozen=True, eq=False)
class Batch:
    """Some trials of one task, to be run anywhere.

    Attributes
    ----------
    name
        Unique among the batches of a run.
    task
        Gives an array for a range of trials; must be picklable.
    trials
        Which.
    """

    name: str
    task: Callable[[range], Floats]
    trials: range

    def run(self) -> tuple[str, Floats]:
        """The batch's name and result."""
        return self.name, self.task(self.trials)


def batches(name: str, task: Callable[[range], Floats], trials: int, size: int = 100) -> list[Batch]:
    """All trials of a task in batches of `size`, named in the order of trials."""
    starts = range(0, trials, size)
    return [Batch(f"{name}-{start:06}", task, range(start, min(start + size, trials))) for start in starts]


def run_batches(pending: Sequence[Batch], processes: int) -> Iterator[tuple[str, Floats]]:
    """Run batches in parallel, and give each one's name and result when it is there.

    The processes are joblib's: inside a `joblib.parallel_config` for Dask or Ray this runs on a cluster.
    """
    pool = Parallel(n_jobs=processes, return_as="generator_unordered")
    results: Iterator[tuple[str, Floats]] = pool(delayed(batch.run)() for batch in pending)
    yield from results
