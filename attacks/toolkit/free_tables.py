"""Tables within the invariants and a cap, as functions of unconstrained numbers, with their gradient.

Counts are a softmax over classes and what is not claimed, levels a softmax times their class count, means and
squares logistic within what records could have, and what features of other kinds hold is a softmax over
their codes. So descent needs no projection but the last, to integers.
"""

from dataclasses import dataclass

import numpy as np

from attacks.toolkit.descent import OtherKind, Sums
from protocols.ring import Integers
from securenb.bayes.parameters import Floats

EDGE = 1e-3
"""How near an end of its range a start may be: at the end itself nothing moves."""


def _sigmoid(x: Floats) -> Floats:
    return 0.5 * (1 + np.tanh(x / 2))


def _logit(share: Floats) -> Floats:
    inside = np.clip(share, EDGE, 1 - EDGE)
    return np.log(inside / (1 - inside))


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return shares


def _softmax_back(shares: Floats, gradient: Floats) -> Floats:
    result: Floats = shares * (gradient - (shares * gradient).sum(axis=-1, keepdims=True))
    return result


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
        each = len(self.sums.levels) + 2 * len(self.sums.first) + self.sums.size - self.sums.schema.width
        return self._classes + 1 + self._classes * each

    def _split(self, free: Floats) -> tuple[Floats, Floats, Floats, Floats, list[Floats]]:
        classes, k, g = self._classes, len(self.sums.levels), len(self.sums.first)
        alloc, rest = free[:, : classes + 1], free[:, classes + 1 :].reshape(len(free), classes, -1)
        codes = rest[..., k + 2 * g :]
        ends = np.cumsum([other.feature.size for other in self.sums.others])[:-1]
        others = np.split(codes, ends, axis=-1) if self.sums.others else []
        return alloc, rest[..., :k], rest[..., k : k + g], rest[..., k + g : k + 2 * g], others

    def tables(self, free: Floats) -> tuple[Floats, tuple[Floats, ...]]:
        """The tables, and what `back` needs."""
        sums = self.sums
        alloc, cells, means, spreads, others = self._split(free)
        shares = _softmax(alloc)
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
        codes = [_softmax(logits) for logits in others]
        for other, held in zip(sums.others, codes, strict=True):
            table[..., other.columns] = counts[..., None] * (held @ other.feature.added(other.codes))
        return table, (shares, levels, mean, wide, *codes)

    def back(self, gradient: Floats, kept: tuple[Floats, ...]) -> Floats:
        """The gradient by the free numbers, from that by tables."""
        sums, (shares, levels, mean, wide, *codes) = self.sums, kept
        counts = self.cap * shares[:, :-1]
        m = sums.steps * mean
        q = m**2 + wide * (sums.steps * m - m**2)
        centred = m - sums.offset
        squares = q - 2 * sums.offset * centred - sums.offset**2 - sums.square
        by_levels, by_sum = gradient[..., sums.levels], gradient[..., sums.first]
        by_square = gradient[..., sums.first + 1]
        by_count = gradient[..., 0] + (by_levels * levels).sum(axis=-1)
        by_count += (by_sum * centred + by_square * squares).sum(axis=-1)
        by_codes = []
        for other, held in zip(sums.others, codes, strict=True):
            by_held = gradient[..., other.columns] @ other.feature.added(other.codes).T
            by_count += (by_held * held).sum(axis=-1)
            by_codes.append(counts[..., None] * _softmax_back(held, by_held))
        by_shares = np.append(self.cap * by_count, np.zeros((len(counts), 1)), axis=-1)
        by_alloc = _softmax_back(shares, by_shares)
        by_cells = counts[..., None] * levels * (by_levels - sums.per_feature(levels * by_levels))
        by_q = counts[..., None] * by_square
        by_m = counts[..., None] * (by_sum - 2 * sums.offset * by_square)
        by_m += by_q * (2 * m + wide * (sums.steps - 2 * m))
        by_means = by_m * sums.steps * mean * (1 - mean)
        by_spreads = by_q * (sums.steps * m - m**2) * wide * (1 - wide)
        rest = np.concatenate([by_cells, by_means, by_spreads, *by_codes], axis=-1)
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
        codes = [self._codes_near(other, raw[:, other.columns] / counts[:, None]) for other in sums.others]
        rest = np.concatenate([levels, _logit(m / sums.steps), _logit(wide), *codes], axis=-1)
        return np.concatenate([alloc, rest.reshape(-1)])

    @staticmethod
    def _codes_near(other: OtherKind, average: Floats) -> Floats:
        """Logits (C, k) that lean to the code whose records come nearest to adding this each, (C, w)."""
        at = np.full((len(average), other.feature.size), 0.0)
        at[np.arange(len(average)), other.feature.closest(average)] = 2.0
        return at
