"""Adaptive: tries many forgeries against the rule in use, and sends the one that hurts most."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.shadow_round import STEPS, WEIGHTS, Game
from protocols.ring import Integers


@dataclass(frozen=True)
class Adaptive(Poison):
    """Searches along the way from the honest average to, and beyond, flipped labels and misleading records.

    It plays the round itself: with the nodes it knows, random groups of the public size, and the public
    rule, it scores each forgery on records that it draws from the honest model, and keeps the worst.
    What it does not know is who will be in which group, and the noise.

    Parameters
    ----------
    records
        Of each class, for scoring.
    """

    records: int = 100

    against_rule: ClassVar[bool] = True

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        game = Game(known, self.records, rng)
        worst: tuple[float, int, int, Integers] | None = None
        for index, (at, weight) in enumerate(itertools.product(STEPS, WEIGHTS)):
            for way, table in enumerate(game.forgeries(at, weight, self.inside)):
                score = game.score(table)
                if worst is None or (score, index, way) < worst[:3]:
                    worst = (score, index, way, table)
        assert worst is not None
        return [worst[3]] * len(known.own)
