"""Numbers to compare with: what the authors' own code gives, and what the paper says of its data."""

from typing import NamedTuple


class Point(NamedTuple):
    """A mean test accuracy of the authors' code, equal parts; `nodes` is `None` for centralised."""

    dataset: str
    epsilon: float
    nodes: int | None
    accuracy: float


def _points(dataset: str, epsilon: float, accuracies: dict[int | None, float]) -> tuple[Point, ...]:
    return tuple(Point(dataset, epsilon, nodes, accuracy) for nodes, accuracy in accuracies.items())


AUTHORS_CODE: tuple[Point, ...] = (
    *_points("mushroom", 1.0, {None: 0.955, 10: 0.906, 100: 0.861, 1000: 0.575}),
    *_points("mushroom", 0.1, {None: 0.881, 10: 0.692, 100: 0.526, 1000: 0.507}),
    *_points("votes", 1.0, {None: 0.847, 10: 0.741, 100: 0.576}),
    *_points("skin", 0.1, {None: 0.923, 10: 0.910, 100: 0.826, 1000: 0.789}),
    *_points("accelerometer", 1.0, {None: 0.384, 10: 0.502, 100: 0.490, 1000: 0.456}),
)
"""Measured by running the authors' scripts a few dozen times a point; standard errors .001 to .02."""

AUTHORS_ERROR = (0.001, 0.02)
"""The smallest and largest standard error among `AUTHORS_CODE`."""


class Counts(NamedTuple):
    """A line of Table 2."""

    records: int
    numeric: int
    categorical: int
    classes: int
    split: str


TABLE2: dict[str, Counts] = {
    "accelerometer": Counts(153_000, 3, 0, 3, "9:1"),
    "adult": Counts(48_842, 6, 8, 2, "2:1"),
    "votes": Counts(435, 0, 16, 2, "9:1"),
    "mushroom": Counts(8_124, 0, 22, 2, "9:1"),
    "skin": Counts(245_057, 3, 0, 2, "9:1"),
    "spect": Counts(267, 0, 22, 2, "3:7"),
}
"""The data sets of the paper: records, features of each kind, classes, training to test records."""
