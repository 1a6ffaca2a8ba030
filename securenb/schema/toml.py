"""Schemas as plain values: in a model's JSON, or in a TOML file that a person writes."""

import dataclasses
import tomllib
from functools import cache, reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from securenb.schema.feature import FEATURES, Feature
from securenb.schema.schema import Schema


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


@cache
def _entry(cls: type[Feature], kind: str) -> type[_Strict]:
    """What a file may say of a feature: its kind, and the fields of its class."""
    hints = get_type_hints(cls)
    fields: dict[str, Any] = {
        field.name: (hints[field.name], ... if field.default is dataclasses.MISSING else field.default)
        for field in dataclasses.fields(cls)  # type: ignore[arg-type] # features are dataclasses
    }
    fields["kind"] = (Literal[kind], ...)
    return create_model(f"_{cls.__name__}", __base__=_Strict, **fields)


def _schema(kinds: dict[str, type[_Strict]]) -> type[BaseModel]:
    """What a file must say."""
    entries: Any = reduce(or_, kinds.values())
    fields: dict[str, Any] = {
        "label": (str, ...),
        "classes": (tuple[str, ...], ...),
        "missing": (tuple[str, ...], ()),
        "features": (tuple[Annotated[entries, Field(discriminator="kind")], ...], ...),
    }
    return create_model("_Schema", __base__=_Strict, **fields)


def schema_to_dict(schema: Schema) -> dict[str, Any]:
    """Plain JSON and TOML values."""
    features = []
    for feature in schema.features:
        fields = {field.name: getattr(feature, field.name) for field in dataclasses.fields(feature)}  # type: ignore[arg-type]
        entry = _entry(type(feature), feature.kind).model_validate({"kind": feature.kind, **fields})
        features.append(entry.model_dump(mode="json", exclude_none=True))
    spellings = {"missing": list(schema.missing)} if schema.missing else {}
    return {"label": schema.label, "classes": list(schema.classes), **spellings, "features": features}


def schema_from_dict(data: Any) -> Schema:
    """Inverse of `schema_to_dict`; a `ValueError` that names the place for anything else."""
    kinds = {name: _entry(FEATURES[name], name) for name in FEATURES}
    try:
        parsed: Any = _schema(kinds).model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "top level"
        raise ValueError(f"schema, {where}: {first['msg']}") from None
    features = []
    for entry in parsed.features:
        fields = {name: getattr(entry, name) for name in type(entry).model_fields if name != "kind"}
        features.append(FEATURES[entry.kind](**fields))
    return Schema(parsed.classes, tuple(features), parsed.label, parsed.missing)


def read_schema(path: Path) -> Schema:
    """The schema in a TOML file; a `ValueError` that names the file if it is none."""
    try:
        return schema_from_dict(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    except ValueError as error:  # what is not UTF-8 is one
        raise ValueError(f"{path}: {error}") from None
