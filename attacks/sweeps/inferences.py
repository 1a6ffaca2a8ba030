"""The choices of a sweep of inferences: every combination is one attempt on one round."""

from typing import Any

import numpy as np
from pydantic import Field, field_validator

from attacks.inference import INFERENCES
from protocols.protocol import PROTOCOLS
from securenb.data.node import Node
from securenb.experiments.intervals import DETAILS, summarised
from securenb.experiments.rounds import Sweep, scenario_of
from securenb.experiments.sweep import Cell

AGGREGATED = "verified"
"""The protocol whose noise aggregators add, where `attacks.inference.look` sees none."""


class InferenceGrid(Sweep):
    """Lists make a product; a trial has its own deal, victim and noise, the same in every combination.

    Attributes
    ----------
    inference
        Specs of `attacks.inference.INFERENCES`, or objects.
    records
        How many records each node keeps at most; many hide each other. `None` for all.
    """

    inference: list[str]
    records: int | None = Field(default=None, ge=1)

    @field_validator("inference", mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        named = list(INFERENCES) if value == "all" else value if isinstance(value, list) else [value]
        return [INFERENCES.spelled(name) for name in named]

    @field_validator("choices")
    @classmethod
    def _visible(cls, choices: dict[str, Any]) -> dict[str, Any]:
        protocols = choices.get("protocol")
        named = protocols if isinstance(protocols, list) else [protocols]
        if AGGREGATED in [PROTOCOLS.spec(name).name for name in named if name is not None]:
            raise ValueError(f"aggregators add the noise of {AGGREGATED!r}: no inference has its view yet")
        return choices

    def cells(self) -> list[dict[str, Any]]:
        """What is measured, one dictionary a cell."""
        more = [{"inference": name, "records": self.records} for name in self.inference]
        return [cell | names for cell in super().cells() for names in more]


def measure_inference(cell: Cell) -> list[dict[str, Any]]:
    """One line of results for one attempt."""
    choices = dict(cell)
    inference, records = INFERENCES.build(choices.pop("inference")), choices.pop("records")
    scenario = scenario_of(choices)
    data = scenario.load()
    nodes = [Node(node.id, node.records[slice(records)]) for node in scenario.deal(data)]
    found = inference.attempt(scenario.federation(data), nodes, np.random.default_rng(cell["seed"]))
    return [{**cell, "right": found.right, "lucky": found.lucky, "gain": found.right - found.lucky}]


def summary_of_inferences(table: Any) -> Any:
    """Of each combination, the share of right conclusions, its interval, and the share without the view."""
    varied = [name for name in table.columns[: list(table.columns).index("right")] if name != "seed"]
    varied = [name for name in varied if table[name].nunique(dropna=False) > 1 or name == "inference"]
    found = (
        summarised(table, varied, "right")
        .drop(columns=[*DETAILS, "collapsed"])
        .rename(columns={"mean": "right"})
    )
    lucky = summarised(table, varied, "lucky")["mean"]
    return found.assign(lucky=lucky)
