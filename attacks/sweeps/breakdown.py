"""Where a rule breaks: the fewest malicious nodes that turn its model against the truth, found by bisection.

Broken means worse than guessing: below one over the number of classes in balanced accuracy. That is what
flipped labels do to a model once they outvote the true ones, and nothing else does.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pydantic import Field, field_validator, model_validator

from attacks.sweeps.arena import arena_of
from attacks.sweeps.own_grid import OWN, OwnGrid
from attacks.sweeps.poisoning import Setting, measure
from attacks.sweeps.poisoning_grid import AttackGrid
from attacks.toolkit.forging import flipped, honest_points, pooled
from protocols.ring import Integers
from securenb.experiments.checked import checked
from securenb.experiments.choices import NO_EPSILON
from securenb.experiments.sweep import Cell
from securenb.robust.bounds import breakdown_share
from securenb.robust.rules.weighted_median import WeightedMedian
from securenb.schema.schema import Schema


@dataclass(frozen=True, eq=False)
class Ground:
    """What a prediction goes by.

    Attributes
    ----------
    contaminated
        How many rows the first f malicious nodes are in, for every f from 0 to N.
    rows
        How many rows there are.
    schema
        Of the statistics.
    tables
        Statistics of the nodes while they are honest, shape (N, C, width); the first become malicious first.
    """

    contaminated: list[int]
    rows: int
    schema: Schema
    tables: Integers


Predicted = Callable[[Ground], tuple[int, int]]
"""The fewest malicious nodes that can, and that must, break a rule.

They differ where rows tie: further malicious nodes may fall into groups that are contaminated already.
"""


@dataclass(frozen=True)
class Kind:
    """A defence, the attack that breaks it, and what the theory says about when."""

    name: str
    choices: dict[str, Any]
    predicted: Predicted


def outvoted(ground: Ground) -> tuple[int, int]:
    """From as many contaminated rows as honest ones to more of them: what breaks a median, G/2."""
    tie = next(f for f, bad in enumerate(ground.contaminated) if 2 * bad >= ground.rows)
    return tie, next(f for f, bad in enumerate(ground.contaminated) if 2 * bad > ground.rows)


def outpulled(ground: Ground) -> tuple[int, int]:
    """More malicious rows at one place than honest ones can pull back: what breaks a geometric median.

    Every row pulls with unit strength. Half-way from the honest rows to their flipped average the classes
    are alike; there the malicious rows all pull one way, and of the honest pulls, whose rows scatter around
    their mean, only the component along the line counts against them.
    """
    points = honest_points(ground.schema, ground.tables, 1 / ground.rows)
    average = np.rint(pooled(flipped(ground.tables))).astype(np.int64)
    centre = points.mean(axis=0)
    line = centre - honest_points(ground.schema, average[None], 1 / ground.rows)[0]
    offsets = points - (centre - line / 2)
    pulls = offsets @ line / (np.linalg.norm(offsets, axis=1) * np.linalg.norm(line))
    needed = next(f for f in range(ground.rows) if f >= pulls[f:].sum())
    return needed, needed


def outclaimed(cap: float) -> Predicted:
    """Malicious claims of a class, each capped, that weigh as much as honest ones: breaks a weighted median.

    The cap is a multiple of the median claim, and that rises with the malicious claims, which are enormous.
    Classes may break one after the other.
    """

    def predicted(ground: Ground) -> tuple[int, int]:
        needed = []
        for claims in ground.tables[:, :, 0].T.astype(np.float64):
            for f in range(1, ground.rows):
                most = cap * np.median(np.concatenate([claims[f:], np.full(f, np.inf)]))
                if f * most >= np.minimum(claims[f:], most).sum():
                    needed.append(f)
                    break
        return min(needed), max(needed)

    return predicted


def outweighed(cap_ratio: float) -> Predicted:
    """A share φ* = 1 / (1 + κ) of the nodes, each with the records that the cap allows."""

    def predicted(ground: Ground) -> tuple[int, int]:
        nodes = len(ground.tables)
        needed = next(f for f in range(nodes + 1) if f >= breakdown_share(cap_ratio) * nodes)
        return needed, needed

    return predicted


def verified_sum(cap_ratio: float) -> Kind:
    """The sum of inputs that were proven valid, under flips that use the cap to the last record."""
    choices = {"rules": "sum", "attacks": "heavy_flip:inside", "group_size": "all"}
    return Kind(
        f"verified sum, cap {cap_ratio:g} × mean: φ* = 1 / (1 + κ)",
        choices | {"inputs": "verified", "cap_ratio": cap_ratio},
        outweighed(cap_ratio),
    )


KINDS = (
    Kind("median, groups of 1: G/2", {"rules": "median", "attacks": "tight_cluster"}, outvoted),
    *(
        Kind(
            f"median, groups of {size}: G/2 rows",
            {"rules": "median", "attacks": "scaled_flip", "group_size": size},
            outvoted,
        )
        for size in (3, 5)
    ),
    Kind("trimmed mean: its bound", {"rules": "trimmed_mean", "attacks": "tight_cluster"}, outvoted),
    Kind("minimum diameter: its bound", {"rules": "mda", "attacks": "tight_cluster"}, outvoted),
    Kind(
        "weighted median: capped claims",
        {"rules": "weighted_median", "attacks": "scaled_flip"},
        outclaimed(WeightedMedian().cap),
    ),
    Kind(
        "geometric median: pulls balance",
        {"rules": "geometric_median", "attacks": "tight_cluster"},
        outpulled,
    ),
    *(verified_sum(ratio) for ratio in (1.0, 2.0, 3.0)),
)


class BreakdownGrid(OwnGrid):
    """The choices of a search for where rules break: every defence in `KINDS`, the same trials for each.

    Where a column names the nodes, they have sizes of their own, and kinds with a cap are left out: their
    prediction is of nodes of equal size.

    Attributes
    ----------
    dataset, nodes, schema_file, label, node_column, test_file
        See `OwnGrid`; lists make a product.
    trials
        Repetitions, each with its own deal, groups and malicious nodes.
    """

    trials: int = Field(default=30, ge=1)
    seed: int = Field(default=0, ge=0)

    @field_validator("dataset", "nodes", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return value if isinstance(value, list) else [value]

    @model_validator(mode="after")
    def _enough_nodes(self) -> "BreakdownGrid":
        largest = max(size for kind in KINDS if isinstance(size := kind.choices.get("group_size"), int))
        if min(self.nodes) < largest:
            raise ValueError(
                f"where rules break is sought in groups of up to {largest}: "
                f"{min(self.nodes)} nodes are too few"
            )
        return self

    def cells(self) -> list[dict[str, Any]]:
        """What is measured, one dictionary a cell."""
        return [
            {"kind": kind, "dataset": dataset, "nodes": nodes, "trial": trial, "seed": self.seed}
            | self.own_choices
            for dataset in self.dataset
            for nodes in self.nodes
            for kind, each in enumerate(KINDS)
            if self.node_column is None or "cap_ratio" not in each.choices
            for trial in range(self.trials)
        ]


def summary_of_breakdowns(table: pd.DataFrame) -> pd.DataFrame:
    """Of each defence, where it was to break, where it did, and in which share of trials within one node."""
    value = {"predicted": "mean", "measured": "mean", "within_one": "mean", "trial": "size"}
    found = table.groupby(["dataset", "nodes", "kind"], sort=False).agg(value).reset_index()
    whole = {"dataset": "all", "nodes": "all", "kind": "all", "within_one": table["within_one"].mean()}
    whole |= {"trial": len(table), "predicted": math.nan, "measured": math.nan}
    return pd.concat([found, pd.DataFrame([whole])], ignore_index=True).rename(columns={"trial": "trials"})


def measure_breakdown(cell: Cell) -> list[dict[str, Any]]:
    """Predicted and measured breakdown of one kind in one trial, in malicious nodes."""
    kind, nodes = KINDS[cell["kind"]], cell["nodes"]
    own = {name: cell[name] for name in OWN if name in cell}
    fixed = {"epsilon": NO_EPSILON, "malicious": 0.0, "trials": 1, "dataset": cell["dataset"]}
    fixed |= {"seed": cell["seed"], **own}
    fixed |= {} if "node_column" in own else {"nodes": nodes}
    grid = checked(AttackGrid, **fixed, **kind.choices)
    (base,) = grid.cells()
    base |= {"trial": cell["trial"], "attack": kind.choices["attacks"]}
    base["cap_ratio"] = kind.choices.get("cap_ratio")

    def broken(malicious: int) -> bool:
        (line,) = measure(base | {"malicious": malicious})
        return bool(line["balanced_accuracy"] < 1 / line["classes"])

    arena = arena_of(base)
    groups = Setting.of(arena, base).groups
    owner = {node: index for index, group in enumerate(groups) for node in group}
    contaminated = [len({owner[node] for node in arena.order[:f]}) for f in range(nodes + 1)]
    ground = Ground(contaminated, len(groups), arena.data.schema, arena.tables[arena.order])
    low, high = 0, nodes
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if broken(middle) else (middle, high)
    can, must = kind.predicted(ground)
    return [
        {
            "kind": kind.name,
            "dataset": cell["dataset"],
            "nodes": nodes,
            "trial": cell["trial"],
            "predicted_least": can,
            "predicted": must,
            "measured": high,
            "within_one": can - 1 <= high <= must + 1,
        }
    ]
