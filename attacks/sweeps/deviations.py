"""The choices of a sweep of deviations: who breaks which protocol how, and what becomes of the run."""

from typing import Any

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, field_validator

from attacks.deviation import DEVIATIONS, Outcome, judged
from attacks.sweeps.deviation_table import cast_of
from protocols.catalogue import Catalogue
from protocols.protocol import PROTOCOLS
from securenb.experiments.sweep import Cell


class DeviationGrid(BaseModel):
    """Lists make a product; each deviation in all its roles, on random vectors whatever the data.

    Attributes
    ----------
    protocol
        Specs of `protocols.protocol.PROTOCOLS`, each with its other parameters as for tests.
    deviation
        Specs of `attacks.deviation.DEVIATIONS`.
    nodes
        How many are in the one group.
    trials
        Repetitions, with other vectors, keys and masks.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    protocol: list[str]
    deviation: list[str]
    nodes: list[int] = [7]
    trials: int = Field(default=1, ge=1)
    seed: int = Field(default=0, ge=0)

    @field_validator("protocol", "deviation", "nodes", mode="before")
    @classmethod
    def _listed(cls, value: Any, info: Any) -> Any:
        found = value if isinstance(value, list) else [value]
        if info.field_name == "nodes":
            return found
        catalogue: Catalogue[Any] = PROTOCOLS if info.field_name == "protocol" else DEVIATIONS
        return list(catalogue) if value == "all" else [catalogue.spelled(choice) for choice in found]

    def cells(self) -> list[dict[str, Any]]:
        """What is measured, one dictionary a cell."""
        return [
            {"protocol": protocol, "deviation": name, "role": role, "nodes": nodes, "seed": self.seed + trial}
            for protocol in self.protocol
            for name in self.deviation
            for role in DEVIATIONS.build(name).roles
            for nodes in self.nodes
            for trial in range(self.trials)
        ]


def measure_deviation(cell: Cell) -> list[dict[str, Any]]:
    """One line of results, or none if the protocol gives no occasion to deviate so."""
    cast = cast_of(cell["protocol"], cell["nodes"], cell["seed"])
    verdict = judged(DEVIATIONS.build(cell["deviation"]), cell["role"], cast)
    if verdict is None:
        return []
    kept = verdict.outcome is not Outcome.NOT_COVERED
    return [{**cell, "outcome": str(verdict.outcome), "kept": kept, "misblamed": len(verdict.misblamed)}]


def summary_of_deviations(table: pd.DataFrame) -> pd.DataFrame:
    """How often each outcome was seen under each protocol."""
    if table.empty:
        return table
    counted = table.groupby(["protocol", "outcome"], sort=False).size()
    return counted.unstack(fill_value=0).reset_index()
