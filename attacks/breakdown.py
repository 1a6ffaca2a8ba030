"""Where a rule breaks: the fewest malicious nodes that turn its model against the truth, found by bisection.

Broken means worse than guessing: below one over the number of classes in balanced accuracy. That is what
flipped labels do to a model once they outvote the true ones, and nothing else does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from attacks.arena import arena_of
from attacks.grid import AttackGrid
from attacks.harness import Setting, measure
from securenb.checked import checked
from securenb.preflight import breakdown_share
from securenb.sweep import Cell


@dataclass(frozen=True)
class Kind:
    """A defence, the attack that breaks it, and what the theory says about when.

    Attributes
    ----------
    predicted
        The fewest malicious nodes that can and that must break it, from `contaminated` (how many rows the
        first f malicious nodes are in, for every f from 0 to N) and the number of rows. The two differ where
        rows tie: further malicious nodes may fall into groups that are contaminated already.
    """

    name: str
    choices: dict[str, Any]
    predicted: Callable[[list[int], int], tuple[int, int]]


def outvoted(contaminated: list[int], rows: int) -> tuple[int, int]:
    """From as many contaminated rows as honest ones to more of them: what breaks a median, G/2."""
    tie = next(f for f, bad in enumerate(contaminated) if 2 * bad >= rows)
    return tie, next(f for f, bad in enumerate(contaminated) if 2 * bad > rows)


def outweighed(cap_ratio: float) -> Callable[[list[int], int], tuple[int, int]]:
    """A share φ* = 1 / (1 + κ) of the nodes, each with the records that the cap allows."""

    def predicted(contaminated: list[int], rows: int) -> tuple[int, int]:
        assert rows == 1, "all nodes are in one sum"
        nodes = len(contaminated) - 1
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
    Kind("geometric median: its bound", {"rules": "geometric_median", "attacks": "tight_cluster"}, outvoted),
    *(verified_sum(ratio) for ratio in (1.0, 2.0, 3.0)),
)


def breakdown_cells(dataset: str, nodes: int, trials: int, seed: int) -> list[dict[str, Any]]:
    """One cell a kind and trial, for `measure_breakdown`."""
    return [
        {"kind": index, "dataset": dataset, "nodes": nodes, "trials": trials, "trial": trial, "seed": seed}
        for index in range(len(KINDS))
        for trial in range(trials)
    ]


def measure_breakdown(cell: Cell) -> list[dict[str, Any]]:
    """Predicted and measured breakdown of one kind in one trial, in malicious nodes."""
    kind, nodes = KINDS[cell["kind"]], cell["nodes"]
    fixed = {"malicious": 0.0, "trials": 1, "dataset": cell["dataset"], "nodes": nodes, "seed": cell["seed"]}
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
    low, high = 0, nodes
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if broken(middle) else (middle, high)
    can, must = kind.predicted(contaminated, len(groups))
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
