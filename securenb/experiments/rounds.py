"""The choices of a sweep of whole rounds, under real protocols: every combination of them is run."""

from collections.abc import Callable
from typing import Any

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from protocols.protocol import PROTOCOLS
from securenb.data.dataset import spell_dataset
from securenb.experiments.intervals import summarised
from securenb.experiments.scenario import Scenario
from securenb.experiments.sweep import Cell, Swept, measured_here, product
from securenb.privacy.ledger import shown
from securenb.privacy.sensitivity import ADJACENCIES
from securenb.privacy.spec import spell_mechanism
from securenb.robust.spec import spell_rule


class Sweep(BaseModel):
    """Whole rounds under every combination of choices: lists make a product.

    Attributes
    ----------
    choices
        Of `securenb.experiments.scenario.Scenario`, each a value or a list of values; all but the seed.
    trials
        Repetitions, each with another seed.
    seed
        Of the first repetition.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    choices: dict[str, Any]
    trials: int = Field(default=1, ge=1)
    seed: int = Field(default=0, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, given: Any) -> Any:
        """In Python the choices may stand beside trials and seed."""
        if not isinstance(given, dict) or "choices" in given:
            return given
        own = {name: value for name, value in given.items() if name in cls.model_fields}
        return own | {"choices": {name: value for name, value in given.items() if name not in own}}

    @field_validator("choices")
    @classmethod
    def _complete(cls, choices: dict[str, Any]) -> dict[str, Any]:
        if "seed" in choices:
            raise ValueError("the seed of a sweep stands outside the choices: trials count up from it")
        spelt = {name: _spelt(name, value) for name, value in choices.items()}
        for cell in product(spelt):
            scenario_of(cell | {"seed": 0})
        return spelt

    def cells(self) -> list[dict[str, Any]]:
        """What is measured, one dictionary a cell."""
        return [
            cell | {"seed": self.seed + trial}
            for cell in product(self.choices)
            for trial in range(self.trials)
        ]

    def run(self, *, jobs: int = 1, backend: str = "loky") -> Swept:
        """Run every round.

        Parameters
        ----------
        jobs, backend
            See `securenb.experiments.sweep.run_cells`.
        """
        frame = measured_here(self.cells(), measure_round, jobs=jobs, backend=backend)
        return Swept(frame, summary_of_rounds(frame), type(self).__name__)


SPELLED: dict[str, Callable[[Any], str]] = {
    "dataset": spell_dataset,
    "protocol": PROTOCOLS.spelled,
    "mechanism": spell_mechanism,
    "rule": spell_rule,
}
"""How a choice is spelt that was given as a table or as an object: cells are JSON values."""


def _spelt(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return [_spelt(name, item) for item in value]
    return value if isinstance(value, str) or name not in SPELLED else SPELLED[name](value)


def measure_round(cell: Cell) -> list[dict[str, Any]]:
    """One line of results for one round."""
    scenario = scenario_of(cell)
    data = scenario.load()
    federation = scenario.federation(data)
    round_ = federation.run(scenario.deal(data))
    transcript = round_.transcript
    return [
        {
            **cell,
            "accuracy": round_.model.score(data.test),
            "balanced_accuracy": round_.model.balanced_score(data.test),
            "learned": round_.learned,
            **{f"epsilon_{kind}": shown(round_.ledger.epsilon(kind)) for kind in ADJACENCIES},
            "sent_bytes": transcript.mean("node", "sent"),
            "received_bytes": transcript.mean("node", "received"),
            **round_.digests(),
        }
    ]


def scenario_of(cell: Cell) -> Scenario:
    """The scenario of a cell."""
    return Scenario.checked(**cell)


def summary_of_rounds(table: pd.DataFrame) -> pd.DataFrame:
    """Balanced accuracy of each combination, with its interval."""
    choices = table.columns[: list(table.columns).index("accuracy")].drop("seed")
    varied = [name for name in choices if table[name].nunique(dropna=False) > 1] or ["dataset"]
    return summarised(table, varied, "balanced_accuracy")
