"""L1: whether as many independent draws reach the released cells as there are cells."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from attacks.audit.round_runs import learned
from attacks.audit.target import Frozen, Tape, Values
from protocols.ring import Integers
from securenb.privacy.box import Box
from securenb.privacy.distributions import Distribution
from securenb.privacy.samplers import Noise

STEP = 2
"""What a draw is moved by: its parity stays, which cells of one draw share."""


def free_of_noise(release: Callable[[Noise], Values], names: Sequence[str]) -> Sequence[str]:
    """Cells that share noise: tapes, or single draws that move, span fewer dimensions than there are cells.

    Where each cell has a draw of its own nothing is left to ask. Else linear relations are sought first, then
    any others, by moving one draw of a tape at a time.

    Parameters
    ----------
    release
        What is released of no records, (d,), given the noise.
    names
        Of the cells.
    """
    nothing = release(Frozen())
    sender = learned(lambda sources: release(sources("any")))
    if sender is not None and len(set(sender.lands.tolist()) - {-1}) == len(nothing):
        return []  # each cell has a draw of its own
    tapes = range(len(nothing) + 8)
    span = np.array([release(Tape(seed)) - nothing for seed in tapes], dtype=np.float64)
    found = [f"no noise in a sum of {cells}" for cells in _dead(span / 2.0**30, names)]
    if found:
        return found
    return [f"one draw of noise decides several of {cells}" for cells in _dead(_moved(release), names)]


def _dead(span: NDArray[np.float64], names: Sequence[str]) -> Sequence[str]:
    """Cells of up to three directions that rows, (n, d), do not span, in words."""
    _, sizes, axes = np.linalg.svd(span)
    dead = axes[np.count_nonzero(sizes > 1e-9 * max(float(sizes.max()), 1e-300)) :]
    found = []
    for axis in dead[:3]:
        strongest = np.argsort(-np.abs(axis), kind="stable")[:3]
        found.append(", ".join(names[at] for at in strongest if abs(axis[at]) > 1e-6))
    return found


def _moved(release: Callable[[Noise], Values]) -> NDArray[np.float64]:
    """How far each cell goes if one draw of a tape moves, (draws, d), each row over its largest."""
    tape = Nudged(-1)
    values = release(tape)
    moved = np.array([release(Nudged(at)) - values for at in range(tape.drawn)], dtype=np.float64)
    moved = moved.reshape(tape.drawn, len(values))
    largest = np.maximum(np.abs(moved).max(axis=1, keepdims=True), 1.0)
    return np.asarray(moved / largest)


class Nudged(Tape):
    """A tape of which one draw is `STEP` more.

    Parameters
    ----------
    at
        Which, counted through all requests; -1 for none.
    """

    def __init__(self, at: int) -> None:
        super().__init__(0)
        self._at, self.drawn = at, 0

    def _answer(self, law: Distribution | Box, size: int) -> Integers:
        answer = super()._answer(law, size)
        if self.drawn <= self._at < self.drawn + size:
            answer[self._at - self.drawn] += STEP
        self.drawn += size
        return answer
