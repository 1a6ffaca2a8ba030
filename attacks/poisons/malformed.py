"""Malformed: NaN, infinity, the wrong shape, the wrong dtype, numbers beyond all bounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from attacks.poison import Forged, Knowledge, Poison


@dataclass(frozen=True)
class Malformed(Poison):
    """What never gets past the door; whatever is summed without one is lost."""

    aim: ClassVar[str] = "denial"

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        kinds = (_nan, _infinite, _short, _complex, _huge, _negative)
        return [kinds[index % len(kinds)](table) for index, table in enumerate(known.own)]


def _nan(table: Forged) -> Forged:
    return np.full(table.shape, np.nan)


def _infinite(table: Forged) -> Forged:
    return np.full(table.shape, np.inf)


def _short(table: Forged) -> Forged:
    return table[:, :-1]


def _complex(table: Forged) -> Forged:
    return table.astype(np.complex128)


def _huge(table: Forged) -> Forged:
    return np.full(table.shape, 2**62, dtype=np.int64)


def _negative(table: Forged) -> Forged:
    return np.full(table.shape, -(2**63), dtype=np.int64)
