"""The release of the SECRYPT 2022 paper as something to audit: it claims epsilon and does not keep it."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from attacks.audit.target import Replay, Target
from protocols.ring import Integers
from securenb.distributions import Floats
from securenb.feature import Numeric
from securenb.paper.records import RawRecords
from securenb.paper.release import release, sum_columns, tabulate
from securenb.records import Records
from securenb.schema import Schema
from securenb.sensitivity import Adjacency


class _Scales(np.random.Generator):
    """A generator that notes the scales it is asked for and draws zeros."""

    def laplace(self, loc: object = 0.0, scale: object = 1.0, size: object = None) -> Floats:  # type: ignore[override]
        """Zeros."""
        self.asked = np.array(scale, dtype=np.float64)
        return np.zeros_like(self.asked)


@dataclass(frozen=True)
class PaperRelease(Target):
    """What one node of the paper sends."""

    schema: Schema
    epsilon: Fraction

    def claimed(self, adjacency: Adjacency) -> Fraction:
        """The paper names no adjacency: its parallel composition is meant for add/remove."""
        return self.epsilon

    def replay(self, records: Records) -> Replay:
        """See `Target.replay`."""
        scales = _Scales(np.random.PCG64(0))
        raw = decoded(self.schema, records)
        release(self.schema, raw, float(self.epsilon), scales)
        laws = scales.asked.astype(np.object_)
        laws[scales.asked == 0] = None
        return Replay(tabulate(self.schema, raw), laws)

    def loss(self, replay: Replay, shift: Floats) -> float:
        """See `Target.loss`."""
        moved = shift != 0
        if any(law is None for law in replay.laws[moved]):
            return float("inf")
        return float((np.abs(shift[moved]) / replay.laws[moved].astype(np.float64)).sum())

    def sample(self, records: Records, cells: Integers, trials: int, rng: np.random.Generator) -> Floats:
        """See `Target.sample`; every trial is a run of the published release."""
        raw, epsilon = decoded(self.schema, records), float(self.epsilon)
        rows, columns = cells.T
        return np.array([release(self.schema, raw, epsilon, rng)[rows, columns] for _ in range(trials)])


def decoded(schema: Schema, records: Records) -> RawRecords:
    """Records with numbers in their own units, as the paper's code has them."""
    numbers = []
    cells = []
    blocks = {block.feature: block.start for block in schema.blocks if block.kind == "levels"}
    for index, feature in enumerate(schema.features):
        codes = records.codes[:, index]
        if isinstance(feature, Numeric):
            numbers.append(feature.lower + codes * feature.step)
        else:
            cells.append(blocks[index] + codes)
    assert len(numbers) == len(sum_columns(schema))
    values = np.array(numbers, dtype=np.float64).T.reshape(len(records), len(numbers))
    places = np.array(cells, dtype=np.int64).T.reshape(len(records), len(cells))
    return RawRecords(values, places, records.labels)
