"""The choices of an attack sweep: every combination of them is measured."""

from collections.abc import Callable
from typing import Any, Literal, get_origin

import pandas as pd
from pydantic import BaseModel, field_validator, model_validator

from attacks.poison import POISONS, choose_poison
from attacks.sweeps.own_grid import OwnGrid
from protocols.spec import listed
from securenb.data.dataset import spell_dataset
from securenb.data.partition import Sizes
from securenb.experiments.checked import checked
from securenb.experiments.declare import choice, like, unworded
from securenb.experiments.intervals import FEWEST
from securenb.experiments.scenario import Scenario
from securenb.experiments.sweep import Swept, measured_here, product
from securenb.privacy.spec import spell_mechanism
from securenb.robust.spec import choose_rule, spell_rule

NO_ATTACK = "none"
"""No attack: what everything is compared with."""

Inputs = Literal["unchecked", "verified"]


FIXED = ("delta", "trusted_records", "influence", "test_records", "split", "seed")
"""What is the same in every cell."""

DEALS_TO_CHOOSE = 10
"""On how many deals of their own the worst attack is chosen, where there are trials for an interval."""

RULES_BY_DEFAULT = [
    "sum", "median", "trimmed_mean", "krum", "geometric_median", "mda", "nnm+median", "trusted_rows",
]  # fmt: skip


SPELLED: dict[str, Callable[[Any], str]] = {
    "attacks": POISONS.spelled,
    "rules": spell_rule,
    "dataset": lambda choice: choice if isinstance(choice, str) else spell_dataset(choice),
    "mechanism": spell_mechanism,
}
"""How each choice of a thing with parameters is spelt, whether it is a spec or an object."""


def several(name: str, text: str) -> list[Any]:
    """Choices in text, separated by commas; shares also as first:last:step."""
    if name == "dataset":
        return [text]  # a path may have commas
    if name == "malicious" and ":" in text:
        return _steps(text)
    return listed(text)


def _steps(text: str) -> list[float]:
    try:
        first, last, step = (float(word) for word in text.split(":"))
        return [round(first + index * step, 10) for index in range(int((last - first) / step + 1e-9) + 1)]
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"malicious is 0,0.2 or first:last:step as 0:0.45:0.05, got {text!r}") from None


def axes(kind: type[BaseModel]) -> list[str]:
    """The choices of a sweep that are lists."""
    return [name for name, field in kind.model_fields.items() if get_origin(field.annotation) is list]


def distinct(name: str, choices: list[Any]) -> list[Any]:
    """The choices; a `ValueError` if there are none, or one twice."""
    if not choices or len({str(choice) for choice in choices}) < len(choices):
        raise ValueError(f"{name} needs choices, each once, got {choices}")
    return choices


class Study(OwnGrid):
    """A sweep with an axis of attacks. Lists make a product; a single value is a list of one.

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
        Shares of the nodes, at least 0 and less than a half; rounded to whole nodes.
    inputs
        `unchecked`: nodes send what they like, with their shares of noise. `verified`: what is outside
        the invariants or above the cap is refused, and two aggregators add a dose of noise each.
    cap_ratio
        The cap of a node's records, in mean sizes; poisons that stay inside the invariants heed it even
        where nothing is checked. Several only where all inputs are verified.
    split
        Whether nodes above the cap submit in several parts where inputs are verified; otherwise such a sweep
        is refused, as a round would be.
    selection
        On how many deals, which are none of the trials, the worst attack is chosen; see
        `attacks.sweeps.worst`. 0 chooses it on the trials.
    trials
        Repetitions, each with its own deal, groups, noise and malicious nodes; the same ones in every cell.
    influence
        Whether to ask of every row how much it matters, see `securenb.federation.influence`: `unmasked`
        is the share of contaminated rows that stand out, `accused` that of the others. Takes a combination
        for each row.
    test_records
        Judge on so many test records, drawn once; `None` for all.
    """

    rules: list[str] = choice("Rules; `nnm+krum` mixes first.", RULES_BY_DEFAULT)
    attacks: list[str] = choice(
        "Poisons, as `alie:inside:noisy`; `all` for all.", ["all"], validate_default=True
    )
    malicious: list[float] = choice("Shares of malicious nodes: 0,0.2 or 0:0.45:0.05.", [0.0, 0.2])
    sizes: list[Sizes] = like(Scenario, "sizes", ["equal"])
    label_skew: list[float | None] = like(Scenario, "label_skew", [None])
    numeric: list[Literal["gaussian", "histogram"]] = like(Scenario, "numeric", ["gaussian"])
    epsilon: list[str] = like(Scenario, "epsilon")
    mechanism: list[str] = like(Scenario, "mechanism", ["discrete_laplace"])
    delta: float | None = like(Scenario, "delta", None)
    group_size: list[int | None] = like(Scenario, "group_size", [1])
    inputs: list[Inputs] = choice("`unchecked`, `verified` or both.", ["unchecked"])
    cap_ratio: list[float] = choice("Caps on a node's records, in mean sizes.", [1.0])
    split: bool = like(Scenario, "split", default=False)
    trials: int = choice("Repetitions, the same in every cell.", 30, ge=1)
    selection: int | None = choice(
        "Deals of their own on which the worst attack is chosen; `auto`: 10 from 14 trials on, else none.",
        None, word="auto", ge=0,
    )  # fmt: skip
    trusted_records: int = like(Scenario, "trusted_records", 100, ge=1)
    influence: bool = choice("Say which rows stand out when each is left out in turn.", default=False)
    test_records: int | None = choice(
        "Judge on so many test records; `all` of them.", None, word="all", ge=10
    )
    seed: int = choice("Decides everything; a rerun is identical.", 0, ge=0)

    @field_validator("*", mode="before")
    @classmethod
    def _listed(cls, value: Any, info: Any) -> Any:
        name = info.field_name
        if name not in axes(cls):
            return unworded(cls, name, value)
        items = several(name, value) if isinstance(value, str) else value
        items = items if isinstance(items, list) else [items]
        if name == "attacks" and items == ["all"]:
            return list(POISONS)
        if name == "epsilon":
            items = [str(item) for item in items]
        spelt = SPELLED.get(name)
        return distinct(name, [spelt(item) if spelt else unworded(cls, name, item) for item in items])

    @field_validator("malicious")
    @classmethod
    def _shares(cls, values: list[float]) -> list[float]:
        for value in values:
            if not 0 <= value < 0.5:
                raise ValueError(
                    f"malicious is a share of the nodes, at least 0 and below 0.5, got {value}: "
                    "where half are malicious or more, nothing tells which half is honest"
                )
        return values

    @model_validator(mode="after")
    def _proven_where_a_rule_relies_on_it(self) -> "Study":
        capped = [name for name in self.rules if choose_rule(name).capped]
        if capped and "unchecked" in self.inputs:
            raise ValueError(f"{capped[0]} relies on a proven cap: it needs inputs verified")
        return self

    @model_validator(mode="after")
    def _one_cap_where_there_is_none(self) -> "Study":
        if "unchecked" in self.inputs and len(self.cap_ratio) > 1:
            raise ValueError(
                f"unchecked inputs have no cap to vary: give one cap_ratio, not {self.cap_ratio}"
            )
        return self

    def cells(self) -> list[dict[str, Any]]:
        """What is measured, one dictionary a cell; all rules in one, as they see the same rows."""
        return self._cells(range(self.trials))

    def choosing(self) -> list[dict[str, Any]]:
        """The same on other deals, on which the worst attack is chosen."""
        deals = DEALS_TO_CHOOSE if self.trials >= FEWEST else 0
        deals = deals if self.selection is None else self.selection
        return self._cells(range(self.trials, self.trials + deals))

    def run(self, *, jobs: int = 1, backend: str = "loky") -> Swept:
        """Measure every cell.

        Parameters
        ----------
        jobs, backend
            See `securenb.experiments.sweep.run_cells`.
        """
        from attacks.sweeps.poisoning import measure  # which reads cells of this
        from attacks.sweeps.worst import summary_of

        frame = measured_here(self.cells(), measure, jobs=jobs, backend=backend)
        apart = measured_here(self.choosing(), measure, jobs=jobs, backend=backend)
        return Swept(frame, summary_of(frame, apart), type(self).__name__)

    def _cells(self, trials: range) -> list[dict[str, Any]]:
        choices = self.model_dump(mode="json")
        choices["malicious"] = list(dict.fromkeys([0.0, *self.malicious]))
        outer = ("dataset", "nodes", "sizes", "label_skew", "numeric")
        fixed = {name: choices[name] for name in FIXED}
        fixed |= self.own_choices
        found = []
        for base in product({name: choices[name] for name in outer}):
            for trial in trials:
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


AttackGrid = Study
"""Its earlier name."""


def evaluate(dataset: Any, **choices: Any) -> pd.DataFrame:
    """How models fare when nodes are malicious: one row for each rule, attack, setting and trial.

    Parameters
    ----------
    dataset
        As in `Study`.
    choices
        Of `Study`; epsilon has no default. `jobs` and `backend` as in `Study.run`.

    Raises
    ------
    ValueError
        If a choice is missing, unknown, or cannot be.
    """
    run = {name: choices.pop(name) for name in ("jobs", "backend") if name in choices}
    return checked(Study, dataset=dataset, **choices).run(**run).frame
