"""Scripted trouble for the local engine: what a network may do to frames, and who falls silent."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from protocols.party import PartyId


@dataclass
class Faults:
    """A lossy, slow, repeating network and crashing parties.

    Attributes
    ----------
    silent
        A party and how many frames it still sends; after that it neither sends nor hears anything.
    rng
        Draws the faults below; needed if any of them is used.
    lose, repeat, corrupt, hold
        Probabilities, for each frame: to be lost, to arrive twice, to arrive with one byte changed, to
        arrive only after the next deadline.
    reorder
        Whether frames arrive in random order.
    """

    silent: Mapping[PartyId, int] = field(default_factory=dict)
    rng: np.random.Generator | None = None
    lose: float = 0.0
    repeat: float = 0.0
    corrupt: float = 0.0
    hold: float = 0.0
    reorder: bool = False

    def __post_init__(self) -> None:
        if self.rng is None and (self.lose or self.repeat or self.corrupt or self.hold or self.reorder):
            raise ValueError("random faults need a generator")

    def happens(self, probability: float) -> bool:
        """One draw."""
        return self.rng is not None and probability > 0 and self.rng.random() < probability

    def corrupted(self, frame: bytes) -> bytes:
        """The frame with one byte changed."""
        assert self.rng is not None
        where = int(self.rng.integers(len(frame)))
        changed = bytes([frame[where] ^ int(self.rng.integers(1, 256))])
        return frame[:where] + changed + frame[where + 1 :]


NO_FAULTS = Faults()
