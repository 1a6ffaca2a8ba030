"""Noise that is drawn once and given again: cells of a trial share it, and need not draw it anew."""

from collections.abc import Callable
from fractions import Fraction

from protocols.ring import Integers
from securenb.federation.noise_plan import NoiseSources
from securenb.privacy.box import Box
from securenb.privacy.samplers import Noise


class RememberedSources:
    """Sources that give, asked again by the same name, the same draws as before.

    Parameters
    ----------
    sources
        Where draws come from the first time: a simulation's, which would give the same again.
    """

    def __init__(self, sources: NoiseSources) -> None:
        self._sources = sources
        self._drawn: dict[tuple[str | int, ...], list[Integers]] = {}
        self._origin: dict[tuple[str | int, ...], Noise] = {}

    def __call__(self, *name: str | int) -> Noise:
        """See `NoiseSources`."""
        if name not in self._origin:
            self._origin[name], self._drawn[name] = self._sources(*name), []
        return _Remembered(self._origin[name], self._drawn[name])


class _Remembered(Noise):
    def __init__(self, origin: Noise, drawn: list[Integers]) -> None:
        self._origin, self._drawn, self._at = origin, drawn, 0

    def _next(self, draw: Callable[[], Integers]) -> Integers:
        if self._at == len(self._drawn):
            self._drawn.append(draw())
        self._at += 1
        return self._drawn[self._at - 1]

    def polya(self, scale: Fraction, doses: Fraction, size: int) -> Integers:
        return self._next(lambda: self._origin.polya(scale, doses, size))

    def skellam(self, variance: Fraction, size: int) -> Integers:
        return self._next(lambda: self._origin.skellam(variance, size))

    def gaussian(self, variance: Fraction, size: int) -> Integers:
        return self._next(lambda: self._origin.gaussian(variance, size))

    def box(self, box: Box, size: int) -> Integers:
        return self._next(lambda: self._origin.box(box, size))
