"""Noise sources that write down who asks for what, and answer with nothing, or with a mark."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attacks.audit.target import Call, Frozen, Values
from protocols.ring import Integers
from securenb.federation.noise_plan import NoiseSources
from securenb.privacy.box import Box
from securenb.privacy.distributions import DiscreteGaussian, Distribution
from securenb.privacy.joint import BoxMarginal
from securenb.privacy.samplers import Noise

Name = tuple[str | int, ...]

WIDE = Fraction(1 << 60)
"""A variance at which two streams give the same two draws with probability below 2^-60."""


AGAIN = 800
"""How often one source is asked for: streams of sixteen bits of seed would nearly always repeat."""


class SharedSource:
    """Every name gets the one source: what is asked can then be marked call by call."""

    def __init__(self, noise: Noise) -> None:
        self._noise = noise

    def __call__(self, *name: str | int) -> Noise:
        """See `securenb.federation.noise_plan.NoiseSources`."""
        return self._noise


class RecordingSources:
    """A source a name, each of which writes down its calls and answers `answer`."""

    def __init__(self, answer: int = 0) -> None:
        self._answer = answer
        self._frozen: dict[Name, list[Frozen]] = defaultdict(list)

    def __call__(self, *name: str | int) -> Noise:
        """See `securenb.federation.noise_plan.NoiseSources`."""
        source = Frozen(always=self._answer)
        self._frozen[name].append(source)
        return source

    def asked(self) -> dict[Name, tuple[Call, ...]]:
        """What was asked for, by the name of the source."""
        return {
            name: tuple(call for source in sources for call in source.calls)
            for name, sources in self._frozen.items()
            if any(source.calls for source in sources)
        }


@dataclass(frozen=True)
class Asked:
    """What one contributor of noise asked for in the round's own code.

    Attributes
    ----------
    who
        A node, or an aggregator and a group, in words.
    calls
        What it asked for, by source.
    added
        What it adds to its vector when every draw is one, (d,): where its noise lands.
    size
        Of its group.
    """

    who: str
    size: int
    calls: dict[Name, tuple[Call, ...]]
    added: Integers


def traced(added: Callable[[NoiseSources], Values]) -> tuple[Values, list[Call], list[Any]]:
    """What is released without noise, what is asked for, and the law of the noise on each coordinate.

    Requests are answered with a mark each, to see where it lands; `None` where none does. Where a cell shows
    anything but one mark, each request is answered with ones in turn.

    Parameters
    ----------
    added
        The released vector, (d,), given where noise comes from.
    """
    frozen = Frozen()
    values = added(SharedSource(frozen))
    laws: list[Any] = [None] * len(values)
    shown = _marks_shown(added, frozen.calls, values)
    for index, (law, size) in enumerate(frozen.calls):
        change = added(SharedSource(Frozen(index))) - values if shown is None else shown == index
        reached = np.flatnonzero(change)
        one: Any = law
        if isinstance(law, DiscreteGaussian) and len(reached):
            one = law.repeated(size // len(reached))
        for column in reached:
            if isinstance(law, Box):
                one = BoxMarginal(law, int(change[column]) - 1)
            laws[column] = one if laws[column] is None else ("several laws", one, laws[column])
    return values, frozen.calls, laws


def _marks_shown(
    added: Callable[[NoiseSources], Values], calls: Sequence[Call], values: Values
) -> NDArray[np.int64] | None:
    """Which request lands on each coordinate, (d,), -1 for none; `None` unless each shows one whole mark."""
    if any(isinstance(law, Box) for law, _ in calls):  # its draws are told apart by their places
        return None
    marks = np.append(np.random.default_rng(0).integers(1 << 39, 1 << 40, size=len(calls)), 0)
    marked = Marked(marks)
    landed = added(SharedSource(marked)) - values
    if marked.calls != list(calls) or len(np.unique(marks)) < len(marks):
        return None
    order = np.argsort(marks)
    at = order[np.clip(np.searchsorted(marks[order], landed), 0, len(marks) - 1)]
    if not np.array_equal(marks[at], landed):
        return None
    return np.where(at == len(calls), -1, at)


class Marked(Frozen):
    """Answers each request with a number of its own."""

    def __init__(self, marks: NDArray[np.int64]) -> None:
        super().__init__()
        self._marks = marks

    def _answer(self, law: Distribution | Box, size: int) -> Integers:
        self.calls.append((law, size))
        return np.full(size, self._marks[min(len(self.calls), len(self._marks)) - 1])


def recorded(who: str, size: int, added: Callable[[NoiseSources], Integers]) -> Asked:
    """What a contributor asks for, and adds."""
    recorder = RecordingSources()
    nothing = added(recorder)
    return Asked(who, size, recorder.asked(), added(RecordingSources(answer=1)) - nothing)


def alike(sources: NoiseSources, names: list[Name], *, again: bool) -> Iterator[str]:
    """Where two of these sources give the same draws, in words.

    Parameters
    ----------
    again
        Whether a source asked for twice must differ, too: outside simulations nothing may repeat.
    """
    seen: dict[bytes, Name] = {}
    for at, name in enumerate(names):
        # a seed of few bits shows in one name asked for often
        for time in range(AGAIN if again and at == 0 else 1 + again):
            drawn = sources(*name).gaussian(WIDE, 2).tobytes()
            if drawn in seen:
                which = f"two of the first {time + 1} runs of {_word(name)}" if seen[drawn] == name else (
                    f"{_word(seen[drawn])} and {_word(name)}"
                )  # fmt: skip
                yield f"{which} draw from one stream"
                break
            seen[drawn] = name


def _word(name: Name) -> str:
    return " ".join(map(str, name))
