"""A search that asks for nothing but scores: CMA-ES with a diagonal covariance."""

import numpy as np

from securenb.bayes.parameters import Floats


class Evolution:
    """sep-CMA-ES (Ros and Hansen 2008, "A Simple Modification in CMA-ES Achieving Linear Time and Space").

    Parameters
    ----------
    mean
        Where to begin, shape (d,).
    width
        The standard deviation of the first draws in each coordinate.
    population
        How many points a generation has; by default 4 + 3 ln d.
    """

    def __init__(self, mean: Floats, width: float, population: int | None = None) -> None:
        d = len(mean)
        self.population = population or 4 + int(3 * np.log(d))
        parents = self.population // 2
        ranks = np.log(parents + 0.5) - np.log(np.arange(1, parents + 1))
        self._weights = ranks / ranks.sum()
        mass = 1 / float(np.square(self._weights).sum())
        self._mass = mass
        self._of_path = (mass + 2) / (d + mass + 5)
        self._damping = 1 + 2 * max(0.0, np.sqrt((mass - 1) / (d + 1)) - 1) + self._of_path
        self._of_cumulation = 4 / (d + 4)
        self._of_rank = min(
            1.0,
            (
                1 / mass * 2 / (d + np.sqrt(2)) ** 2
                + (1 - 1 / mass) * min(1.0, (2 * mass - 1) / ((d + 2) ** 2 + mass))
            )
            * (d + 2)
            / 3,
        )
        self._usual = np.sqrt(d) * (1 - 1 / (4 * d) + 1 / (21 * d**2))
        self.mean, self._width = mean.copy(), width
        self._variances, self._path, self._cumulated = np.ones(d), np.zeros(d), np.zeros(d)

    def asked(self, rng: np.random.Generator) -> Floats:
        """Points of one generation, shape (population, d)."""
        steps = rng.normal(size=(self.population, len(self.mean)))
        points: Floats = self.mean + self._width * np.sqrt(self._variances) * steps
        return points

    def told(self, points: Floats, scores: Floats) -> None:
        """Learn from what each point of a generation scored; less is better."""
        order = np.argsort(scores, kind="stable")[: len(self._weights)]
        steps = (points[order] - self.mean) / self._width
        step = self._weights @ steps
        self.mean = self.mean + self._width * step
        cs, cc = self._of_path, self._of_cumulation
        self._path = (1 - cs) * self._path + np.sqrt(cs * (2 - cs) * self._mass) * step / np.sqrt(
            self._variances
        )
        length = float(np.linalg.norm(self._path)) / self._usual
        self._cumulated = (1 - cc) * self._cumulated
        if length < 1.5:
            self._cumulated += np.sqrt(cc * (2 - cc) * self._mass) * step
        one, many = self._cumulated**2, self._weights @ np.square(steps)
        mixed = one / self._mass + (1 - 1 / self._mass) * many
        self._variances = (1 - self._of_rank) * self._variances + self._of_rank * mixed
        self._width *= float(np.exp(min(cs / self._damping * (length - 1), 1.0)))
