"""What is audited: a release that can be replayed with its noise made visible, and sampled."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from protocols.ring import Integers
from securenb.distributions import DiscreteGaussian, Distribution, Floats, Polya, Skellam
from securenb.mechanism import Mechanism
from securenb.noise import FastNoise, Noise
from securenb.records import Records
from securenb.schema import Schema
from securenb.sensitivity import Adjacency
from securenb.statistics import Statistics


@dataclass(frozen=True, eq=False)
class Replay:
    """One run with its noise replaced by zero.

    Attributes
    ----------
    values
        The answers before noise, shape (C, width).
    laws
        What noise each cell was given, shape (C, width), of hashable objects; `None` for no noise.
    """

    values: Floats
    laws: NDArray[np.object_]


class Target(ABC):
    """A release of a table of statistics, and what it is claimed to cost."""

    schema: Schema

    @abstractmethod
    def claimed(self, adjacency: Adjacency) -> Fraction | None:
        """Epsilon of the whole release; `None` where nothing is claimed."""

    @abstractmethod
    def replay(self, records: Records) -> Replay:
        """The release of these records, with the noise made visible."""

    @abstractmethod
    def loss(self, replay: Replay, shift: Floats) -> float:
        """Epsilon of a neighbour whose answers differ by `shift` (C, width); infinite without noise."""

    @abstractmethod
    def sample(self, records: Records, cells: Integers, trials: int, rng: np.random.Generator) -> Floats:
        """Released values of the cells (k, 2) in independent runs, shape (trials, k)."""


class Recorder(Noise):
    """Notes what noise is asked for; a draw is the number of its call, from 1 on."""

    def __init__(self) -> None:
        self.laws: list[Distribution] = []

    def _noted(self, law: Distribution, size: int) -> Integers:
        self.laws.append(law)
        return np.full(size, len(self.laws), dtype=np.int64)

    def polya(self, scale: Fraction, doses: Fraction, size: int) -> Integers:
        """See `Noise.polya`."""
        return self._noted(Polya(scale, doses), size)

    def skellam(self, variance: Fraction, size: int) -> Integers:
        """See `Noise.skellam`."""
        return self._noted(Skellam(variance), size)

    def gaussian(self, variance: Fraction, size: int) -> Integers:
        """See `Noise.gaussian`."""
        return self._noted(DiscreteGaussian(variance), size)


@dataclass(frozen=True)
class Noised(Target):
    """A row of our own.

    Parameters
    ----------
    schema, mechanism
        Of the federation.
    among
        Shares that make a dose.
    present
        Honest shares that are in the row and that nobody can subtract.
    add_remove, replace_one
        What is claimed.
    """

    schema: Schema
    mechanism: Mechanism
    among: int
    present: int
    add_remove: Fraction | None
    replace_one: Fraction | None

    def claimed(self, adjacency: Adjacency) -> Fraction | None:
        """See `Target.claimed`."""
        return self.add_remove if adjacency == "add-remove" else self.replace_one

    def replay(self, records: Records) -> Replay:
        """See `Target.replay`."""
        recorder = Recorder()
        share = self.mechanism.share(self.schema, self.among, recorder, self.present)
        table = Statistics.of(self.schema, records).table * self.mechanism.grid
        laws: NDArray[np.object_] = np.full(table.shape, None, dtype=np.object_)
        for number, law in enumerate(recorder.laws, 1):
            laws[share.reshape(table.shape) == number] = law
        return Replay(table.astype(np.float64), laws)

    def loss(self, replay: Replay, shift: Floats) -> float:
        """See `Target.loss`; pure epsilon."""
        total = Fraction(0)
        for law, by in zip(replay.laws[shift != 0], shift[shift != 0], strict=True):
            pure = None if law is None else law.pure(int(abs(by)))
            if pure is None:
                return float("inf")
            total += pure
        return float(total)

    def sample(self, records: Records, cells: Integers, trials: int, rng: np.random.Generator) -> Floats:
        """See `Target.sample`."""
        table = Statistics.of(self.schema, records).table * self.mechanism.grid
        sampled = np.empty((trials, len(cells)))
        noise = FastNoise(rng)
        for at, (label, column) in enumerate(cells):
            block = next(b for b in self.schema.blocks if b.start <= column < b.stop)
            law = self.mechanism.noise(self.schema, block, self.among, self.present)
            drawn = 0 if law is None else law.draw(noise, trials)
            sampled[:, at] = table[label, column] + drawn
        return sampled
