"""Whether a record is among those of a node, from the row that the node is in."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.inference import Attempt, Inference, drawn_seed, look
from securenb.bayes.parameters import Floats
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics


@dataclass(frozen=True)
class Membership(Inference):
    """As many members as others are scored; the half with the higher scores are concluded to be members.

    The score is the direction of the likelihood ratio for Gaussian noise: how far the node's statistics
    lie from what nodes hold on average towards the record, in units of the noise and of how much nodes
    differ. An illustration: average records hide well even without noise; `attacks.audit` tries the worst.

    Parameters
    ----------
    candidates
        At most so many members, and so many others, a trial.
    """

    candidates: int = 20

    def attempt(self, federation: Federation, nodes: Sequence[Node], rng: np.random.Generator) -> Attempt:
        """See `Inference.attempt`."""
        schema = federation.schema
        at = int(rng.integers(len(nodes)))
        victim, others = nodes[at], [*nodes[:at], *nodes[at + 1 :]]
        outside = Records.concatenate(*(node.records for node in others))
        count = min(self.candidates, len(victim.records), len(outside))
        if not count:
            return Attempt(0.5, 0.5)
        view = look(federation, nodes, drawn_seed(rng))
        known = np.array([node.statistics(schema).table for node in others])
        spread = view.noise[view.row_of(victim.id)] + known.var(axis=0) + 1e-9
        residual = (view.alone(victim.id, nodes) - known.mean(axis=0)) / spread
        members = victim.records[rng.permutation(len(victim.records))[:count]]
        strangers = outside[rng.permutation(len(outside))[:count]]
        scores = np.concatenate([_scores(schema, part, residual) for part in (members, strangers)])
        # ties are broken by chance, not by who comes first
        order = np.lexsort((rng.random(2 * count), scores))
        return Attempt(float(np.mean(order[count:] < count)), 0.5)


def _scores(schema: Schema, records: Records, residual: Floats) -> Floats:
    """The residual's product with what each record adds, shape (n,)."""
    singles = (records[slice(index, index + 1)] for index in range(len(records)))
    return np.array([float((Statistics.of(schema, single).table * residual).sum()) for single in singles])
