"""A node: an institution or a person, and the records that never leave it."""

from dataclasses import dataclass, replace

import numpy as np

from protocols.party import PartyId
from protocols.ring import Integers
from securenb.schema.increments import Increments
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics


@dataclass(frozen=True, eq=False)
class Node:
    """A node that holds whole records.

    Attributes
    ----------
    id
        Its name among the nodes of a run.
    records
        What it holds.
    """

    id: PartyId
    records: Records

    def statistics(self, schema: Schema) -> Statistics:
        """The statistics of what the node holds, exact; those of all nodes add to the pooled ones."""
        return Statistics.of(schema, self.records)

    def contribution(self, schema: Schema, noise: Integers, grid: int) -> Integers:
        """What the node sends, shape (d,): its statistics on the noise's grid, and its share of noise.

        Under a layout of `Increments`, those of the records that it keeps. Noise that is longer than the
        statistics has witness cells behind them: nothing of the records is added there.

        See `securenb.privacy.mechanism.Mechanism.grid`.
        """
        if isinstance(schema, Increments):
            kept = replace(self, records=schema.kept(self.records)).statistics(schema.base)
            vector = schema.expanded(kept.table).reshape(-1)
        else:
            vector = self.statistics(schema).vector()
        sent = noise.copy()
        sent[: len(vector)] += vector * grid
        return sent


@dataclass(frozen=True, eq=False)
class VerticalNode(Node):
    """A node that holds some of the features of every record, and all labels.

    Attributes
    ----------
    features
        Indices of its features in the schema, increasing; `records.codes` has these columns and no others.
    counts_classes
        Whether this is the one node that contributes the class counts, which every node could.
    """

    features: tuple[int, ...]
    counts_classes: bool

    def __post_init__(self) -> None:
        held = self.records.codes.shape[1]
        if list(self.features) != sorted(set(self.features)) or len(self.features) != held:
            raise ValueError(f"{self.id}: features {self.features} do not name its {held} columns in order")

    def statistics(self, schema: Schema) -> Statistics:
        """The blocks of its features, zero elsewhere: nodes have disjoint support."""
        own = replace(schema, features=tuple(schema.features[index] for index in self.features))
        held = Statistics.of(own, self.records)
        wanted = {-1, *self.features} if self.counts_classes else set(self.features)
        target = [block for block in schema.blocks if block.feature in wanted]
        source = own.blocks if self.counts_classes else own.blocks[1:]
        table = np.zeros((len(schema.classes), schema.width), dtype=np.int64)
        for at, block in zip(target, source, strict=True):
            table[:, at.columns] = held.table[:, block.columns]
        return Statistics(schema, table)
