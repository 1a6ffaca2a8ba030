"""Inner-product manipulation: the honest mean, reversed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.forging import honest_points, pooled, table_at


@dataclass(frozen=True)
class Ipm(Poison):
    """Xie, Koyejo and Gupta 2019, "Fall of Empires": a small negative multiple of the honest mean.

    Parameters have no origin as gradients have; what plays it here is the model that knows nothing of the
    class, every class's parameters being their average over the classes.

    Parameters
    ----------
    factor
        The multiple; small ones slip past distance-based rules, ones above 1 flip an average.
    """

    factor: float = 1.1

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        schema, smoothing = known.schema, known.smoothing
        middle = honest_points(schema, known.others, smoothing).mean(axis=0)
        by_class = middle.reshape(len(schema.classes), schema.width)
        origin = np.broadcast_to(by_class.mean(axis=0), by_class.shape).reshape(-1)
        point = origin - self.factor * (middle - origin)
        table = table_at(schema, point, pooled(known.others)[:, 0], smoothing)
        return [table] * len(known.own)
