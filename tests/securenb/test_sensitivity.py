"""No change of the data moves the statistics further than `cases` says, and some change moves them as far."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from securenb.feature import Binned, Categorical, Numeric
from securenb.records import Records
from securenb.schema import Schema
from securenb.sensitivity import ADJACENCIES, cases
from securenb.statistics import Statistics


def schema(centred):
    return Schema(
        ("a", "b", "c"),
        (
            Categorical("colour", ("x", "y", "z")),
            Numeric("size", 0, 1, steps=8, centred=centred),
            Binned("age", (0, 1, 2, 3)),
        ),
    )


RECORD = st.tuples(st.integers(0, 2), st.integers(0, 8), st.integers(0, 2), st.integers(0, 2))


def table(schema_, record):
    return Statistics.of(
        schema_, Records(np.array([record[:3]], dtype=np.int32), np.array([record[3]], dtype=np.int32))
    ).table


def moves(schema_, change):
    """Absolute changes that are not zero, by block."""
    return [sorted(abs(int(v)) for v in change[:, block.columns].ravel() if v) for block in schema_.blocks]


def covered(found, case, schema_):
    """Whether every block's moves are among those that the case allows."""
    allowed = {shift.block: [shift.by] * shift.times for shift in case}
    return all(
        len(moved) <= len(allowed.get(block, []))
        and all(a <= b for a, b in zip(moved, allowed.get(block, []), strict=False))
        for block, moved in zip(schema_.blocks, found, strict=True)
    )


@pytest.mark.parametrize("centred", [True, False])
@given(before=RECORD, after=RECORD)
def test_no_record_moves_the_statistics_further_than_derived(centred, before, after):
    s = schema(centred)
    added = moves(s, table(s, before))
    assert any(covered(added, case, s) for case in cases(s, "add-remove"))
    replaced = moves(s, table(s, after) - table(s, before))
    assert any(covered(replaced, case, s) for case in cases(s, "replace-one"))


@pytest.mark.parametrize("centred", [True, False])
def test_the_extreme_record_moves_every_block_as_far_as_derived(centred):
    s = schema(centred)
    found = moves(s, table(s, (0, 8, 2, 1)))
    assert found == [[shift.by] * shift.times for shift in cases(s, "add-remove")[0]]


def test_a_label_flip_moves_twice_as_much():
    s = schema(centred=True)
    found = moves(s, table(s, (0, 8, 2, 0)) - table(s, (0, 8, 2, 1)))
    assert found == [[shift.by] * shift.times for shift in cases(s, "replace-one")[0]]


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_a_node_of_many_records_moves_everything_as_many_times_as_far(adjacency):
    s = schema(centred=True)
    for one, many in zip(cases(s, adjacency), cases(s, adjacency, cap=5), strict=True):
        assert [5 * shift.by for shift in one] == [shift.by for shift in many]


def test_a_cap_of_nothing_and_an_unknown_adjacency_are_refused():
    with pytest.raises(ValueError, match="a cap of 0"):
        cases(schema(centred=True), "add-remove", cap=0)
    with pytest.raises(ValueError, match="got 'neighbours'"):
        cases(schema(centred=True), "neighbours")
