"""Directions in which attacks of the literature move the honest mean."""

import numpy as np

from attacks.poison import Knowledge
from attacks.toolkit.forging import honest_points, towards_flip
from securenb.bayes.parameters import Floats

DIRECTIONS = ("flip", "unit", "std", "sign")
"""Towards flipped labels; and Shejwalkar and Houmansadr's (2021, section IV-A): inverse unit vector,
inverse standard deviation, inverse sign. Theirs are against a gradient, an update; statistics are sent once
and are none, so here the mean is taken relative to the middle of all classes, which is where a model that
knows nothing stands."""


def check_direction(name: str) -> None:
    """Raise `ValueError` unless it is one of `DIRECTIONS`."""
    if name not in DIRECTIONS:
        raise ValueError(f"unknown direction {name!r}; known: {', '.join(DIRECTIONS)}")


def direction_of(known: Knowledge, name: str) -> Floats:
    """The direction (C·width,) in the space of points, as long as that towards flipped labels."""
    middle, flip = towards_flip(known.schema, known.others, known.smoothing)
    if name == "flip":
        return flip
    points = honest_points(known.schema, known.others, known.smoothing)
    by_class = middle.reshape(len(known.schema.classes), -1)
    away = (by_class - by_class.mean(axis=0)).reshape(-1)
    found = {"unit": -away, "std": -points.std(axis=0) * np.sign(away), "sign": -np.sign(away)}[name]
    norm = float(np.linalg.norm(found))
    result: Floats = found * (np.linalg.norm(flip) / norm) if norm > 0 else flip
    return result
