"""The contract of what can be audited: what it claims, and a release that can be replayed."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attacks.audit.black_box.outputs import Outputs
from protocols.ring import Capacity, Integers
from securenb.privacy.box import Box
from securenb.privacy.distributions import DiscreteGaussian, Distribution, Polya, Skellam
from securenb.privacy.samplers import FastNoise, Noise
from securenb.privacy.sensitivity import Adjacency
from securenb.schema.schema import Block, Schema

View = Literal["node", "group", "sum", "model"]
"""One node's vector; the opened row of a group, less the noise that colluders know; all rows together; the
model."""

Mode = Literal["simulation", "release"]
"""Whether noise follows from a seed, by the fast sampler, or from the system's entropy, by the exact one."""

Values = NDArray[Any]
"""What a view shows, shape (d,): integers, if all is well."""


@dataclass(frozen=True)
class Line:
    """What the ledger says of one query: a block of one class in one row.

    Attributes
    ----------
    block
        Of the schema.
    columns
        Where its coordinates are in the released vector.
    reach
        How far adding or removing a record moves one of them, on the noise's grid.
    source
        Where the reach comes from: the public schema, or data.
    law
        The noise on each coordinate; `None` for none.
    """

    name: str
    block: Block
    columns: range
    reach: int
    source: Literal["schema", "data"]
    law: object | None


Call = tuple[Distribution | Box, int]
"""A request for noise: its law and how many numbers."""


@dataclass(frozen=True, eq=False)
class Replay:
    """One run with noise frozen at zero.

    Attributes
    ----------
    values
        What was released, shape (d,).
    calls
        Every request for noise, in order: its law and how many draws.
    laws
        The noise on each coordinate, found by answering one request at a time with one; `None` for none.
        Empty if it was not looked for.
    landed
        What a fixed tape of noise, instead of zeros, adds to that; `None` if it was not looked for.
    """

    values: Values
    calls: tuple[tuple[object, int], ...]
    laws: tuple[object | None, ...]
    landed: Values | None = None


@dataclass(frozen=True, eq=False)
class Contributed:
    """What one contributor without records adds to the release.

    Attributes
    ----------
    laws
        On each coordinate, according to the ledger, (d,).
    added
        What is added in so many runs, (runs, d), each from a fresh stream.
    """

    laws: Sequence[object]
    added: Callable[[Mode, int], Integers]


class Target(ABC):
    """One release, and what is claimed of it."""

    name: str
    schema: Schema
    view: View
    delta: float

    @abstractmethod
    def lines(self) -> Sequence[Line]:
        """The ledger, query by query."""

    def witnesses(self) -> range:
        """Coordinates behind those of the ledger that no record may touch."""
        return range(0)

    @abstractmethod
    def claimed(self, adjacency: Adjacency) -> Fraction | None:
        """Epsilon of the release; `None` if nothing is claimed."""

    @abstractmethod
    def honest(self) -> tuple[int, int]:
        """Shares that make a dose according to the claim, and honest shares that are guaranteed."""

    def uncharged(self) -> Sequence[str]:
        """Opened rows that no node was charged for."""
        return ()

    def streams(self) -> Sequence[str]:
        """What is wrong with what contributors of noise ask for, and from whom; nothing, if all is well."""
        return ()

    def asked(self) -> Fraction | None:
        """Epsilon that a person asked for, of one opened row; `None` where there was no question."""
        return None

    def relations(self) -> Sequence[str]:
        """Exact relations among released coordinates, whatever the noise."""
        return ()

    def peeks(self, before: Any, after: Any, *, company: bool, noisy: bool) -> str:
        """What of a round depends on records other than through its opened rows; nothing, if all is well.

        Parameters
        ----------
        company
            Whether nodes besides the first hold records.
        noisy
            Whether the opened rows have noise.
        """
        return ""

    def peeks_by_size(self, records: Any, *, noisy: bool) -> str:
        """As `peeks`, of many numbers of records, one after the other: the first of `records`."""
        return ""

    def contributed(self) -> Contributed | None:
        """What one contributor without records adds; `None` if nothing, or if the law is not known."""
        return None

    def path(self, pool: pd.DataFrame) -> dict[str, str]:
        """What is wrong on the way from records to what is opened and charged, by what was checked.

        Parameters
        ----------
        pool
            A table of records.
        """
        return {}

    def most_records(self) -> int | None:
        """The most records that a node may hold; beyond it a refusal is no output."""
        return None

    def capacity(self) -> Capacity | None:
        """The proof that sums do not wrap; `None` if no ring is used."""
        return None

    def records(self) -> int:
        """The most records that one opened row may sum."""
        return 0

    @abstractmethod
    def encode(self, frame: pd.DataFrame) -> Any:
        """Records as the target's nodes take them; `ValueError` for what they refuse."""

    @abstractmethod
    def replay(self, records: Any, *, traced: bool = True) -> Replay:
        """One run on a node with these records, all other nodes having none; noise frozen.

        Parameters
        ----------
        traced
            Whether to find out which coordinates which noise reaches.
        """

    def sample(
        self, records: Any, columns: NDArray[np.int64], trials: int, rng: np.random.Generator
    ) -> Values:
        """What is released in some coordinates, shape (trials, coordinates), in independent runs."""
        replay = self.replay(records)
        noise = FastNoise(rng)
        result = np.empty((trials, len(columns)), dtype=np.int64)
        for at, column in enumerate(columns):
            law = replay.laws[column]
            drawn = law.draw(noise, trials) if isinstance(law, Distribution) else 0
            result[:, at] = replay.values[column] + drawn
        return result

    def rows(self) -> int:
        """How many rows like this one the adversary sees, of disjoint nodes."""
        return 1

    def contributors(self) -> int:
        """How many nodes take part in one run."""
        return 1

    def few(self) -> "Target":
        """The same release of as few contributors as will do, for levels that run it often."""
        return self

    def ends(self, records: Any, trials: int, rng: np.random.Generator) -> Outputs | None:
        """What whole rounds end with, in independent runs: opened rows and the model, or that it is refused.

        `None` if a release ends with what `sample` gives.
        """
        return None


class Frozen(Noise):
    """Writes down each request for noise and answers zero; one if it is the request `marked`, or `always`.

    Of a draw over several cells that is one in the first part, two in the second: it shows which lands where.
    """

    def __init__(self, marked: int | None = None, always: int = 0) -> None:
        self._marked = marked
        self._always = always
        self.calls: list[Call] = []

    def _answer(self, law: Distribution | Box, size: int) -> Integers:
        self.calls.append((law, size))
        answer = 1 if len(self.calls) - 1 == self._marked else self._always
        full = np.full(size, answer, dtype=np.int64)
        return full * np.tile(law.parts + 1, size // law.width) if isinstance(law, Box) else full

    def polya(self, scale: Fraction, doses: Fraction, size: int) -> Integers:
        """See `Noise.polya`."""
        return self._answer(Polya(scale, doses), size)

    def skellam(self, variance: Fraction, size: int) -> Integers:
        """See `Noise.skellam`."""
        return self._answer(Skellam(variance), size)

    def gaussian(self, variance: Fraction, size: int) -> Integers:
        """See `Noise.gaussian`."""
        return self._answer(DiscreteGaussian(variance), size)

    def box(self, box: Box, size: int) -> Integers:
        """See `Noise.box`."""
        return self._answer(box, size * box.width).reshape(size, box.width)


class Tape(Frozen):
    """Answers requests from a generator: the same get the same answers, and no two draws agree."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._rng = np.random.default_rng(seed)

    def _answer(self, law: Distribution | Box, size: int) -> Integers:
        self.calls.append((law, size))
        drawn = self._rng.integers(1, 1 << 30, size=size, dtype=np.int64)
        signs: Integers = self._rng.choice(np.array([-1, 1]), size)
        return drawn * signs
