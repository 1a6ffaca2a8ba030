"""Mimic: every malicious node copies the same honest node."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.forging import honest_points


@dataclass(frozen=True)
class Mimic(Poison):
    """Karimireddy, He and Jaggi 2022, section 3.2: gives one honest node many voices.

    It copies the node that is farthest from the mean. Without registration it is also a Sybil attack.
    """

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        points = honest_points(known.schema, known.others, known.smoothing)
        farthest = int(np.argmax(np.square(points - points.mean(axis=0)).sum(axis=1)))
        return [known.others[farthest]] * len(known.own)
