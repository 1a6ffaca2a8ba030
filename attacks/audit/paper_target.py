"""The mechanism of the SECRYPT 2022 paper, as published: one node's answers, which the aggregator reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attacks.audit.target import Line, Replay, Target, Values
from securenb.bayes.parameters import Floats
from securenb.paper.records import RawRecords
from securenb.paper.release import floors, local_sensitivity, release, tabulate
from securenb.privacy.sensitivity import Adjacency
from securenb.schema.schema import Schema


@dataclass(frozen=True)
class FloatLaplace:
    """Floating-point Laplace noise."""

    scale: float


class _Tape(np.random.Generator):
    """Answers the one request for noise with zeros, and keeps its scale."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))
        self.scale: Floats = np.zeros(0)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """See `numpy.random.Generator.laplace`."""
        self.scale = np.asarray(scale, dtype=np.float64)
        return np.zeros(self.scale.shape)


@dataclass(frozen=True, eq=False)
class PaperTarget(Target):
    """What the paper claims: epsilon a record, the queries in sequence, classes and nodes in parallel.

    Parameters
    ----------
    schema
        Classes, features and levels; its bounds only say which records are tried.
    epsilon
        What is claimed.
    """

    schema: Schema
    epsilon: Fraction
    name = "the mechanism of the SECRYPT 2022 paper, as published"
    view = "node"
    delta = 0.0

    def lines(self) -> Sequence[Line]:
        """See `Target.lines`; the sensitivity of a sum is the largest value that the node holds."""
        found = []
        scale = float(len(self.schema.blocks) / self.epsilon)
        for index, label in enumerate(self.schema.classes):
            for block in self.schema.blocks:
                name = f"{self.schema.column_name(block.start)} {block.kind} | {label}"
                start = index * self.schema.width
                columns = range(start + block.start, start + block.stop)
                counted = block.feature < 0 or block.partition
                law = FloatLaplace(scale) if counted else "Laplace noise of a scale read off the data"
                found.append(Line(name, block, columns, 1, "schema" if counted else "data", law))
        return found

    def claimed(self, adjacency: Adjacency) -> Fraction:
        """See `Target.claimed`; the paper does not tell the adjacencies apart."""
        return self.epsilon

    def honest(self) -> tuple[int, int]:
        """See `Target.honest`; every node adds all its noise."""
        return 1, 1

    def encode(self, frame: pd.DataFrame) -> RawRecords:
        """See `Target.encode`."""
        return RawRecords.of(self.schema, frame)

    def replay(self, records: RawRecords, *, traced: bool = True) -> Replay:
        """See `Target.replay`."""
        tape = _Tape()
        values = release(self.schema, records, float(self.epsilon), tape).ravel()
        scales = tape.scale.ravel()
        laws = tuple(FloatLaplace(float(scale)) if scale > 0 else None for scale in scales)
        return Replay(values, tuple((law, 1) for law in laws), laws)

    def sample(
        self, records: RawRecords, columns: NDArray[np.int64], trials: int, rng: np.random.Generator
    ) -> Values:
        """See `Target.sample`."""
        present = np.bincount(records.labels, minlength=len(self.schema.classes)) > 0
        scale = local_sensitivity(self.schema, records) * len(self.schema.blocks) / float(self.epsilon)
        exact, floor, scale = (
            table.ravel()[columns]
            for table in (tabulate(self.schema, records), floors(self.schema, present), scale)
        )
        sampled: Values = np.maximum(exact + rng.laplace(0.0, scale, size=(trials, len(columns))), floor)
        return sampled
