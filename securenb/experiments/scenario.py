"""One frozen description of an experiment: everything needed to run it again."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from pydantic import field_validator, model_validator

from securenb.data.dataset import Dataset, spell_dataset
from securenb.data.node import Node
from securenb.data.own import Own, is_file
from securenb.data.partition import Sizes
from securenb.experiments.choices import Choices
from securenb.experiments.declare import choice
from securenb.federation.federation import Federation
from securenb.schema.records import Records


class Scenario(Choices):
    """A data set dealt to nodes, and the choices of one round.

    Attributes
    ----------
    dataset
        A name in the catalogue, an object, or the path of a file; then `schema_file`, and if needed `label`,
        `node_column` and `test_file`, say how to read it, see `securenb.data.own.load_file`.
    nodes
        How many nodes the training records are dealt to; not needed where a column names them.
    sizes, label_skew
        How they are dealt, see `securenb.data.partition.deal`.
    numeric
        Numbers as Gaussians, or as histograms over public edges.
    trusted_records
        How many training records are public, for rules that need a reference.
    split
        Whether nodes above `record_cap` may submit in several parts, see `securenb.federation.submissions`:
        the registry allows them as many as their records take, which makes their sizes public to so far.
    """

    dataset: str = choice("A data set (`securenb list datasets`), or your own file.")
    nodes: int | None = choice("How many nodes the training records are dealt to.", None, ge=2)
    schema_file: str | None = choice("The schema of your file, in TOML.", None, option="schema")
    label: str | None = choice("Your file's label column, if not the schema's.", None)
    node_column: str | None = choice("Your file's column that names the node of each record.", None)
    test_file: str | None = choice("A file to be judged on; else 1 row in 10.", None, option="test")
    sizes: Sizes = choice("Records a node: equal, uniform or exponential.", "equal")
    label_skew: float | None = choice(
        "Dirichlet parameter of labels over nodes, small is skewed; `none` for labels alike everywhere.",
        None, word="none", gt=0, allow_inf_nan=False,
    )  # fmt: skip
    numeric: Literal["gaussian", "histogram"] = choice("Numbers as `gaussian` or `histogram`.", "gaussian")
    trusted_records: int = choice("Training records that are public, for rules that need some.", 100, ge=1)
    split: bool = choice("Nodes above the cap submit several times, as one identity.", default=False)

    @field_validator("dataset", mode="before")
    @classmethod
    def _dataset(cls, value: Any) -> str:
        return value if isinstance(value, str) and is_file(value) else spell_dataset(value)

    @model_validator(mode="after")
    def _complete(self) -> "Scenario":
        self.own.check(self.dataset)
        if self.node_column is None and self.nodes is None:
            raise ValueError("nodes is missing: how many nodes the records are dealt to")
        if self.node_column is not None and self.nodes is not None:
            raise ValueError(f"nodes {self.nodes}: column {self.node_column!r} says already who they are")
        return self

    def load(self, progress: Callable[[int], None] = lambda _: None) -> Dataset:
        """The data set; its split does not depend on the seed.

        Parameters
        ----------
        progress
            Called with the rows read so far, for a file of the user's.
        """
        return self.own.load(self.dataset, self.numeric, progress)

    @property
    def own(self) -> Own:
        """How to read a file of the user's."""
        return Own(self.schema_file, self.label, self.node_column, self.test_file)

    def deal(self, data: Dataset) -> list[Node]:
        """See `securenb.data.dataset.Dataset.deal`."""
        return data.deal(self.nodes, sizes=self.sizes, label_skew=self.label_skew, seed=self.seed)

    def reference(self, data: Dataset) -> Records:
        """Training records that their nodes made public; any party may use them, none is for testing."""
        chosen = self.streams.rng("reference").permutation(len(data.train))[: self.trusted_records]
        return data.train[np.sort(chosen)]

    def federation(self, data: Dataset) -> Federation:
        """The federation of the scenario."""
        return self.federation_over(
            data.schema, self.reference(data), self._submissions(data), len(self.deal(data))
        )

    def _submissions(self, data: Dataset) -> dict[str, int]:
        """How many submissions each node larger than the cap may make."""
        if not self.split:
            return {}
        if self.record_cap is None:
            raise ValueError("nodes split at the record cap: split needs record_cap")
        needed = {node.id: -(-len(node.records) // self.record_cap) for node in self.deal(data)}
        return {node: count for node, count in needed.items() if count > 1}
