"""What is known, and feared, before a round."""

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator, model_validator

from securenb.experiments.checked import checked
from securenb.experiments.choices import Choices
from securenb.experiments.declare import choice, like, unworded

Server = Literal["semi-honest", "malicious"]


class Wishes(BaseModel):
    """The question that `attacks.planning.answer.answer` answers.

    Attributes
    ----------
    dataset
        A data set of the catalogue, which is public; or the path of a schema in TOML.
    nodes
        How many.
    epsilon, delta
        What one opened row may cost a record under add/remove.
    records
        The mean number of records of a node.
    public
        Public records of the same kind, on which accuracy is foretold; nothing else is ever read.
    malicious
        The largest fraction of the nodes that may lie, at most the half.
    server
        Whether the aggregator keeps to the protocol.
    colluding
        How many nodes may tell the aggregator what they know.
    silent
        The largest fraction of the nodes that may fall silent.
    latency
        Of one message, in milliseconds.
    trials
        Rounds that each foretold figure rests on.
    seed
        Decides everything; a rerun is identical.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    dataset: str = choice("A data set (`securenb list datasets`), or a schema file in TOML.")
    nodes: int = choice("How many nodes there will be.", ge=3)
    epsilon: str = like(Choices, "epsilon")
    delta: float | None = like(Choices, "delta", None, gt=0, lt=1)
    records: int | None = choice("Records of a node, in the mean; for a schema.", None, ge=1)
    public: str | None = choice("A file of public records of the same kind, for a schema.", None)
    malicious: float = choice("The largest fraction of nodes that may lie.", 0.0, ge=0, lt=0.5)
    server: Server = choice("Whether the aggregator may break the protocol.", "malicious")
    colluding: int = choice("Nodes that may tell the aggregator what they know.", 1, ge=0)
    silent: float = choice("The largest fraction of nodes that may fall silent.", 0.1, ge=0, lt=0.5)
    latency: float = choice("Of one message, in milliseconds.", 50.0, ge=0, allow_inf_nan=False)
    trials: int = choice("Rounds that each foretold figure rests on.", 6, ge=3, le=1000)
    seed: int = choice("Decides everything; a rerun is identical.", 7, ge=0)

    @field_validator("*", mode="before")
    @classmethod
    def _unworded(cls, value: Any, info: ValidationInfo) -> Any:
        return unworded(cls, info.field_name, value)

    @field_validator("epsilon", mode="before")
    @classmethod
    def _epsilon(cls, value: Any) -> str:
        return Choices.checked(protocol="ideal", epsilon=value).epsilon

    @model_validator(mode="after")
    def _together(self) -> Self:
        if self.schema_path is None:
            for name in ("public", "records"):
                if getattr(self, name) is not None:
                    raise ValueError(
                        f"{name} goes with a schema file; all records of {self.dataset!r} are public"
                    )
        elif self.records is None:
            raise ValueError(
                "records is missing: how many a node holds in the mean, which a schema cannot say"
            )
        if self.colluding >= self.nodes - 1:
            raise ValueError(
                f"colluding {self.colluding} of {self.nodes} nodes: no sum hides one node from all others; "
                f"at most {self.nodes - 2}"
            )
        return self

    @classmethod
    def checked(cls, **wishes: Any) -> Self:
        """The wishes, or a one-line `ValueError` that names the wrong one and what it should be."""
        return checked(cls, **wishes)

    @property
    def schema_path(self) -> Path | None:
        """The schema's file, if it is not a data set of the catalogue."""
        return Path(self.dataset) if self.dataset.endswith(".toml") else None

    @property
    def liars(self) -> int:
        """How many nodes may lie: no more than the fraction."""
        return int(self.malicious * self.nodes + 1e-9)
