"""Records as the paper uses them: real numbers as they come, and the split of the paper's authors."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from securenb.bayes.parameters import Floats
from securenb.data.dataset import DATASETS
from securenb.schema.feature import Evidence
from securenb.schema.features import Categorical, Numeric
from securenb.schema.features.numeric import gaussian_evidence
from securenb.schema.levelled import Levelled
from securenb.schema.records import Records
from securenb.schema.schema import Schema

Mode = Literal["as-published", "corrected"]
"""What the authors' code does; or public bounds, noise in every cell, clamping only what was opened."""

MODES: tuple[Mode, ...] = get_args(Mode)

PAPER_DATASETS = ("accelerometer", "adult", "votes", "mushroom", "skin", "spect")
"""The six data sets of the paper's Table 2."""


@dataclass(frozen=True, eq=False)
class RawRecords:
    """Records whose numbers are not on a grid.

    Attributes
    ----------
    values
        The numeric features, in the schema's order, shape (n, numeric), float64.
    cells
        The column of the statistics table that each categorical feature's level counts in, shape
        (n, categorical), int64.
    labels
        Class indices, shape (n,), int32.
    """

    values: Floats
    cells: NDArray[np.int64]
    labels: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: NDArray[np.int64] | NDArray[np.bool_] | slice) -> "RawRecords":
        """Some of the records, by position or mask."""
        return RawRecords(self.values[index], self.cells[index], self.labels[index])

    @classmethod
    def of(cls, schema: Schema, frame: pd.DataFrame) -> "RawRecords":
        """The records of a table.

        Raises
        ------
        ValueError
            As `Schema.records`, or for a feature that the paper does not have, naming it.
        """
        coded = schema.records(frame)
        for feature in schema.features:
            if not isinstance(feature, Numeric | Levelled):
                raise ValueError(  # noqa: TRY004 - a schema that does not fit, not a wrong type
                    f"feature {feature.name!r} is of the kind {feature.kind!r}, and the paper has only "
                    "numbers and levels"
                )
        numeric = [feature.name for feature in schema.features if isinstance(feature, Numeric)]
        levels = levelled(schema)
        starts = np.array([schema.columns[index].start for index in levels], dtype=np.int64)
        cells = coded.codes[:, levels].astype(np.int64) + starts
        return cls(frame[numeric].to_numpy(dtype=np.float64), cells, coded.labels)

    def evidence(self, schema: Schema) -> list[Evidence]:
        """What each feature says of the records, see `securenb.experiments.montecarlo.Scorer`."""
        levels = levelled(schema)
        found: list[Evidence] = []
        for index, (feature, columns) in enumerate(zip(schema.features, schema.columns, strict=True)):
            if index in levels:
                cells = self.cells[:, levels.index(index)] - columns.start
                found.append(feature.evidence(cells.astype(np.int32)))
            else:
                found.append(gaussian_evidence(self.values[:, index - sum(at < index for at in levels)]))
        return found


def levelled(schema: Schema) -> list[int]:
    """The indices of the features with levels; the others are numbers."""
    return [index for index, feature in enumerate(schema.features) if feature.partition]


@dataclass(frozen=True, eq=False)
class PaperData:
    """One data set of the paper, split as its authors did.

    Attributes
    ----------
    name
        Of the data set.
    schema
        Classes, features and levels. As published only the levels and the order of features matter:
        bounds and grid are ours.
    train, test
        Raw.
    coded_train, coded_test
        The same records on the schema's grid.
    """

    name: str
    schema: Schema
    train: RawRecords
    test: RawRecords
    coded_train: Records
    coded_test: Records


@cache
def load_paper_data(
    name: str, mode: Mode, *, numeric: Literal["gaussian", "histogram"] = "gaussian"
) -> PaperData:
    """A data set as the paper's experiments use it.

    Where a data set comes without a split the authors shuffle it with pandas and seed 42, and train on
    the first nine tenths, rounded down. Their loader of SPECT, as published, drops the diagnosis and
    takes the last feature for the label.

    Raises
    ------
    DatasetUnavailable
        If its files are nowhere to be had.
    ValueError
        If it is not one of the paper's.
    """
    if name not in PAPER_DATASETS:
        raise ValueError(f"{name!r} is not a data set of the paper; those are {', '.join(PAPER_DATASETS)}")
    source = DATASETS[name]()
    schema = source.schema if numeric == "gaussian" else source.schema.histogram()
    if name == "spect" and mode == "as-published":
        schema = _last_feature_as_label(schema)
    tables = source.read()
    if len(tables) == 1:
        shuffled = tables[0].sample(frac=1, random_state=42)
        cut = int(len(shuffled) * 0.9)
        tables = [shuffled.iloc[:cut], shuffled.iloc[cut:]]
    raw = [RawRecords.of(schema, table) for table in tables]
    coded = [schema.records(table) for table in tables]
    return PaperData(name, schema, raw[0], raw[1], coded[0], coded[1])


def _last_feature_as_label(schema: Schema) -> Schema:
    last = schema.features[-1]
    assert isinstance(last, Categorical)
    return replace(schema, classes=last.levels, features=schema.features[:-1], label=last.name)
