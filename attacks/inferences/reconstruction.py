"""The only record of a small node, feature by feature, from the row that the node is in."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.inference import Attempt, Inference, drawn_seed, look
from securenb.bayes.parameters import Floats
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.schema.records import Records
from securenb.schema.schema import Schema


@dataclass(frozen=True)
class Reconstruction(Inference):
    """The victim holds one record. Right are the label, levels, and numbers within a tenth of the bounds.

    The class is the one whose cells exceed those of the others most; levels are the largest cells in it,
    numbers its sums. Without the view, what is most frequent among the others is concluded.
    """

    def attempt(self, federation: Federation, nodes: Sequence[Node], rng: np.random.Generator) -> Attempt:
        """See `Inference.attempt`."""
        at = int(rng.integers(len(nodes)))
        held = nodes[at].records
        if not len(held):
            return Attempt(0.0, 0.0)
        pick = int(rng.integers(len(held)))
        record = held[slice(pick, pick + 1)]
        victim = Node(nodes[at].id, record)
        others = [*nodes[:at], *nodes[at + 1 :]]
        view = look(federation, [*others[:at], victim, *others[at:]], drawn_seed(rng))
        schema = federation.schema
        pooled = np.sum([node.statistics(schema).table for node in others], axis=0).astype(np.float64)
        mean = pooled / np.maximum(pooled[:, :1], 1.0)
        seen = view.alone(victim.id, others)
        return Attempt(
            _right(schema, _concluded(schema, seen, seen), record),
            _right(schema, _concluded(schema, pooled, mean), record),
        )


def _concluded(schema: Schema, counts: Floats, numbers: Floats) -> Records:
    """The one record that fits best: class and levels by their counts, numbers as they stand."""
    levels = [block for block in schema.blocks if block.partition]
    evidence = counts[:, 0] + sum(counts[:, block.columns].max(axis=1) for block in levels)
    label = int(np.argmax(evidence))
    codes = np.zeros((1, len(schema.features)), dtype=np.int32)
    for at, (feature, columns) in enumerate(zip(schema.features, schema.columns, strict=True)):
        seen = counts if feature.partition else numbers
        codes[0, at] = feature.closest(seen[label, columns])
    return Records(codes, np.array([label], dtype=np.int32))


def _right(schema: Schema, concluded: Records, record: Records) -> float:
    """The share of label and features that are right."""
    right = [bool(concluded.labels[0] == record.labels[0])]
    for index, feature in enumerate(schema.features):
        miss = abs(int(concluded.codes[0, index]) - int(record.codes[0, index]))
        right.append(miss == 0 if feature.partition else miss <= feature.size // 10)
    return float(np.mean(right))
