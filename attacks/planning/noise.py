"""What noise leaves to be read, from a schema alone."""

from dataclasses import dataclass

import numpy as np

from attacks.planning.design import Design, survivors
from attacks.planning.wishes import Wishes
from securenb.privacy.spec import choose_mechanism
from securenb.schema.schema import Schema

AGGREGATORS = 2
"""Each adds a dose where statistics are proven."""
STANDS_OUT = 2.0
"""Standard deviations."""


@dataclass(frozen=True)
class Legible:
    """Cells of an opened row against its noise.

    Attributes
    ----------
    design
        How the round is run.
    deviation
        Standard deviation of the noise of a count, in records.
    records
        In a row, in the mean.
    smallest
        The smallest share of the records of a class, all classes alike large, that stands out from the noise
        by two standard deviations; above 1 nothing does.
    readable
        Of the schema's levels, the fraction that stands out if all levels of a feature are alike frequent;
        NaN if no feature has levels.
    """

    design: Design
    deviation: float
    records: float
    smallest: float
    readable: float


def legible(design: Design, schema: Schema, wishes: Wishes, records: float) -> Legible:
    """How the noise of a design compares with counts; `records` of a node, in the mean."""
    mechanism = choose_mechanism(design.mechanism, wishes.epsilon, wishes.delta if design.delta else None)
    size = design.group_size or wishes.nodes
    honest = survivors(size, wishes) - wishes.colluding
    among, shares = (1, AGGREGATORS) if design.inputs == "verified" else (honest, size)
    if among < 1:
        raise ValueError(f"of a group of {size} nodes none is sure to be there and honest")
    block = next((block for block in schema.blocks if block.partition), schema.blocks[0])
    law = mechanism.noise(schema, block, among, shares)
    deviation = 0.0 if law is None else np.sqrt(law.spread()) / mechanism.grid
    each = records * size / len(schema.classes)
    smallest = float(STANDS_OUT * deviation / each)
    sizes = [feature.size for feature in schema.features if feature.partition]
    levels = np.repeat(np.array(sizes, dtype=float), sizes)
    readable = float(np.mean(each / levels >= STANDS_OUT * deviation)) if sizes else float("nan")
    return Legible(design, float(deviation), records * size, smallest, readable)
