"""The contract of a mechanism: it adds noise to statistics, and says what one opened row then costs."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from protocols.catalogue import Catalogue
from protocols.ring import Integers
from securenb.noise import Noise
from securenb.schema import Schema

TAIL_BITS = 40
"""Noise stays within the planned tail except with probability 2^-40, all coordinates of a row together."""


@dataclass(frozen=True)
class Charge:
    """What one release costs each person in it, when one of their records is added or removed.

    Attributes
    ----------
    epsilon
        Exact; `None` if the release is not differentially private at all.
    delta
        Zero for pure differential privacy.
    """

    epsilon: Fraction | None
    delta: float = 0.0


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
    independent shares make up at least one dose. Implementations are frozen dataclasses with a
    classmethod `from_epsilon`.
    """

    @classmethod
    @abstractmethod
    def from_epsilon(cls, epsilon: float | str | Fraction) -> "Mechanism":
        """The mechanism whose dose costs `epsilon` a row."""

    @abstractmethod
    def share(self, schema: Schema, among: int, noise: Noise) -> Integers:
        """One node's noise, shape (d,), int64; independent of any data.

        Parameters
        ----------
        among
            How many shares are guaranteed to be in an opened row: honest survivors, never all nodes.
        """

    @abstractmethod
    def tail(self, schema: Schema, among: int, nodes: int) -> int:
        """What the sum of `nodes` shares stays within, except with probability 2^-40 a row."""

    @abstractmethod
    def charge(self, schema: Schema) -> Charge:
        """What one row with at least one dose costs."""


MECHANISMS: Catalogue[Mechanism] = Catalogue("securenb.mechanisms", Mechanism, "mechanism")
