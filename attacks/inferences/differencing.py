"""One node's class counts, from a release with it and a release without it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.inference import Attempt, Inference, drawn_seed, look
from attacks.inferences.class_counts import judged_counts
from securenb.data.node import Node
from securenb.federation.federation import Federation


@dataclass(frozen=True)
class Differencing(Inference):
    """Subtracts two sums: nothing needs to be known about the others, if only they are the same.

    What answers it is one release a session, and a ledger that charges the second one.
    """

    def attempt(self, federation: Federation, nodes: Sequence[Node], rng: np.random.Generator) -> Attempt:
        """See `Inference.attempt`."""
        at = int(rng.integers(len(nodes)))
        victim, others = nodes[at], [*nodes[:at], *nodes[at + 1 :]]
        both = look(federation, nodes, drawn_seed(rng))
        less = look(federation, others, drawn_seed(rng))
        counts = both.rows[:, :, 0].sum(axis=0) - less.rows[:, :, 0].sum(axis=0)
        return judged_counts(counts, victim, nodes, federation.schema)
