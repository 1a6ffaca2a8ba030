"""Tailored to the aggregation rule: the farthest that the rule itself lets the model be carried."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.directions import check_direction, direction_of
from attacks.toolkit.forging import honest_points, pooled, table_at
from attacks.toolkit.projection import into_invariants
from attacks.toolkit.rehearsal import Rehearsal
from securenb.robust.points import stabilised


@dataclass(frozen=True)
class AgrTailored(Poison):
    """Moves the honest mean in one direction, as far as makes the rule's own output go farthest in it.

    Shejwalkar and Houmansadr 2021, "Manipulating the Byzantine", section IV-B: maximises the distance between
    the rule's output and the honest mean over the step, which for Krum is the largest step that is still
    selected. Their search halves a step from above, which finds one of several maxima; here a geometric
    scan and a golden section around its best. It maximises a distance, not an error: `gradient_rule` does
    the latter.

    Uses the schema, own statistics, those of the nodes that it sees, the rule, group size and cap, and the
    law of the noise.

    Parameters
    ----------
    direction
        As for `min_max`.
    """

    direction: str = "flip"

    against_rule: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_direction(self.direction)

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        schema, smoothing, bad = known.schema, known.smoothing, len(known.own)
        middle = honest_points(schema, known.others, smoothing).mean(axis=0)
        direction, counts = direction_of(known, self.direction), pooled(known.others)[:, 0]
        unit = direction / max(float(np.linalg.norm(direction)), 1e-12)
        rehearsal = Rehearsal(known, 100, 2, rng, noisy=self.noisy)

        def sent(step: float) -> Forged:
            table = table_at(schema, middle + step * direction, counts, smoothing)
            return into_invariants(schema, table, known.cap) if self.inside else table

        def carried(step: float) -> float:
            models = rehearsal.models([sent(step)] * bad)
            # a rule that votes has a model a row: the mean of them stands for where it went
            ends = [
                stabilised(model.parameters).values.reshape(-1, len(middle)).mean(axis=0) for model in models
            ]
            return float(np.mean([(end - middle) @ unit for end in ends])) if ends else -np.inf

        steps = np.geomspace(0.05, 12.8, 17)
        found = [carried(step) for step in steps]
        best = int(np.argmax(found))
        low, high = steps[max(best - 1, 0)], steps[min(best + 1, len(steps) - 1)]
        near = np.linspace(low, high, 9)
        again = [carried(step) for step in near]
        step = near[int(np.argmax(again))] if max(again) > found[best] else steps[best]
        return [sent(float(step))] * bad
