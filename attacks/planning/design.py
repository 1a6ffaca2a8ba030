"""What could be run: checked inputs or not, a rule, groups, a mechanism, and the shape of numbers."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attacks.planning.population import Population, Shape
from attacks.planning.wishes import Wishes
from attacks.sweeps.arena import Arena
from attacks.sweeps.poisoning import Setting
from securenb.robust.rule import Rule
from securenb.robust.spec import choose_rule

GROUPED = ("median", "trimmed_mean", "nnm+median")
"""Rules for rows of which some are malicious."""
SIZES = (1, 2, 3, 5, 10)
"""Nodes in a group, where rows are compared."""
WHOLE = ("k_norm",)
"""Mechanisms whose doses are added whole, by the aggregators of proven inputs."""
PURE = ("discrete_laplace", *WHOLE)
COUNTLESS = "discrete_laplace(count=0.1)"
"""What spends little on class counts, where features of levels tell them."""
UP_TO_A_DELTA = ("skellam", "discrete_gaussian")
QUICK = ("label_flip",)
"""Poisons that cost next to nothing: what they leave is an upper bound on what stronger ones leave."""
FEWEST_FOR_VOTES = 30
"""Nodes from which on votes of nodes are worth their noise."""


@dataclass(frozen=True)
class Design:
    """One way to run a round, but for the protocol.

    Attributes
    ----------
    inputs
        `verified` where nodes prove that their statistics are valid and within a cap, else `unchecked`.
    rule, mechanism
        Specs.
    group_size
        `None` for one group of all.
    numeric
        The shape of numbers.
    """

    inputs: str
    rule: str
    group_size: int | None
    mechanism: str
    numeric: Shape

    @property
    def attacks(self) -> tuple[str, ...]:
        """The poisons that it is foretold under: quick ones first, the strongest known of its kind last."""
        if self.rule.startswith("staircase"):
            return (*QUICK, "increments")
        return (*QUICK, "gradient") if self.inputs == "verified" else (*QUICK, "alie", "gradient_rule")

    @property
    def delta(self) -> bool:
        """Whether the mechanism needs one."""
        return self.mechanism.partition("(")[0] not in PURE

    def setting(self, arena: Arena, wishes: Wishes) -> Setting:
        """The round on one deal.

        Noise counts on those who neither fall silent nor tell theirs, as the protocol that is chosen will.

        Raises
        ------
        ValueError
            If the choices do not go together, or not with these nodes.
        """
        cell: dict[str, Any] = {"mechanism": self.mechanism, "epsilon": wishes.epsilon, "inputs": self.inputs}
        cell["delta"] = wishes.delta if self.delta else None
        cell |= {"group_size": self.group_size, "cap_ratio": 1.0, "split": False}
        rule = self.chosen(arena)
        found = Setting.of(arena, cell, rule if rule.increments else None)
        if self.inputs == "verified":
            return found
        size = self.group_size or wishes.nodes
        there = survivors(size, wishes)
        federation = replace(found.federation, colluding=wishes.colluding, survivors=there)
        return replace(found, federation=federation)

    def chosen(self, arena: Arena) -> Rule:
        """The rule on one deal."""
        return choose_rule(self.rule, reference=arena.reference, nodes=len(arena.nodes))


def survivors(size: int, wishes: Wishes) -> int:
    """Of a group, how many are there at the end."""
    return size - int(wishes.silent * size + 1e-9)


def designs(population: Population) -> Iterator[Design]:
    """All that is worth a try; some may turn out not to go together."""
    wishes = population.wishes
    shared = ("discrete_laplace",) if wishes.delta is None else ("discrete_laplace", *UP_TO_A_DELTA)
    for numeric in population.shapes:
        told = any(block.partition for block in population.schema(numeric).blocks)
        more = (COUNTLESS,) if told and not wishes.liars else ()
        for mechanism in shared + more + WHOLE:
            if not wishes.liars:
                proven = mechanism in WHOLE
                yield Design("verified" if proven else "unchecked", "sum", None, mechanism, numeric)
                continue
            yield Design("verified", "verified_sum", None, mechanism, numeric)
            if population.foretold:
                yield Design("verified", "calibrated_sum", None, mechanism, numeric)
            if mechanism in WHOLE:
                continue
            if wishes.nodes >= FEWEST_FOR_VOTES and (quota := quotas(population, numeric)):
                yield Design("verified", f"staircase(quota={quota})", None, mechanism, numeric)
            for size in SIZES:
                if size + wishes.colluding < wishes.nodes:
                    for rule in GROUPED:
                        yield Design("unchecked", rule, size, mechanism, numeric)


def quotas(population: Population, numeric: Shape) -> str | None:
    """How many records of each class a node counts for in staircase sums, from the public records.

    `None` where there are none, or where a feature is not made of levels.
    """
    if not population.foretold:
        return None
    trial = next(population.trials(numeric, 1))
    schema = trial.arena.data.schema
    if not all(feature.partition for feature in schema.features):
        return None
    shares = np.bincount(trial.arena.data.train.labels, minlength=len(schema.classes))
    each = np.maximum(1, np.floor(population.records * shares / shares.sum())).astype(int)
    return "/".join(map(str, each))
