"""Scripted trouble for the local engine: what a network may do to frames, and who falls silent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from protocols.engines.transcript import Frame
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
        for name in ("lose", "repeat", "corrupt", "hold"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is a probability, got {getattr(self, name)}")

    def carry(self, frame: Frame) -> tuple[list[Frame], list[Frame]]:
        """What becomes of a frame: what arrives now, and what arrives only after the next deadline."""
        if self._happens(self.lose):
            return [], []
        if self._happens(self.corrupt):
            frame = Frame(frame.sender, frame.recipient, self._corrupted(frame.data))
        copies = [frame] * (2 if self._happens(self.repeat) else 1)
        return ([], copies) if self._happens(self.hold) else (copies, [])

    def pick(self, count: int) -> int:
        """Which of `count` waiting frames arrives next."""
        return int(self.rng.integers(count)) if self.reorder and self.rng is not None else 0

    def _happens(self, probability: float) -> bool:
        return self.rng is not None and probability > 0 and self.rng.random() < probability

    def _corrupted(self, data: bytes) -> bytes:
        assert self.rng is not None
        where = int(self.rng.integers(len(data)))
        changed = bytes([data[where] ^ int(self.rng.integers(1, 256))])
        return data[:where] + changed + data[where + 1 :]


NO_FAULTS = Faults()


def before(spoken: Sequence[int], stage: int) -> int:
    """What `Faults.silent` says of a party that falls silent before it speaks for the `stage`-th time.

    Parameters
    ----------
    spoken
        `Tally.spoken` in a run in which it did not fall silent.
    stage
        0 for the first time.
    """
    return sum(spoken[:stage])


def within(spoken: Sequence[int], stage: int, rng: np.random.Generator) -> int:
    """As `before`, for a party of whose frames of that turn some have gone out already.

    Raises
    ------
    ValueError
        If it is a turn of a single frame, which cannot be cut.
    """
    if spoken[stage] < 2:
        raise ValueError(f"turn {stage} has {spoken[stage]} frames and cannot be cut")
    return before(spoken, stage) + int(rng.integers(1, spoken[stage]))


def at_any_stage(spoken: Sequence[int], rng: np.random.Generator) -> int:
    """As `before` or `within`, of a turn drawn evenly; 0 for a party that never speaks."""
    if not spoken:
        return 0
    stage = int(rng.integers(len(spoken)))
    cut = spoken[stage] > 1 and rng.random() < 0.5
    return within(spoken, stage, rng) if cut else before(spoken, stage)
