"""No change of the data moves the statistics further than `cases` says, and some change moves them as far."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from securenb.data.partition import deal_vertical
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.sensitivity import ADJACENCIES, Jump, cases
from securenb.schema.features import Binned, Categorical, Numeric
from securenb.schema.jumps import MOST_OPTIONS, jumps
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics


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


def fixed(case):
    """All the ways in which a case may turn out, without jumps."""
    options = [part.options if isinstance(part, Jump) else ((part,),) for part in case]
    return [[shift for shifts in choice for shift in shifts] for choice in itertools.product(*options)]


def covered(found, case, schema_):
    """Whether every block's moves are among those that the case allows, however it turns out."""
    return any(_covered(found, choice, schema_) for choice in fixed(case))


def _covered(found, shifts, schema_):
    allowed = {shift.block: [shift.by] * shift.times for shift in shifts}
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
        furthest = {}
        for shifts in fixed(one):
            for shift in shifts:
                furthest[shift.block] = max(furthest.get(shift.block, 0), 5 * shift.by)
        assert furthest == {shift.block: shift.by for shift in many}


@given(lower=st.integers(-40, 0), upper=st.integers(1, 40))
def test_jumps_are_those_of_real_pairs_of_grid_points_and_none_is_forgotten(lower, upper):
    points = range(lower, upper + 1)
    real = {(abs(x - y), abs(x * x - y * y)) for x in points for y in points}
    found = jumps(lower, upper)
    assert all(any(by <= far and square <= also for far, also in found) for by, square in real)
    if len(found) < MOST_OPTIONS // 2:
        assert set(found) <= real


def test_a_fine_grid_has_no_more_options_than_a_coarse_one_and_none_is_forgotten():
    found = jumps(-3000, 3000)
    assert len(found) <= MOST_OPTIONS
    for by in range(0, 6001, 7):
        assert any(by <= far and by * (6000 - by) <= also for far, also in found)


def test_a_cap_of_nothing_and_an_unknown_adjacency_are_refused():
    with pytest.raises(ValueError, match="a cap of 0"):
        cases(schema(centred=True), "add-remove", cap=0)
    with pytest.raises(ValueError, match="got 'neighbours'"):
        cases(schema(centred=True), "neighbours")


def test_nodes_that_hold_different_features_of_a_person_cost_together_what_one_row_costs():
    mechanism = DiscreteLaplace(Fraction(1))
    corner = Records(np.array([[0, 8, 0, 8]], dtype=np.int32), np.zeros(1, dtype=np.int32))
    schema = Schema(("a", "b"), tuple(Numeric(name, 0, 1, steps=8) for name in "wxyz"))
    scales = np.zeros((2, schema.width))
    for block in schema.blocks:
        scales[:, block.columns] = float(mechanism.scale(schema, block))
    costs = []
    for node in deal_vertical(corner, 3, rng=np.random.default_rng(1)):
        # the row that this node would be in alone: all cells get noise, the record moves some
        costs.append((np.abs(node.statistics(schema).table) / scales).sum())
    assert all(0 < cost < 1 for cost in costs)
    assert sum(costs) == pytest.approx(float(mechanism.charge(schema, 1).add_remove)) == 1
