"""Adam (Kingma and Ba 2015), for many points at once."""

import numpy as np

from securenb.bayes.parameters import Floats

FIRST_MOMENT, SECOND_MOMENT = 0.9, 0.99


class Adam:
    """Moves points against their gradients, with steps that end at a fifth of what they begin with.

    Parameters
    ----------
    shape
        Of the points.
    rate
        The first step's length in each coordinate.
    steps
        How many steps there will be.
    """

    def __init__(self, shape: tuple[int, ...], rate: float, steps: int) -> None:
        self._rate, self._steps, self._taken = rate, steps, 0
        self._first, self._second = np.zeros(shape), np.zeros(shape)

    def moved(self, points: Floats, gradient: Floats) -> Floats:
        """The points after one more step."""
        self._first = FIRST_MOMENT * self._first + (1 - FIRST_MOMENT) * gradient
        self._second = SECOND_MOMENT * self._second + (1 - SECOND_MOMENT) * gradient**2
        done = self._taken / self._steps
        self._taken += 1
        move = self._first / (1 - FIRST_MOMENT**self._taken)
        scale = np.sqrt(self._second / (1 - SECOND_MOMENT**self._taken)) + 1e-9
        result: Floats = points - self._rate * (1 - 0.8 * done) * move / scale
        return result


def temperature(step: int, steps: int, hottest: float = 4.3, coldest: float = 0.3) -> float:
    """Of the soft accuracy: from a slope that every record has to one that those near the decision have."""
    return coldest + (hottest - coldest) * (1 - step / steps) ** 2
