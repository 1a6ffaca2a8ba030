"""How many records of each class one node holds, from the row that it is in."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.inference import Attempt, Inference, drawn_seed, look
from securenb.bayes.parameters import Floats
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.schema.schema import Schema


@dataclass(frozen=True)
class ClassCounts(Inference):
    """The class counts, exactly: a conclusion a class, right if the count is.

    Without the view, the counts that nodes hold on average are concluded.
    """

    def attempt(self, federation: Federation, nodes: Sequence[Node], rng: np.random.Generator) -> Attempt:
        """See `Inference.attempt`."""
        victim = nodes[int(rng.integers(len(nodes)))]
        view = look(federation, nodes, drawn_seed(rng))
        return judged_counts(view.alone(victim.id, nodes)[:, 0], victim, nodes, federation.schema)


def judged_counts(counts: Floats, victim: Node, nodes: Sequence[Node], schema: Schema) -> Attempt:
    """How many of the estimated counts, shape (C,), are the victim's."""
    classes = len(schema.classes)
    held = np.array([np.bincount(node.records.labels, minlength=classes) for node in nodes])
    true = np.bincount(victim.records.labels, minlength=classes)
    others = (held.sum(axis=0) - true) / (len(nodes) - 1)
    return Attempt(float(np.mean(np.rint(counts) == true)), float(np.mean(np.rint(others) == true)))
