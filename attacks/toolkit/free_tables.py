"""Tables within the invariants and a cap, as functions of unconstrained numbers, with their gradient.

Counts are a softmax over classes and what is not claimed, levels a softmax times their class count, means and
squares logistic within what records could have. So descent needs no projection but the last, to integers.
"""

from dataclasses import dataclass

import numpy as np

from attacks.toolkit.descent import Sums
from protocols.ring import Integers
from securenb.bayes.parameters import Floats

EDGE = 1e-3
"""How near an end of its range a start may be: at the end itself nothing moves."""


def _sigmoid(x: Floats) -> Floats:
    return 0.5 * (1 + np.tanh(x / 2))


def _logit(share: Floats) -> Floats:
    inside = np.clip(share, EDGE, 1 - EDGE)
    return np.log(inside / (1 - inside))


@dataclass(frozen=True, eq=False)
class FreeTables:
    """Batches of tables (s, C, width) from vectors (s, size).

    Attributes
    ----------
    cap
        The most records that a table holds.
    """

    sums: Sums
    cap: int

    @property
    def _classes(self) -> int:
        return len(self.sums.schema.classes)

    @property
    def size(self) -> int:
        """Numbers that a table is made of."""
        return self._classes + 1 + self._classes * (len(self.sums.levels) + 2 * len(self.sums.first))

    def _split(self, free: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        classes, k, g = self._classes, len(self.sums.levels), len(self.sums.first)
        alloc, rest = free[:, : classes + 1], free[:, classes + 1 :].reshape(len(free), classes, k + 2 * g)
        return alloc, rest[..., :k], rest[..., k : k + g], rest[..., k + g :]

    def tables(self, free: Floats) -> tuple[Floats, tuple[Floats, ...]]:
        """The tables, and what `back` needs."""
        sums = self.sums
        alloc, cells, means, spreads = self._split(free)
        shares = np.exp(alloc - alloc.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        counts = self.cap * shares[:, :-1]
        powers = np.exp(np.clip(cells, -40, 40))
        levels = powers / sums.per_feature(powers)
        mean, wide = _sigmoid(means), _sigmoid(spreads)
        m = sums.steps * mean
        q = m**2 + wide * (sums.steps * m - m**2)
        centred = m - sums.offset
        squares = q - 2 * sums.offset * centred - sums.offset**2 - sums.square
        table = np.zeros((len(free), self._classes, sums.schema.width))
        table[..., 0] = counts
        table[..., sums.levels] = counts[..., None] * levels
        table[..., sums.first] = counts[..., None] * centred
        table[..., sums.first + 1] = counts[..., None] * squares
        return table, (shares, levels, mean, wide)

    def back(self, gradient: Floats, kept: tuple[Floats, ...]) -> Floats:
        """The gradient by the free numbers, from that by tables."""
        sums, (shares, levels, mean, wide) = self.sums, kept
        counts = self.cap * shares[:, :-1]
        m = sums.steps * mean
        q = m**2 + wide * (sums.steps * m - m**2)
        centred = m - sums.offset
        squares = q - 2 * sums.offset * centred - sums.offset**2 - sums.square
        by_levels, by_sum = gradient[..., sums.levels], gradient[..., sums.first]
        by_square = gradient[..., sums.first + 1]
        by_count = gradient[..., 0] + (by_levels * levels).sum(axis=-1)
        by_count += (by_sum * centred + by_square * squares).sum(axis=-1)
        by_shares = np.append(self.cap * by_count, np.zeros((len(counts), 1)), axis=-1)
        by_alloc = shares * (by_shares - (shares * by_shares).sum(axis=-1, keepdims=True))
        by_cells = counts[..., None] * levels * (by_levels - sums.per_feature(levels * by_levels))
        by_q = counts[..., None] * by_square
        by_m = counts[..., None] * (by_sum - 2 * sums.offset * by_square)
        by_m += by_q * (2 * m + wide * (sums.steps - 2 * m))
        by_means = by_m * sums.steps * mean * (1 - mean)
        by_spreads = by_q * (sums.steps * m - m**2) * wide * (1 - wide)
        rest = np.concatenate([by_cells, by_means, by_spreads], axis=-1)
        return np.concatenate([by_alloc, rest.reshape(len(counts), -1)], axis=-1)

    def near(self, table: Integers) -> Floats:
        """Free numbers, (size,), of a table near this one (C, width)."""
        sums, raw = self.sums, np.asarray(table, dtype=np.float64)
        counts = np.maximum(raw[:, 0], EDGE)
        cells = np.maximum(raw[:, sums.levels], 0.0) + 0.3
        levels = np.log(cells / sums.per_feature(cells))
        centred = raw[:, sums.first] / counts[:, None]
        m = np.clip(centred + sums.offset, EDGE * sums.steps, (1 - EDGE) * sums.steps)
        q = raw[:, sums.first + 1] / counts[:, None] + 2 * sums.offset * (m - sums.offset)
        q += sums.offset**2 + sums.square
        wide = (q - m**2) / np.maximum(sums.steps * m - m**2, EDGE)
        unclaimed = max(self.cap - counts.sum(), EDGE * self.cap)
        alloc = np.log(np.append(counts, unclaimed) / (counts.sum() + unclaimed) + EDGE)
        rest = np.concatenate([levels, _logit(m / sums.steps), _logit(wide)], axis=-1)
        return np.concatenate([alloc, rest.reshape(-1)])
