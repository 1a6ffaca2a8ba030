"""DnC, divide and conquer: rows that stick out along the widest direction are left out."""

import math
from dataclasses import dataclass

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.robust.centre_rule import PointRule
from securenb.robust.points import Points, checked
from securenb.robust.spread import widest


def divide_and_conquer(
    points: Floats, malicious: int, rng: np.random.Generator, iterations: int = 1, size: int = 10_000
) -> Floats:
    """The mean of the rows that every iteration keeps, shape (d,).

    Shejwalkar and Houmansadr 2021, "Manipulating the Byzantine", algorithm 2, with c = 1: each iteration
    takes `size` coordinates at random, all if there are no more, and leaves out the f rows with the largest
    squared offsets along the widest direction. Of equal offsets the last rows are left out.
    """
    n, d = checked(points, malicious, dnc_bound(len(points), iterations)).shape
    kept = np.ones(n, dtype=np.bool_)
    for _ in range(iterations):
        some = points if size >= d else points[:, np.sort(rng.choice(d, size, replace=False))]
        squares = widest(some, np.ones(n))[2] ** 2
        kept[np.argsort(squares, kind="stable")[n - malicious :]] = False
    return np.asarray(points[kept].mean(axis=0))


def dnc_bound(rows: int, iterations: int) -> int:
    """The most malicious rows: were only honest ones left out, more of them would be kept."""
    return (rows - 1) // (2 + iterations)


@dataclass(frozen=True)
class DnC(PointRule):
    """Spectral filtering in one pass; needs n ≥ (2 + iterations)·f + 1.

    The paper's bound holds where malicious and honest rows are separable along one direction: at a share ε
    of malicious rows and covariances of at most σ²I, where the squared distance of the two means is 6σ²/ε or
    more (Tran, Li and Madry 2018, "Spectral Signatures in Backdoor Attacks"). Malicious rows that are nearer
    stay, and those that stick out along several directions share the f places of a pass.

    Parameters
    ----------
    iterations, size
        See `divide_and_conquer`.
    seed
        Public randomness that decides the coordinates, to be drawn after the rows are fixed.
    """

    iterations: int = 1
    size: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.iterations < 1 or self.size < 1:
            raise ValueError(
                f"needs iterations and a size of at least 1, got {self.iterations} and {self.size}"
            )

    def bound(self, rows: int) -> int:
        """See `PointRule.bound`."""
        return dnc_bound(rows, self.iterations)

    def displacement(self, rows: int) -> float:
        """See `PointRule.displacement`; none, see the class."""
        return math.inf

    def centre(self, points: Points) -> Floats:
        """See `PointRule.centre`."""
        rng = np.random.default_rng(self.seed)
        return divide_and_conquer(points.imputed(), self.malicious, rng, self.iterations, self.size)
