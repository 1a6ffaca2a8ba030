"""One frozen description of an experiment: everything needed to run it again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from protocols.protocol import PROTOCOLS
from securenb.dataset import DATASETS, Dataset, load_dataset
from securenb.federation import RECORD_CAP, Federation
from securenb.mechanism import MECHANISMS, Mechanism, exact
from securenb.mechanisms.none import NoNoise
from securenb.node import Node
from securenb.own_data import SUFFIX, load_csv
from securenb.partition import Sizes, deal, gather
from securenb.records import Records
from securenb.rule import Rule
from securenb.rule_choice import choose_rule
from securenb.schema import Schema
from securenb.streams import Streams
from securenb.verified import VerifiedFederation

NO_EPSILON = "none"
"""What a person writes for epsilon to get no noise, knowingly."""


class Scenario(BaseModel):
    """A data set dealt to nodes, and the choices of one round.

    Attributes
    ----------
    dataset
        A name in the catalogue, or the path of a CSV file; then `schema_file`, and if needed `label`,
        `node_column` and `test_file`, say how to read it, see `securenb.own_data.load_csv`.
    protocol, mechanism
        Names in their catalogues.
    rule
        See `securenb.rule_choice.choose_rule`.
    nodes
        How many nodes the training records are dealt to; not needed where a column names them.
    sizes, label_skew
        How they are dealt, see `securenb.partition.deal`.
    numeric
        Numbers as Gaussians, or as histograms over public edges.
    epsilon
        What one opened row costs a record under add/remove; ``"none"`` for no noise.
    delta
        What epsilon holds up to, for mechanisms that need one.
    group_size, colluding
        See `securenb.federation.Federation`.
    malicious_bound
        The most nodes that may be malicious, `malicious` of `securenb.federation.Federation`.
    trusted_records
        How many training records are public, for rules that need a reference.
    threshold
        See `protocols.protocol.Protocol`.
    record_cap
        The most records that a node may hold; under the protocol `verified`, that it proves to hold at
        most, see `securenb.verified.VerifiedFederation`.
    seed
        Makes it a simulation; `None` uses the operating system's entropy for noise and keys.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    dataset: str
    nodes: int | None = Field(default=None, ge=2)
    schema_file: str | None = None
    label: str | None = None
    node_column: str | None = None
    test_file: str | None = None
    protocol: str
    epsilon: str
    delta: float | None = None
    mechanism: str = "discrete_laplace"
    rule: str = "sum"
    sizes: Sizes = "equal"
    label_skew: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    numeric: Literal["gaussian", "histogram"] = "gaussian"
    group_size: int | None = Field(default=None, ge=1)
    threshold: int | None = Field(default=None, ge=1)
    colluding: int = Field(default=0, ge=0)
    malicious_bound: int = Field(default=0, ge=0)
    trusted_records: int = Field(default=100, ge=1)
    record_cap: int | None = Field(default=None, ge=1)
    seed: int | None = Field(default=None, ge=0)

    @field_validator("epsilon", mode="before")
    @classmethod
    def _epsilon(cls, value: Any) -> str:
        text = str(value)
        if text != NO_EPSILON:
            exact(text)
        return text

    @field_validator("rule")
    @classmethod
    def _rule(cls, value: str) -> str:
        choose_rule(value)
        return value

    @field_validator("dataset", "protocol", "mechanism")
    @classmethod
    def _known(cls, value: str, info: Any) -> str:
        catalogue: Any = {
            "dataset": DATASETS, "protocol": PROTOCOLS, "mechanism": MECHANISMS
        }[info.field_name]  # fmt: skip
        if value not in catalogue and not (info.field_name == "dataset" and value.endswith(SUFFIX)):
            catalogue[value]  # raises, with the names that are known
        return value

    @model_validator(mode="after")
    def _complete(self) -> "Scenario":
        own = self.dataset.endswith(SUFFIX)
        extra = [name for name in ("schema_file", "label", "node_column", "test_file") if getattr(self, name)]
        if own and self.schema_file is None:
            raise ValueError(f"{self.dataset} needs a schema file (--schema)")
        if extra and not own:
            raise ValueError(f"{extra[0]} goes with a CSV file, and {self.dataset!r} is none")
        if self.node_column is None and self.nodes is None:
            raise ValueError("nodes is missing: how many nodes the records are dealt to")
        if self.node_column is not None and self.nodes is not None:
            raise ValueError(f"nodes {self.nodes}: column {self.node_column!r} says already who they are")
        return self

    @classmethod
    def checked(cls, **choices: Any) -> "Scenario":
        """A scenario, or a one-line `ValueError` that names the choice and what it should be."""
        try:
            return cls(**choices)
        except ValidationError as error:
            first = error.errors()[0]
            name = "_".join(str(part) for part in first["loc"])
            message = first["msg"].removeprefix("Value error, ")
            if first["type"] == "value_error":
                raise ValueError(message) from None
            raise ValueError(f"{name}: {message}, got {first['input']!r}") from None

    @property
    def streams(self) -> Streams:
        """The scenario's randomness."""
        return Streams(self.seed)

    def load(self, progress: Callable[[int], None] = lambda _: None) -> Dataset:
        """The data set; its split does not depend on the seed.

        Parameters
        ----------
        progress
            Called with the rows read so far, for a file of the user's.
        """
        if not self.dataset.endswith(SUFFIX):
            return load_dataset(self.dataset, numeric=self.numeric)
        assert self.schema_file is not None
        return load_csv(
            Path(self.dataset),
            Path(self.schema_file),
            label=self.label,
            node_column=self.node_column,
            test_path=None if self.test_file is None else Path(self.test_file),
            numeric=self.numeric,
            progress=progress,
        )

    def deal(self, data: Dataset) -> list[Node]:
        """The training records, at the nodes that hold them or dealt to as many as asked for."""
        if data.holders is not None:
            return gather(data.train, data.holders)
        assert self.nodes is not None
        return deal(
            data.train,
            len(data.schema.classes),
            self.nodes,
            sizes=self.sizes,
            label_skew=self.label_skew,
            rng=self.streams.rng("deal"),
        )

    def noise(self) -> Mechanism:
        """The mechanism with its epsilon."""
        return (
            NoNoise()
            if self.epsilon == NO_EPSILON
            else MECHANISMS[self.mechanism].from_epsilon(self.epsilon, self.delta)
        )

    def reference(self, data: Dataset) -> Records:
        """Training records that their nodes made public; everybody may use them, none is for testing."""
        chosen = self.streams.rng("reference").permutation(len(data.train))[: self.trusted_records]
        return data.train[np.sort(chosen)]

    def federation(self, data: Dataset) -> Federation:
        """The round's choices."""
        return self.rounds_of(data.schema, choose_rule(self.rule, reference=self.reference(data)))

    def rounds_of(self, schema: Schema, rule: Rule) -> Federation:
        """The choices of a round on records of this schema, wherever they are."""
        proven = self.record_cap is not None and self.protocol == "verified"
        return (VerifiedFederation if proven else Federation)(
            schema=schema,
            protocol=PROTOCOLS[self.protocol](self.threshold),
            mechanism=self.noise(),
            rule=rule,
            group_size=self.group_size,
            colluding=self.colluding,
            record_cap=RECORD_CAP if self.record_cap is None else self.record_cap,
            malicious=self.malicious_bound,
            seed=self.seed,
        )
