"""The contract of a mechanism: it adds noise to statistics, and says what one opened row then costs."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from protocols.catalogue import Catalogue
from protocols.ring import Integers
from securenb.privacy.accountant import Query
from securenb.privacy.cost import NOTHING, Cost, Either, Together, epsilon_at, together
from securenb.privacy.distributions import Distribution
from securenb.privacy.event import Event
from securenb.privacy.joint import Joint
from securenb.privacy.samplers import Noise
from securenb.privacy.sensitivity import ADJACENCIES, Adjacency, Jump, Shift, cases
from securenb.schema.schema import Block, Schema

TAIL_BITS = 40
"""Noise stays within the planned tail except with probability 2^-40, all coordinates of a row together."""


@dataclass(frozen=True)
class Charge:
    """What one release costs each person in it.

    Attributes
    ----------
    add_remove, replace_one
        Epsilon when one of their records is added or removed, or replaced by any other; exact.
        `None` if the release is not differentially private at all.
    delta
        Zero for pure differential privacy.
    """

    add_remove: Fraction | None
    replace_one: Fraction | None
    delta: float = 0.0

    def epsilon(self, adjacency: Adjacency) -> Fraction | None:
        """Under one of the adjacencies."""
        return self.add_remove if adjacency == "add-remove" else self.replace_one


NOT_PRIVATE = Charge(None, None)


def exact(value: float | str | Fraction) -> Fraction:
    """The decimal number that a person meant: 0.1 is 1/10; a `ValueError` for anything not positive."""
    try:
        number = Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"epsilon must be a positive number, got {value}") from None
    if number <= 0:
        raise ValueError(f"epsilon must be a positive number, got {value}")
    return number


class Mechanism(ABC):
    """Integer noise for every coordinate of the statistics, empty cells included.

    A dose is the noise that one opened row must carry. Each node adds a share such that any `among`
    independent shares make up at least one dose. Implementations are frozen dataclasses.
    """

    needs_delta: ClassVar[bool] = False
    """Whether it promises epsilon only up to a delta."""

    delta: float
    """What it promises epsilon up to; 0 for pure differential privacy."""

    divides: ClassVar[bool] = True
    """Whether nodes can add shares of a dose; where not, whatever adds noise must add a whole dose."""

    grid: ClassVar[int] = 1
    """What statistics are multiplied by before noise is added, and opened rows divided by: noise on a finer
    grid than the statistics' comes closer to its continuous limit."""

    def __str__(self) -> str:
        choices: Any = self  # implementations are dataclasses
        shown = [f"{each.name}={getattr(self, each.name)}" for each in fields(choices) if each.repr]
        return f"{type(self).__name__}({', '.join(shown)})"

    @classmethod
    def from_epsilon(cls, epsilon: float | str | Fraction, delta: float | None = None) -> Self:
        """The mechanism whose dose costs `epsilon`, up to `delta`, a row.

        Raises
        ------
        ValueError
            If `epsilon` is not positive; if `delta` is not between 0 and 1, is missing for a mechanism that
            needs one, or is given to one that has no use for it.
        """
        number, name = exact(epsilon), cls.__module__.rpartition(".")[2]
        if not cls.needs_delta:
            if delta is not None:
                raise ValueError(f"{name} promises pure epsilon: it has no use for delta {delta}")
            return cls.of(number, 0.0)
        if delta is None:
            raise ValueError(f"{name} needs a delta, well below one over the number of people")
        if not 0 < delta < 1:
            raise ValueError(f"delta must be between 0 and 1, got {delta}")
        return cls.of(number, delta)

    @classmethod
    @abstractmethod
    def of(cls, epsilon: Fraction, delta: float) -> Self:
        """`from_epsilon`, with everything checked."""

    @abstractmethod
    def noise(self, schema: Schema, block: Block, among: int, shares: int = 1) -> Distribution | None:
        """What the sum of `shares` shares adds to each coordinate of `block`, on the grid.

        `None` if it adds nothing. Coordinates are independent, but for those of the blocks of `joint`.
        """

    def joint(self, schema: Schema, shares: int = 1) -> Joint | None:
        """The noise, of so many doses, on blocks that are drawn together; `None` if there are none."""
        return None

    def charge(self, schema: Schema, among: int, shares: int | None = None) -> Charge:
        """What a row costs that carries `shares` shares, by default a dose, when `among` make a dose."""
        self._check(among)
        present = among if shares is None else shares
        epsilons = []
        for adjacency in ADJACENCIES:
            cost = self.cost(schema, adjacency, among, present)
            epsilons.append(None if cost is None else epsilon_at(cost, self.delta))
        return Charge(epsilons[0], epsilons[1], self.delta)

    def cost(
        self, schema: Schema, adjacency: Adjacency, among: int, shares: int, cap: int = 1
    ) -> Cost | None:
        """What one change can do to a row that carries `shares` shares; `None` if it is unprotected.

        Parameters
        ----------
        cap
            How many records change at once: the most that a node may hold, for privacy of whole nodes.
        """
        self._check(among)
        laws = {block: self.noise(schema, block, among, shares) for block in schema.blocks}
        joint = self.joint(schema, shares)
        apart = set(schema.blocks if joint is None else set(schema.blocks).difference(joint.blocks))

        def query(shift: Shift) -> Query:
            law = laws[shift.block]
            assert law is not None
            return Query(law, shift.by * self.grid, shift.times)

        def part(moved: Shift | Jump) -> Cost:
            if isinstance(moved, Shift):
                return query(moved) if moved.block in apart else NOTHING
            options = ([query(each) for each in option if each.block in apart] for option in moved.options)
            return Either(tuple(Together(tuple(option)) for option in options))

        if any(law is None for law in laws.values()):
            return None
        whole = [] if joint is None else [joint.cost(adjacency, cap)]
        return Either(tuple(together([*whole, *map(part, case)]) for case in cases(schema, adjacency, cap)))

    def event(self, schema: Schema, among: int, shares: int, cap: int = 1) -> Event | None:
        """What a ledger keeps of a row that carries `shares` shares; `None` if it is unprotected."""
        added = self.cost(schema, "add-remove", among, shares, cap)
        replaced = self.cost(schema, "replace-one", among, shares, cap)
        if added is None or replaced is None:
            return None
        return Event(str(self), schema.digest.hex(), among, shares, cap, added, replaced)

    def share(
        self, schema: Schema, among: int, noise: Noise, shares: int = 1, witnesses: int = 0
    ) -> Integers:
        """One node's noise, or the sum of several nodes', shape (d + K,), int64; independent of any data.

        Parameters
        ----------
        among
            How many shares are guaranteed to be in an opened row: honest survivors, never all nodes.
        shares
            How many nodes' noise; their sum is drawn at once where the distribution allows it.
        witnesses
            K further cells, which no record touches. Their noise is drawn together with that of the first
            block, the class counts, so that one request gives both.
        """
        self._check(among)
        table = np.zeros((len(schema.classes), schema.width), dtype=np.int64)
        further = np.zeros(witnesses, dtype=np.int64)
        joint = self.joint(schema, shares)
        if joint is not None:
            table[:, joint.columns] = joint.draw(noise, len(table))
        for block in schema.blocks:
            if joint is not None and block in joint.blocks:
                continue
            cells = table[:, block.columns]
            distribution = self.noise(schema, block, among, shares)
            if distribution is not None:
                more = witnesses if block is schema.blocks[0] else 0
                drawn = distribution.draw(noise, cells.size + more)
                cells[...] = drawn[: cells.size].reshape(cells.shape)
                if more:
                    further[...] = drawn[cells.size :]
        return np.concatenate([table.reshape(-1), further])

    def tail(self, schema: Schema, among: int, nodes: int, witnesses: int = 0) -> int:
        """What the sum of `nodes` shares stays within, except with probability 2^-40 a row."""
        self._check(among)
        log_failure = TAIL_BITS * math.log(2) + math.log(schema.length + witnesses)
        laws = {self.noise(schema, block, among, nodes) for block in schema.blocks}
        return max(0 if law is None else law.tail(log_failure) for law in laws)

    def _check(self, among: int) -> None:
        if among < 1:
            raise ValueError(f"a dose needs at least one share, got {among}")
        if among > 1 and not self.divides:
            raise ValueError(f"{self} has no shares: a dose is added whole, not by {among} contributors")


MECHANISMS: Catalogue[Mechanism] = Catalogue(
    "securenb.privacy.mechanisms", Mechanism, "mechanism", "securenb.mechanisms"
)
