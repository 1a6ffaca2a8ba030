"""Tight cluster: all malicious nodes send the same flipped average, without noise."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.forging import flipped, pooled


@dataclass(frozen=True)
class TightCluster(Poison):
    """Where honest nodes add noise, the densest place is where those are that add none.

    Krum, geometric medians and their like look for the densest place.
    """

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        average = np.rint(pooled(flipped(known.others))).astype(np.int64)
        return [average] * len(known.own)
