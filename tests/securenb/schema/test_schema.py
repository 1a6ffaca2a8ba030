"""The public description: layout, digest, and what does not fit it."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from securenb.schema.features import Binned, Categorical, Numeric
from securenb.schema.records import UNKNOWN, Records
from securenb.schema.schema import Schema

COLOUR = Categorical("colour", ("red", "green", "?"), missing="?")
HEIGHT = Numeric("height", 0, 2, steps=8, edges=(0, 0.5, 1, 2))
WEIGHT = Numeric("weight", 0, 100, steps=10, centred=False)
SCHEMA = Schema(classes=("no", "yes"), features=(COLOUR, HEIGHT, WEIGHT), label="ripe")
FRAME = pd.DataFrame(
    {
        "weight": [5, 200, 50],
        "ripe": [" yes", "no", "no"],
        "colour": ["red", None, "green"],
        "height": [2, 1, 0],
        "unused": ["a", "b", "c"],
    }
)


def test_blocks_follow_each_other_and_fill_the_table():
    assert [(block.kind, block.feature, block.start, block.stop, block.reach) for block in SCHEMA.blocks] == [
        ("count", -1, 0, 1, 1),
        ("levels", 0, 1, 4, 1),
        ("sum", 1, 4, 5, 4),
        ("squares", 1, 5, 6, 8),
        ("sum", 2, 6, 7, 10),
        ("squares", 2, 7, 8, 100),
    ]
    assert (SCHEMA.width, SCHEMA.length, SCHEMA.reach) == (8, 16, 100)


def test_records_are_encoded_by_column_name():
    records = SCHEMA.records(FRAME)
    assert records.codes.tolist() == [[0, 8, 0], [2, 4, 10], [1, 0, 5]]
    assert records.labels.tolist() == [1, 0, 0]
    assert records.codes.dtype == records.labels.dtype == np.int32


def test_for_prediction_what_is_unknown_is_marked():
    frame = FRAME.assign(colour=["red", "blue", None], height=[None, 1, 2]).drop(columns="ripe")
    assert SCHEMA.encode(frame).tolist() == [[0, UNKNOWN, 0], [UNKNOWN, 4, 10], [2, 8, 5]]


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("colour", ["red", "blue", "red"], "row 2, column 'colour': 'blue'"),
        ("height", [0, 1, None], "row 3, column 'height': ''"),
        ("ripe", ["maybe", "no", "no"], "row 1, column 'ripe': 'maybe'"),
        ("ripe", [None, "no", "no"], "row 1, column 'ripe'"),
    ],
)
def test_records_that_do_not_fit_are_refused_by_row_column_and_value(column, values, message):
    with pytest.raises(ValueError, match=message):
        SCHEMA.records(FRAME.assign(**{column: values}))


def test_missing_columns_are_named():
    with pytest.raises(ValueError, match="missing columns 'colour', 'ripe'"):
        SCHEMA.records(FRAME.drop(columns=["colour", "ripe"]))
    with pytest.raises(ValueError, match="missing column 'weight'"):
        SCHEMA.encode(FRAME.drop(columns=["weight"]))


def test_no_records_are_records_too():
    records = SCHEMA.records(FRAME.iloc[:0])
    assert records.codes.shape == (0, 3)
    assert len(records) == 0


@pytest.mark.parametrize(
    ("classes", "features", "label"),
    [
        (("no",), (COLOUR,), "ripe"),
        (("no", "no"), (COLOUR,), "ripe"),
        (("no", "yes"), (), "ripe"),
        (("no", "yes"), (COLOUR, COLOUR), "ripe"),
        (("no", "yes"), (COLOUR,), "colour"),
    ],
)
def test_impossible_schemas_are_refused(classes, features, label):
    with pytest.raises(ValueError, match="needs"):
        Schema(classes=classes, features=features, label=label)


def test_the_digest_changes_with_everything_that_matters():
    renamed = Categorical("hue", COLOUR.levels, missing="?")
    others = [
        dataclasses.replace(SCHEMA, classes=("yes", "no")),
        dataclasses.replace(SCHEMA, label="eaten"),
        dataclasses.replace(SCHEMA, features=(HEIGHT, COLOUR, WEIGHT)),
        dataclasses.replace(SCHEMA, features=(renamed, HEIGHT, WEIGHT)),
        dataclasses.replace(SCHEMA, features=(dataclasses.replace(COLOUR, missing=None), HEIGHT, WEIGHT)),
        dataclasses.replace(SCHEMA, features=(COLOUR, dataclasses.replace(HEIGHT, steps=16), WEIGHT)),
        dataclasses.replace(SCHEMA, features=(COLOUR, dataclasses.replace(HEIGHT, upper=3), WEIGHT)),
        dataclasses.replace(SCHEMA, features=(COLOUR, dataclasses.replace(HEIGHT, centred=False), WEIGHT)),
        dataclasses.replace(SCHEMA, features=(COLOUR, Binned("height", (0, 1, 2)), WEIGHT)),
    ]
    digests = [schema.digest for schema in (SCHEMA, *others)]
    assert len(set(digests)) == len(digests)
    assert all(len(digest) == 32 for digest in digests)


def test_the_digest_is_the_same_for_the_same_schema_and_of_no_account_whole_numbers():
    assert dataclasses.replace(SCHEMA).digest == SCHEMA.digest
    floats = dataclasses.replace(HEIGHT, lower=0.0, upper=2.0)
    assert dataclasses.replace(SCHEMA, features=(COLOUR, floats, WEIGHT)).digest == SCHEMA.digest


def test_a_histogram_schema_counts_numbers_in_their_public_bins():
    schema = dataclasses.replace(SCHEMA, features=(COLOUR, HEIGHT)).histogram()
    assert schema.features == (COLOUR, Binned("height", (0, 0.5, 1, 2)))
    assert schema.records(FRAME).codes.tolist() == [[0, 2], [2, 2], [1, 0]]
    assert schema.histogram() == schema


def test_a_number_without_edges_cannot_be_a_histogram():
    with pytest.raises(ValueError, match="weight has no public edges"):
        SCHEMA.histogram()


def test_codes_and_labels_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="do not belong together"):
        Records(np.zeros((3, 2), dtype=np.int32), np.zeros(2, dtype=np.int32))
