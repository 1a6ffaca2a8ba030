"""Problems on which estimates from noisy sums are compared: shipped, wine, iris, seeded synthetic ones."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_iris, load_wine

from securenb.data.dataset import load_dataset
from securenb.schema.features import Categorical, Numeric
from securenb.schema.records import Records
from securenb.schema.schema import Schema

SYNTHETIC = 50
STEPS = 64
TEST = 2_000
FLOWERS = {"iris": (load_iris, (4, 2, 0, 0), (8, 5, 8, 3)),
           "wine": (load_wine, (10, 0, 1, 10, 60, 0, 0, 0, 0, 0, 0, 1, 200),
                    (16, 7, 4, 32, 170, 4, 6, 1, 4, 15, 2, 5, 1800))}  # fmt: skip
"""Bounds as a person who knows flowers or wines might set them."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Records to learn from and to be judged on."""

    name: str
    schema: Schema
    train: Records
    test: Records


def shipped(name: str, numeric: str = "gaussian") -> Problem:
    """A data set of the package, or wine or iris: three in ten of these are test records."""
    if name not in FLOWERS:
        data = load_dataset(name, numeric=numeric)
        return Problem(f"{name}, {numeric}", data.schema, data.train, data.test)
    load, lower, upper = FLOWERS[name]
    values, labels = load(return_X_y=True)
    features = tuple(
        Numeric(f"x{at}", low, high, STEPS) for at, (low, high) in enumerate(zip(lower, upper, strict=True))
    )
    schema = Schema(("a", "b", "c"), features)
    codes = np.stack(
        [
            feature.encode(column.astype(str).astype(object))
            for feature, column in zip(features, values.T, strict=True)
        ],
        1,
    )
    order = np.random.default_rng(0).permutation(len(labels))
    cut = 7 * len(labels) // 10
    parts = [Records(codes[at], labels[at].astype(np.int32)) for at in (order[:cut], order[cut:])]
    return Problem(name, schema, *parts)


def synthetic(seed: int, number: int) -> Problem:
    """A problem with two to five classes, in half of them a rare one of 1 to 5 % of the records.

    Levels of a class are drawn around those of all, near or far, features without levels that a class
    lacks and features that tell nothing among them; numbers are Gaussian, skewed, or of two humps, cut at
    their bounds. In a third of the problems half of the features are noisy copies of others.
    """
    rng = np.random.default_rng([seed, number])
    classes = int(rng.integers(2, 6))
    weights = rng.dirichlet(np.full(classes, 4.0))
    if number % 2:
        weights[0] = 0.0
        rare = rng.uniform(0.01, 0.05)
        weights = np.concatenate([[rare], (1 - rare) * weights[1:] / weights[1:].sum()])
    size = round(np.exp(rng.uniform(np.log(300), np.log(20_000))))
    labels = rng.choice(classes, size + TEST, p=weights).astype(np.int32)
    levelled, numbers = [(int(rng.integers(3, 13)), 0), (0, int(rng.integers(2, 13))),
                         tuple(rng.integers(1, 10, 2).tolist())][number % 3]  # fmt: skip
    features: list[Categorical | Numeric] = []
    columns: list[NDArray[np.int32]] = []
    for at in range(levelled):
        features.append(Categorical(f"l{at}", tuple(map(str, range(int(rng.integers(2, 9)))))))
        columns.append(_levels(features[-1].size, labels, classes, rng))
    for at in range(numbers):
        features.append(Numeric(f"x{at}", 0, 1, STEPS))
        columns.append(_numbers(labels, classes, rng))
    if rng.random() < 1 / 3:
        for at in range(0, len(columns) - 1, 2):
            if features[at].size == features[at + 1].size:
                kept = rng.random(len(labels)) < 0.8
                columns[at + 1] = np.where(kept, columns[at], columns[at + 1])
    codes = np.stack(columns, 1).astype(np.int32)
    schema = Schema(tuple("abcde"[:classes]), tuple(features))
    return Problem(f"synthetic {number}", schema, *(
        Records(codes[part], labels[part]) for part in (slice(TEST, None), slice(TEST))
    ))  # fmt: skip


def _levels(
    size: int, labels: NDArray[np.int32], classes: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    common = rng.dirichlet(np.full(size, 1.0))
    strength = np.exp(rng.uniform(np.log(0.5), np.log(200)))
    told = rng.random() > 0.2
    shares = np.array([rng.dirichlet(strength * common + 1e-9) if told else common for _ in range(classes)])
    edges = shares.cumsum(axis=1)[labels]
    drawn = (rng.random(len(labels))[:, None] > edges).sum(axis=1)
    return np.minimum(drawn, size - 1).astype(np.int32)


def _numbers(labels: NDArray[np.int32], classes: int, rng: np.random.Generator) -> NDArray[np.int32]:
    told = rng.random() > 0.2
    middles = 0.5 + told * rng.uniform(0.02, 0.25) * rng.normal(size=classes)
    widths = np.exp(
        rng.uniform(np.log(0.02), np.log(0.25)) + told * rng.uniform(0, 0.7) * rng.normal(size=classes)
    )
    kind = rng.choice(["gaussian", "skewed", "humps"])
    if kind == "gaussian":
        standard = rng.normal(size=len(labels))
    elif kind == "skewed":
        standard = rng.exponential(size=len(labels)) - 1
    else:
        standard = rng.choice([-1.0, 1.0], len(labels)) + rng.normal(size=len(labels)) / 3
    values = middles[labels] + widths[labels] * standard
    return np.rint(STEPS * np.clip(values, 0, 1)).astype(np.int32)
