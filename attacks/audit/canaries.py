"""Canaries: made-up records, each in or out by a coin, that bound epsilon from rounds of any software.

Steinke, Nasr and Jagielski (2023) guess all coins of one run from what it opened; theirs are training
examples, ours are records at nodes of a real round. Whatever the guesses are made from, the bound holds; so
it needs no access to the nodes' noise, keys or software, only coins that they do not know.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attacks.audit.finding import Finding
from attacks.audit.lower_bound import one_run_bound
from securenb.bayes.parameters import Floats
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

PASSES = 40
STEP = 0.1
"""How often the other canaries are allowed for, given what was last thought of them, and how much of each
time counts: larger steps swing to and fro where canaries share many cells."""


@dataclass(frozen=True, eq=False)
class Canaries:
    """What was planted for one round.

    Attributes
    ----------
    schema
        Of the round.
    records
        One a canary, shape (m,).
    at
        The node that would hold each.
    inside
        Whether it does, shape (m,).
    anchor
        One record that every planted node holds in any case: a node without records would tell.
    """

    schema: Schema
    records: Records
    at: tuple[str, ...]
    inside: NDArray[np.bool_]
    anchor: Records

    @property
    def nodes(self) -> tuple[str, ...]:
        """The planted nodes, in order."""
        return tuple(dict.fromkeys(self.at))

    def held(self, node: str, *, planted: bool = True) -> Records:
        """The records of a planted node: its anchor, and its canaries that are in."""
        mine = np.array([name == node for name in self.at]) & self.inside & planted
        parts = (self.anchor, self.records[np.flatnonzero(mine)])
        return Records(
            np.concatenate([part.codes for part in parts]), np.concatenate([part.labels for part in parts])
        )


@dataclass(frozen=True, eq=False)
class Row:
    """One opened row, on the statistics' scale.

    Attributes
    ----------
    members
        Whose vectors are in it.
    sums, variance
        Shape (d,): what was opened, and how much the noise in it varies.
    base
        What it would hold without canaries and noise, shape (d,), as far as is known.
    """

    members: tuple[str, ...]
    sums: Floats
    variance: Floats
    base: Floats


def plant(schema: Schema, nodes: Sequence[str], count: int, rng: np.random.Generator) -> Canaries:
    """Canaries dealt to nodes in turn: classes and levels at random, numbers at either bound.

    Raises
    ------
    ValueError
        If there is no node or no canary.
    """
    if count < 1 or not nodes:
        raise ValueError(f"needs at least one canary and one node, got {count} at {len(nodes)} nodes")
    codes = np.empty((count + 1, len(schema.features)), dtype=np.int32)
    for index, feature in enumerate(schema.features):
        ends = np.arange(feature.size) if feature.partition else np.array([0, feature.size - 1])
        codes[:, index] = ends[rng.integers(len(ends), size=count + 1)]
    labels = rng.integers(len(schema.classes), size=count + 1).astype(np.int32)
    at = tuple(nodes[index % len(nodes)] for index in range(count))
    return Canaries(
        schema, Records(codes[1:], labels[1:]), at, rng.random(count) < 0.5, Records(codes[:1], labels[:1])
    )


def table(schema: Schema, records: Records) -> pd.DataFrame:
    """Records as a person would write them: they encode to the same codes again."""
    columns: dict[str, list[object]] = {}
    for index, feature in enumerate(schema.features):
        columns[feature.name] = feature.decode(records.codes[:, index])
    columns[schema.label] = [schema.classes[label] for label in records.labels.tolist()]
    return pd.DataFrame(columns)


def evidence(canaries: Canaries, row: Row) -> Mapping[int, float]:
    """For each canary at a member of the row, what speaks for its being in; negative if against.

    The log-likelihood ratio of Laplace noise, cell by cell, with the other canaries at what is thought of
    them, and that again from the ratios, until it settles.
    """
    indices = [index for index, node in enumerate(canaries.at) if node in row.members]
    if not indices:
        return {}
    moves = _vectors(canaries.schema, canaries.records[np.array(indices)])
    size, direction, square = np.abs(moves), np.sign(moves), moves**2
    left = row.sums - row.base
    ratio, chance = np.zeros(len(indices)), np.full(len(indices), 0.5)
    for _ in range(PASSES):
        doubt = chance * (1 - chance)
        without = left - chance @ moves + chance[:, None] * moves
        variance = row.variance + doubt @ square - doubt[:, None] * square
        scale = np.sqrt(np.maximum(variance, 1e-12) / 2)
        found = (np.clip(2 * direction * without - size, -size, size) / scale).sum(axis=1)
        ratio += STEP * (found - ratio)
        chance = 1 / (1 + np.exp(-np.clip(ratio, -30, 30)))
    return dict(zip(indices, ratio.tolist(), strict=True))


def judge(
    planted: Iterable[tuple[Canaries, Sequence[Row]]], claimed: float, delta: float, alpha: float
) -> Finding:
    """The bound from all canaries of all rounds; each of them was planted once.

    A third of them, those that most speaks for or against, are guessed.

    Parameters
    ----------
    alpha
        Probability that the bound is wrong.

    Raises
    ------
    ValueError
        If no canary is in any row.
    """
    ratios: list[float] = []
    inside: list[bool] = []
    for canaries, rows in planted:
        for row in rows:
            for index, ratio in evidence(canaries, row).items():
                ratios.append(ratio)
                inside.append(bool(canaries.inside[index]))
    if not ratios:
        raise ValueError("no canary is at a node whose vector was opened")
    return guessed(np.array(ratios), np.array(inside), claimed, delta, alpha)


def guessed(
    ratios: Floats, inside: NDArray[np.bool_], claimed: float | None, delta: float, alpha: float
) -> Finding:
    """The bound from evidence about each coin."""
    chosen = np.argsort(-np.abs(ratios), kind="stable")[: max(1, len(ratios) // 3)]
    correct = int(np.count_nonzero((ratios[chosen] > 0) == inside[chosen]))
    bound = one_run_bound(correct, len(chosen), alpha, delta, len(ratios))
    said = f"lower bound {bound:.4g}: {correct} of {len(chosen)} guesses right, {len(ratios)} canaries"
    failed = claimed is None or bound > claimed
    return Finding("L3", "canaries", "FAIL" if failed else "PASS", said, bound, claimed)


def anchored(canaries: Canaries, members: Sequence[str]) -> Floats:
    """What a row of planted nodes alone holds without canaries and noise, shape (d,)."""
    anchor = Statistics.of(canaries.schema, canaries.anchor).vector().astype(np.float64)
    return anchor * sum(node in canaries.nodes for node in members)


def _vectors(schema: Schema, records: Records) -> Floats:
    return np.array(
        [Statistics.of(schema, records[np.array([index])]).vector() for index in range(len(records))],
        dtype=np.float64,
    )
