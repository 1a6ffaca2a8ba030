"""The choices of an attack sweep: every combination of them is measured."""

from collections.abc import Callable
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from attacks.poison import POISONS, choose_poison
from attacks.sweeps.own_grid import OWN, OwnGrid
from securenb.data.partition import Sizes
from securenb.experiments.choices import NO_EPSILON
from securenb.experiments.sweep import product
from securenb.experiments.tables import NOTHING
from securenb.privacy.spec import spell_mechanism
from securenb.robust.spec import choose_rule, spell_rule

NO_ATTACK = "none"
"""No attack: what everything is compared with."""

Inputs = Literal["unchecked", "verified"]


FIXED = ("delta", "trusted_records", "influence", "test_records", "split", "seed")
"""What is the same in every cell."""

SPELLED: dict[str, Callable[[Any], str]] = {
    "attacks": POISONS.spelled,
    "rules": spell_rule,
    "mechanism": spell_mechanism,
}
"""How each choice of a thing with parameters is spelt, whether it is a spec or an object."""


def distinct(name: str, choices: list[Any]) -> list[Any]:
    """The choices; a `ValueError` if there are none, or one twice."""
    if not choices or len({str(choice) for choice in choices}) < len(choices):
        raise ValueError(f"{name} needs choices, each once, got {choices}")
    return choices


class AttackGrid(OwnGrid):
    """Lists make a product; a single value is a list of one.

    Attributes
    ----------
    dataset, nodes, sizes, label_skew, numeric, mechanism, delta, schema_file, label, node_column, test_file
        As in `securenb.experiments.scenario.Scenario`.
    epsilon, group_size
        As there; group size ``"all"`` for one group, label skew ``"none"`` for none.
    attacks
        Specs or objects, as for `attacks.poison.choose_poison`, or ``"all"``; no attack is always
        measured too.
    rules
        Specs or objects, as for `securenb.robust.spec.choose_rule`.
    malicious
        Shares of the nodes, at least 0 and less than 1; rounded to whole nodes.
    inputs
        `unchecked`: nodes send what they like, with their shares of noise. `verified`: what is outside
        the invariants or above the cap is refused, and two aggregators add a dose of noise each.
    cap_ratio
        The cap of a node's records, in mean sizes; poisons that stay inside the invariants heed it even
        where nothing is checked. Several only where all inputs are verified.
    split
        Whether nodes above the cap submit in several parts where inputs are verified; otherwise such a sweep
        is refused, as a round would be.
    trials
        Repetitions, each with its own deal, groups, noise and malicious nodes; the same ones in every cell.
    influence
        Whether to ask of every row how much it matters, see `securenb.federation.influence`: `unmasked`
        is the share of contaminated rows that stand out, `accused` that of the others. Takes a combination
        for each row.
    test_records
        Judge on so many test records, drawn once; `None` for all.
    """

    rules: list[str]
    attacks: list[str]
    malicious: list[float]
    sizes: list[Sizes] = Field(default=["equal"])
    label_skew: list[float | None] = Field(default=[None])
    numeric: list[Literal["gaussian", "histogram"]] = Field(default=["gaussian"])
    epsilon: list[str] = Field(default=[NO_EPSILON])
    mechanism: list[str] = Field(default=["discrete_laplace"])
    delta: float | None = None
    group_size: list[int | None] = Field(default=[1])
    inputs: list[Inputs] = Field(default=["unchecked"])
    cap_ratio: list[float] = Field(default=[1.0])
    split: bool = False
    trials: int = Field(default=30, ge=1)
    trusted_records: int = Field(default=100, ge=1)
    influence: bool = False
    test_records: int | None = Field(default=None, ge=10)
    seed: int = Field(default=0, ge=0)

    @field_validator("*", mode="before")
    @classmethod
    def _listed(cls, value: Any, info: Any) -> Any:
        singles = {"delta", "trials", "trusted_records", "influence", "test_records", "split", "seed", *OWN}
        if info.field_name == "attacks" and value == "all":
            return list(POISONS)
        listed = value if info.field_name in singles or isinstance(value, list) else [value]
        if info.field_name == "epsilon":
            return [str(item) for item in listed]
        if info.field_name in SPELLED:
            return distinct(info.field_name, [SPELLED[info.field_name](item) for item in listed])
        if info.field_name in ("group_size", "label_skew"):
            return [None if item == NOTHING[info.field_name] else item for item in listed]
        return distinct(info.field_name, listed) if isinstance(listed, list) else listed

    @field_validator("malicious")
    @classmethod
    def _shares(cls, values: list[float]) -> list[float]:
        for value in values:
            if not 0 <= value < 1:
                raise ValueError(f"a share of malicious nodes is at least 0 and below 1, got {value}")
        return values

    @model_validator(mode="after")
    def _proven_where_a_rule_relies_on_it(self) -> "AttackGrid":
        capped = [name for name in self.rules if choose_rule(name).capped]
        if capped and "unchecked" in self.inputs:
            raise ValueError(f"{capped[0]} relies on a proven cap: it needs inputs verified")
        return self

    @model_validator(mode="after")
    def _one_cap_where_there_is_none(self) -> "AttackGrid":
        if "unchecked" in self.inputs and len(self.cap_ratio) > 1:
            raise ValueError(
                f"unchecked inputs have no cap to vary: give one cap_ratio, not {self.cap_ratio}"
            )
        return self

    def cells(self) -> list[dict[str, Any]]:
        """What is measured, one dictionary a cell; all rules in one, as they see the same rows."""
        choices = self.model_dump(mode="json")
        choices["malicious"] = list(dict.fromkeys([0.0, *self.malicious]))
        outer = ("dataset", "nodes", "sizes", "label_skew", "numeric")
        fixed = {name: choices[name] for name in FIXED}
        fixed |= self.own_choices
        found = []
        for base in product({name: choices[name] for name in outer}):
            for trial in range(self.trials):
                inner = ("mechanism", "epsilon", "group_size", "inputs", "cap_ratio", "malicious", "attacks")
                for cell in product({name: choices[name] for name in inner}):
                    attack = cell.pop("attacks")
                    share = cell.pop("malicious")
                    bad = min(round(share * base["nodes"]), base["nodes"] - 1)
                    cell |= base | fixed | {"trial": trial, "rules": self.rules, "share": share}
                    if cell["inputs"] == "unchecked":
                        cell["cap_ratio"] = cell["cap_ratio"] if choose_poison(attack).inside else None
                    found.append(cell | {"attack": attack if bad else NO_ATTACK, "malicious": bad})
        unique = {str(cell): cell for cell in found}
        return list(unique.values())
