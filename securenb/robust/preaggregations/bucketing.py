"""Bucketing: rows are averaged in small random buckets."""

from dataclasses import dataclass

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.robust.preaggregation import Preaggregation


def bucketing(points: Floats, size: int, rng: np.random.Generator) -> Floats:
    """Means of random buckets of at most `size` rows, shape (⌈n / size⌉, d).

    Karimireddy, He and Jaggi 2022, "Byzantine-Robust Learning on Heterogeneous Datasets via Bucketing",
    algorithm 1. Bucket sizes differ by at most one, where the paper leaves one small bucket.
    """
    if size < 1:
        raise ValueError(f"a bucket holds at least one row, got size {size}")
    buckets = -(-len(points) // size)
    parts = np.array_split(points[rng.permutation(len(points))], buckets)
    return np.array([part.mean(axis=0) for part in parts])


@dataclass(frozen=True)
class Bucketing(Preaggregation):
    """Makes rows alike where nodes differ, at the price of more bad rows among fewer.

    Parameters
    ----------
    size
        Rows in a bucket.
    seed
        Public randomness that decides the buckets, to be drawn after the rows are fixed: a node that
        knew it before could choose its bucket.
    """

    size: int = 2
    seed: int = 0

    def apply(self, points: Floats, malicious: int) -> Floats:
        """See `Preaggregation.apply`."""
        return bucketing(points, self.size, np.random.default_rng(self.seed))

    def rows(self, rows: int) -> int:
        """See `Preaggregation.rows`."""
        return -(-rows // self.size)
