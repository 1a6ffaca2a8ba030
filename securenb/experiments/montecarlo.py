"""Thousands of trials: many noisy models score the same test records in one matrix product.

The log-odds of Naive Bayes are linear in [1, x, x², one indicator a level], see `Feature.evidence`. So a
model is a vector of weights, a batch of models is a matrix, and one product with the test records, which
never change, scores them all. The product is cut into blocks of bounded size.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import Floats
from securenb.bayes.voting import Voting
from securenb.privacy.distributions import Distribution
from securenb.privacy.mechanism import Mechanism
from securenb.privacy.samplers import FastNoise
from securenb.schema.feature import Evidence
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
    evidence
        What each feature says of the records (n,).
    labels
        Class indices, shape (n,).
    """

    def __init__(self, schema: Schema, evidence: Sequence[Evidence], labels: NDArray[np.int32]) -> None:
        self.schema = schema
        self._evidence = evidence
        design = np.concatenate([np.ones((1, len(labels))), *(part.design for part in evidence)])
        self._designs = [
            np.ascontiguousarray(design[:, labels == index]) for index in range(len(schema.classes))
        ]

    @classmethod
    def of(cls, schema: Schema, records: Records) -> "Scorer":
        """For models of the main product; `ValueError` if a code is unknown."""
        if (records.codes == UNKNOWN).any():
            raise ValueError("every code of a record to be scored in bulk must be known")
        parts = [f.evidence(codes) for f, codes in zip(schema.features, records.codes.T, strict=True)]
        return cls(schema, parts, records.labels)

    def weights(self, tables: Floats) -> Floats:
        """Weights of the log of p(class, features), up to a constant, shape (..., C, k).

        Parameters
        ----------
        tables
            Parameters in the layout of the statistics, shape (..., C, width): class probability, level
            probabilities (which need not add to one), mean, variance.
        """
        parts = [
            part.weights(tables[..., columns])
            for part, columns in zip(self._evidence, self.schema.columns, strict=True)
        ]
        constants = np.stack([constant for _, constant in parts], axis=-1)
        constant = np.log(tables[..., 0]) + constants.sum(axis=-1)
        return np.concatenate([constant[..., None], *(weights for weights, _ in parts)], axis=-1)

    def hits(self, tables: Floats) -> NDArray[np.int64]:
        """How many test records of each class each model predicts, shape (..., C).

        Parameters
        ----------
        tables
            As for `weights`; ties go to the first class, as in `numpy.argmax`.
        """
        classes = tables.shape[-2]
        weights = self.weights(tables)
        weights = weights.reshape(-1, *weights.shape[-2:])
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
            As `weights` gives them, for k models.
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
        return self._shares(self.hits(tables))

    def judged(self, model: NaiveBayes) -> tuple[float, float]:
        """Accuracy and balanced accuracy of one model, also of models that vote."""
        table = model.parameters.table
        hits = self._voted(table) if isinstance(model, Voting) else self.hits(table)
        accuracy, balanced = self._shares(hits)
        return float(accuracy), float(balanced)

    def _voted(self, tables: Floats) -> NDArray[np.int64]:
        """How many test records of each class the vote of models (g, C, width) predicts, shape (C,)."""
        weights, classes = self.weights(tables), tables.shape[-2]
        flat, result = weights.reshape(-1, weights.shape[-1]), np.zeros(classes, dtype=np.int64)
        step = max(1, BLOCK // len(flat))
        for true, design in enumerate(self._designs):
            for start in range(0, design.shape[1], step):
                scores = (flat @ design[:, start : start + step]).reshape(*weights.shape[:2], -1)
                choice = scores.argmax(axis=1)
                votes = np.stack([(choice == index).sum(axis=0) for index in range(classes)])
                result[true] += np.count_nonzero(votes.argmax(axis=0) == true)
        return result

    def _shares(self, hits: NDArray[np.int64]) -> tuple[Floats, Floats]:
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
        self._joint = mechanism.joint(schema, shares)
        together = () if self._joint is None else self._joint.blocks
        laws = [
            None if block in together else mechanism.noise(schema, block, among, shares)
            for block in schema.blocks
        ]
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
        if self._joint is not None:
            table[:, self._joint.columns] = self._joint.draw(noise, len(table))
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
