"""Naive Bayes with fixed parameters: it predicts, and has no way to be fitted."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from securenb._html import html_table
from securenb.bayes.parameters import Floats, Parameters
from securenb.bayes.pooled import Pooled
from securenb.schema.cells import Codes
from securenb.schema.records import UNKNOWN, Records
from securenb.schema.schema import Schema
from securenb.schema.toml import schema_from_dict, schema_to_dict

FORMAT = "securenb model 1"


class NaiveBayes:
    """Categorical, binned and Gaussian features side by side, independent given the class.

    A value that the schema does not have (`UNKNOWN`) says nothing about the class: its feature is left
    out for that record. Numbers outside the bounds count as the nearest bound.

    Parameters
    ----------
    parameters
        Of one row: a table of shape (C, width).
    pooled
        The sums that they are the estimate of, where there are such: the model can then be certified.
    """

    def __init__(self, parameters: Parameters, pooled: Pooled | None = None) -> None:
        schema = parameters.schema
        if parameters.table.shape != (len(schema.classes), schema.width):
            raise ValueError(f"a model needs the parameters of one row, got shape {parameters.table.shape}")
        if not np.isfinite(parameters.table).all():
            raise ValueError("a model's parameters must be finite")
        if pooled is not None and not np.array_equal(pooled.parameters().table, parameters.table):
            raise ValueError("these parameters are not the estimate of these sums")
        self.parameters = parameters
        self.pooled = pooled
        self.schema: Schema = schema

    def log_joint(self, codes: Codes) -> Floats:
        """Log of p(class, features), up to the grid's constant, shape (n, C), for codes (n, F)."""
        return log_joint(self.schema, self.parameters.table, codes)

    def predict_codes(self, codes: Codes) -> NDArray[np.int64]:
        """Class indices, shape (n,); the first class on ties."""
        best: NDArray[np.int64] = np.argmax(self.log_joint(codes), axis=1)
        return best

    def predict(self, frame: pd.DataFrame, *, ignore_unknown: bool = False) -> NDArray[np.str_]:
        """Class names for a table with the schema's columns, shape (n,).

        A missing cell says nothing, and the prediction rests on the others.

        Parameters
        ----------
        ignore_unknown
            Take what the schema does not have for missing, cell by cell.

        Raises
        ------
        ValueError
            If a column is missing, or a cell has a value and none of the schema's, naming row and column.
        """
        return np.asarray(self.schema.classes)[self.predict_codes(self._codes(frame, ignore_unknown))]

    def predict_proba(self, frame: pd.DataFrame, *, ignore_unknown: bool = False) -> Floats:
        """Class probabilities, shape (n, C); parameters and errors as of `predict`."""
        return self.proba_of_codes(self._codes(frame, ignore_unknown))

    def _codes(self, frame: pd.DataFrame, ignore_unknown: bool) -> Codes:  # noqa: FBT001
        codes = self.schema.encode(frame)
        if not ignore_unknown:
            self.schema.refuse_values(frame, codes)
        return codes

    def proba_of_codes(self, codes: Codes) -> Floats:
        """Class probabilities, shape (n, C), for codes (n, F)."""
        joint = self.log_joint(codes)
        joint -= joint.max(axis=1, keepdims=True)
        weights = np.exp(joint)
        shares: Floats = weights / weights.sum(axis=1, keepdims=True)
        return shares

    def score(self, records: Records) -> float:
        """Accuracy: the share of records whose class is predicted."""
        return float(np.mean(self.predict_codes(records.codes) == records.labels))

    def balanced_score(self, records: Records) -> float:
        """Balanced accuracy: the mean, over the classes present, of the share predicted in each."""
        return balanced_accuracy(records.labels, self.predict_codes(records.codes))

    def __repr__(self) -> str:
        width = len(self.schema.features)
        return f"<NaiveBayes: {self.schema.label} from {width} features, {len(self.schema.classes)} classes>"

    def _repr_html_(self) -> str:
        """What the model expects of each feature in each class: the likeliest level, or mean ± deviation."""
        table = self.parameters.table
        lines = [["share of records", *(f"{share:.3f}" for share in table[:, 0])]]
        for feature, columns in zip(self.schema.features, self.schema.columns, strict=True):
            lines.append([feature.name, *feature.describe(table[:, columns])])
        caption = "Naive Bayes: the likeliest level and its probability, or mean ± standard deviation"
        return html_table(caption, [self.schema.label, *self.schema.classes], lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything needed to predict and to certify elsewhere, as plain JSON values.

        The sums, where there are some, are what the round opened: as public as its model.
        """
        return {
            "format": FORMAT,
            "schema": schema_to_dict(self.schema),
            "parameters": self.parameters.table.tolist(),
            "defined": self.parameters.defined.tolist(),
            **({} if self.pooled is None else {"pooled": self.pooled.to_dict()}),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "NaiveBayes":
        """Inverse of `to_dict`, also for models that vote; `ValueError` for anything else."""
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ValueError(f"not a model: expected format {FORMAT!r}")
        schema = schema_from_dict(data["schema"])
        table = np.asarray(data["parameters"], dtype=np.float64)
        parameters = Parameters(schema, table, np.asarray(data["defined"], dtype=np.bool_))
        if "staircase" in data:
            from securenb.bayes.staircase.model import StaircaseModel  # which is a model itself

            return StaircaseModel.from_votes(schema, data["staircase"])
        if table.ndim > 2:
            from securenb.bayes.voting import Voting  # which is a model itself

            return Voting(parameters)
        pooled = Pooled.from_dict(schema, data["pooled"]) if "pooled" in data else None
        return cls(parameters, pooled)

    def save(self, path: Path) -> None:
        """Write the model as JSON, in a format that names its version."""
        path.write_text(json.dumps(self.to_dict()) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> "NaiveBayes":
        """Inverse of `save`; a `ValueError` that names the file if it is no model of this version."""
        try:
            return cls.from_dict(json.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise ValueError(f"{path}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}: {error}") from None


def log_joint(schema: Schema, table: Floats, codes: Codes) -> Floats:
    """Log of p(class, features) for codes (n, F) under each line of a table (k, width), shape (n, k)."""
    result = np.tile(np.log(table[:, 0]), (len(codes), 1))
    for feature, columns, column in zip(schema.features, schema.columns, codes.T, strict=True):
        known = (column != UNKNOWN)[:, None]
        scores = feature.log_density(table[:, columns], np.where(known, column[:, None], 0))
        result += np.where(known, scores, 0.0)
    return result


def balanced_accuracy(truth: NDArray[np.int32], predicted: NDArray[np.int64]) -> float:
    """Mean recall over the classes that occur in `truth`."""
    recalls: Sequence[float] = [float(np.mean(predicted[truth == c] == c)) for c in np.unique(truth)]
    return float(np.mean(recalls))
