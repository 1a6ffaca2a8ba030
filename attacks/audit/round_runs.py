"""Many runs of a contributor at once: its own function once, and the product's samplers for every run.

Where noise lands cell by cell, a run is what is sent without noise plus the draws in their places. That is a
second implementation of what a contributor sends, so some of the runs are sent by the contributor itself,
given the same draws, and must be equal to the last bit. Where they are not, every run is its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attacks.audit.recording import Name
from attacks.audit.target import Call, Frozen, Values
from protocols.ring import Integers
from securenb.federation.noise_plan import NoiseSources
from securenb.privacy.box import Box
from securenb.privacy.distributions import Distribution
from securenb.privacy.samplers import Noise

Added = Callable[[NoiseSources], Values]
"""What a contributor sends, (d,), given where noise comes from."""

HELD = 2
"""Runs of every sample that the contributor makes itself."""

OWN = 300
"""Runs that are made where no second implementation holds."""


class Script:
    """Sources that write down who asks for what, in order, and answer from a list."""

    def __init__(self, answer: Callable[[int, int], Integers]) -> None:
        self._answer = answer
        self.calls: list[tuple[Name, Call]] = []

    def __call__(self, *name: str | int) -> Noise:
        """See `securenb.federation.noise_plan.NoiseSources`."""
        return _Line(self, name)

    def answer(self, name: Name, law: Distribution | Box, size: int) -> Integers:
        """The next answer."""
        self.calls.append((name, (law, size)))
        return self._answer(len(self.calls) - 1, size)


class _Line(Frozen):
    def __init__(self, script: Script, name: Name) -> None:
        super().__init__()
        self._script, self._name = script, name

    def _answer(self, law: Distribution | Box, size: int) -> Integers:
        return self._script.answer(self._name, law, size)


@dataclass(frozen=True, eq=False)
class Sender:
    """A contributor whose draws land on cells, one each.

    Attributes
    ----------
    values
        What it sends without noise, (d,).
    calls
        What it asks for, and from which source, in order.
    lands
        Which draw lands on each cell, counted through all calls, (d,); -1 for none.
    """

    values: Values
    calls: tuple[tuple[Name, Call], ...]
    lands: NDArray[np.int64]


def learned(added: Added) -> Sender | None:
    """How a contributor's draws land; `None` if otherwise than one by one, or differently in two runs."""
    silent = Script(lambda _, size: np.zeros(size, dtype=np.int64))
    values = added(silent)
    found = []
    for seed in (1, 2):
        rng, drawn = np.random.default_rng(seed), list[Integers]()

        def told(
            _: int, size: int, rng: np.random.Generator = rng, drawn: list[Integers] = drawn
        ) -> Integers:
            drawn.append(rng.integers(1, 1 << 40, size=size) * rng.choice([-1, 1], size))
            return drawn[-1].copy()

        script = Script(told)
        landed = added(script) - values
        if script.calls != silent.calls:
            return None
        draws = np.concatenate([*drawn, np.zeros(1, dtype=np.int64)])
        order = np.argsort(draws, kind="stable")
        at = order[np.clip(np.searchsorted(draws[order], landed), 0, len(draws) - 1)]
        if not np.array_equal(draws[at], landed):
            return None
        found.append(np.where(landed == 0, -1, at))
    if not np.array_equal(found[0], found[1]):
        return None
    return Sender(values, tuple(silent.calls), found[0])


def runs(
    added: Added,
    sender: Sender | None,
    columns: NDArray[np.int64],
    trials: int,
    fresh: Callable[[], NoiseSources],
) -> Values:
    """What is sent in some cells, (trials, cells), in independent runs; fewer of them if each is its own.

    Parameters
    ----------
    fresh
        Sources of the product's own that no run has drawn from.
    """
    if sender is not None:
        made, draws = _drawn(sender, columns, trials, fresh())
        if all(
            np.array_equal(added(_replayed(draws, at))[columns], made[at])
            for at in np.linspace(0, trials - 1, HELD).astype(int)
        ):
            return made
    return np.array([added(fresh())[columns] for _ in range(min(trials, OWN))])


Draws = Sequence[tuple[NDArray[np.int64], Integers]]
"""For each call, which of its draws are needed, (k,), and those, (trials, k)."""


def _drawn(
    sender: Sender, columns: NDArray[np.int64], trials: int, sources: NoiseSources
) -> tuple[Values, Draws]:
    made = np.repeat(sender.values[columns][None], trials, axis=0)
    lands, start = sender.lands[columns], 0
    known: dict[Name, Noise] = {}
    draws: list[tuple[NDArray[np.int64], Integers]] = []
    for name, (law, size) in sender.calls:
        here = (lands >= start) & (lands < start + size)
        needed, which = np.unique(lands[here] - start, return_inverse=True)
        drawn = np.zeros((trials, 0), dtype=np.int64)
        if len(needed):
            source = known[name] if name in known else known.setdefault(name, sources(*name))
            drawn = _fresh(law, source, trials, needed)
            made[:, here] = made[:, here] + drawn[:, which]
        draws.append((needed, drawn))
        start += size
    return made, draws


def _fresh(law: Distribution | Box, source: Noise, trials: int, needed: NDArray[np.int64]) -> Integers:
    """Some of the numbers that one request asks for, in so many runs, (trials, k)."""
    if not isinstance(law, Box):
        return law.draw(source, trials * len(needed)).reshape(trials, len(needed))
    points, which = np.unique(needed // law.width, return_inverse=True)
    drawn = source.box(law, trials * len(points)).reshape(trials, len(points), law.width)
    return drawn[:, which, needed % law.width]


def _replayed(draws: Draws, at: int) -> Script:
    """The draws of one run, as sources; draws that were not needed are zeros."""

    def answer(call: int, size: int) -> Integers:
        given = np.zeros(size, dtype=np.int64)
        if call < len(draws):
            needed, drawn = draws[call]
            given[needed[needed < size]] = drawn[at][needed < size]
        return given

    return Script(answer)
