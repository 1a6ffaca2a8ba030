"""What grids have in common that measure data sets, or a user's own file."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from securenb.data.dataset import DATASETS
from securenb.data.own import Own, is_file
from securenb.data.source import STDIN
from securenb.experiments.declare import like
from securenb.experiments.scenario import Scenario

OWN = ("schema_file", "label", "node_column", "test_file")
"""How to read a file of the user's; a cell has them only if they are given."""


class OwnGrid(BaseModel):
    """A grid over data sets.

    Attributes
    ----------
    dataset, nodes, schema_file, label, node_column, test_file
        As in `securenb.experiments.scenario.Scenario`; lists of the first two.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    dataset: list[str] = like(Scenario, "dataset")
    nodes: list[int] = like(Scenario, "nodes", [100])
    schema_file: str | None = like(Scenario, "schema_file", None)
    label: str | None = like(Scenario, "label", None)
    node_column: str | None = like(Scenario, "node_column", None)
    test_file: str | None = like(Scenario, "test_file", None)

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

    @model_validator(mode="after")
    def _readable(self) -> "OwnGrid":
        for name in self.dataset:
            if not is_file(name):
                DATASETS[name]
            elif name == str(STDIN) or Path(name).is_fifo():
                raise ValueError(f"{name} can be read once, and every process reads it: give a file")
            self.own.check(name)
        return self

    @property
    def own(self) -> Own:
        """How to read a file of the user's."""
        return Own(self.schema_file, self.label, self.node_column, self.test_file)

    @property
    def own_choices(self) -> dict[str, str]:
        """Of `OWN`, what is given."""
        return {name: value for name in OWN if (value := getattr(self, name)) is not None}
