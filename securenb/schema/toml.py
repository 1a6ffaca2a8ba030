"""Schemas as plain values: in a model's JSON, or in a TOML file that a person writes."""

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from securenb.schema.feature import Binned, Categorical, Feature, MissingNumber, Numeric
from securenb.schema.schema import Schema


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Categorical(_Strict):
    kind: Literal["categorical"]
    name: str
    levels: tuple[str, ...]
    missing: str | None = None

    def feature(self) -> Feature:
        return Categorical(self.name, self.levels, self.missing)


class _Numeric(_Strict):
    kind: Literal["numeric"]
    name: str
    lower: float
    upper: float
    steps: int = 64
    edges: tuple[float, ...] | None = None
    centred: bool = True
    missing: MissingNumber = None

    def feature(self) -> Feature:
        return Numeric(self.name, self.lower, self.upper, self.steps, self.edges, self.centred, self.missing)


class _Binned(_Strict):
    kind: Literal["binned"]
    name: str
    edges: tuple[float, ...]
    missing: MissingNumber = None

    def feature(self) -> Feature:
        return Binned(self.name, self.edges, self.missing)


class _Schema(_Strict):
    label: str
    classes: tuple[str, ...]
    missing: tuple[str, ...] = ()
    features: tuple[Annotated[_Categorical | _Numeric | _Binned, Field(discriminator="kind")], ...]


_KINDS: dict[type, type[_Strict]] = {Categorical: _Categorical, Numeric: _Numeric, Binned: _Binned}


def schema_to_dict(schema: Schema) -> dict[str, Any]:
    """Plain JSON and TOML values."""
    features = []
    for feature in schema.features:
        model = _KINDS[type(feature)]
        kind = model.model_fields["kind"].annotation.__args__[0]  # type: ignore[union-attr]
        entry = model.model_validate({"kind": kind, **vars(feature)})
        features.append(entry.model_dump(mode="json", exclude_none=True))
    spellings = {"missing": list(schema.missing)} if schema.missing else {}
    return {"label": schema.label, "classes": list(schema.classes), **spellings, "features": features}


def schema_from_dict(data: Any) -> Schema:
    """Inverse of `schema_to_dict`; a `ValueError` that names the place for anything else."""
    try:
        parsed = _Schema.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "top level"
        raise ValueError(f"schema, {where}: {first['msg']}") from None
    features = tuple(feature.feature() for feature in parsed.features)
    return Schema(parsed.classes, features, parsed.label, parsed.missing)


def read_schema(path: Path) -> Schema:
    """The schema in a TOML file; a `ValueError` that names the file if it is none."""
    try:
        return schema_from_dict(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None
