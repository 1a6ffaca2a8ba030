"""The choices of an attack sweep: every combination of them is measured."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from attacks.poison import POISONS, choose_poison
from securenb.data.dataset import DATASETS
from securenb.data.own import Own, is_file
from securenb.data.partition import Sizes
from securenb.data.source import STDIN
from securenb.experiments.choices import NO_EPSILON
from securenb.experiments.sweep import product
from securenb.privacy.spec import spell_mechanism
from securenb.robust.spec import choose_rule, spell_rule

NO_ATTACK = "none"
"""No attack: what everything is compared with."""

Inputs = Literal["unchecked", "verified"]


OWN = ("schema_file", "label", "node_column", "test_file")
"""How to read a file of the user's; a cell has them only if they are given."""

FIXED = ("delta", "trusted_records", "influence", "test_records", "split", "seed")
"""What is the same in every cell."""

NOTHING = {"group_size": "all", "label_skew": "none"}
"""Words for what is no number: one group; labels alike everywhere."""


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


class AttackGrid(BaseModel):
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

    model_config = ConfigDict(extra="forbid", frozen=True)

    dataset: list[str]
    rules: list[str]
    attacks: list[str]
    malicious: list[float]
    nodes: list[int] = [100]
    sizes: list[Sizes] = ["equal"]
    label_skew: list[float | None] = [None]
    numeric: list[Literal["gaussian", "histogram"]] = ["gaussian"]
    epsilon: list[str] = [NO_EPSILON]
    mechanism: list[str] = ["discrete_laplace"]
    delta: float | None = None
    group_size: list[int | None] = [1]
    inputs: list[Inputs] = ["unchecked"]
    cap_ratio: list[float] = [1.0]
    split: bool = False
    trials: int = Field(default=30, ge=1)
    trusted_records: int = Field(default=100, ge=1)
    influence: bool = False
    test_records: int | None = Field(default=None, ge=10)
    seed: int = Field(default=0, ge=0)
    schema_file: str | None = None
    label: str | None = None
    node_column: str | None = None
    test_file: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _nodes_of_the_file(cls, choices: Any) -> Any:
        """Where a column names the nodes, there are as many as it names."""
        if not isinstance(choices, dict) or not choices.get("node_column"):
            return choices
        if choices.get("nodes") is not None:
            raise ValueError(
                f"nodes {choices['nodes']}: column {choices['node_column']!r} says already who they are"
            )
        dataset = choices["dataset"]
        if isinstance(dataset, list) and len(dataset) == 1:
            (dataset,) = dataset
        data = Own(*(choices.get(name) for name in OWN)).load(str(dataset))
        assert data.holders is not None
        return choices | {"nodes": [len(set(data.holders))]}

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
        if info.field_name in NOTHING:
            return [None if item == NOTHING[info.field_name] else item for item in listed]
        return distinct(info.field_name, listed) if isinstance(listed, list) else listed

    @field_validator("dataset", "malicious")
    @classmethod
    def _known(cls, values: list[Any], info: Any) -> list[Any]:
        for value in values:
            match info.field_name:
                case "dataset":
                    if not is_file(value):
                        DATASETS[value]
                    elif value == str(STDIN) or Path(value).is_fifo():
                        raise ValueError(f"{value} can be read once, and every process reads it: give a file")
                case _:
                    if not 0 <= value < 1:
                        raise ValueError(f"a share of malicious nodes is at least 0 and below 1, got {value}")
        return values

    @model_validator(mode="after")
    def _readable(self) -> "AttackGrid":
        for name in self.dataset:
            self.own.check(name)
        return self

    @property
    def own(self) -> Own:
        """How to read a file of the user's."""
        return Own(self.schema_file, self.label, self.node_column, self.test_file)

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
        fixed |= {name: choices[name] for name in OWN if choices[name] is not None}
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
