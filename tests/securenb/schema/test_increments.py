"""Counts cut at thresholds: they add up, are proven, and move with a record as far as is charged for."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from securenb.data.node import Node, VerticalNode
from securenb.schema.features import Categorical, Numeric
from securenb.schema.increments import FEATURES, INCREMENT, QUOTA, Increments
from securenb.schema.ladder import ABOVE_NOISE, ladder
from securenb.schema.records import Records
from securenb.schema.schema import Schema

BASE = Schema(("no", "yes"), (Categorical("a", ("x", "y", "z")), Categorical("b", ("u", "v"))))
LAYOUT = Increments.of(BASE, [(0, 1, 2, 4), (0, 2, 3)])
EVERY = [((a, b), y) for a in range(3) for b in range(2) for y in range(2)]


def records(lines):
    codes = np.array([codes for codes, _ in lines], dtype=np.int32).reshape(-1, 2)
    return Records(codes, np.array([label for _, label in lines], dtype=np.int32))


def sent(lines):
    return Node("n", records(lines)).contribution(LAYOUT, np.zeros(LAYOUT.length, dtype=np.int64), 1)


LINES = st.lists(st.sampled_from(EVERY), max_size=12)


@given(LINES)
def test_increments_add_up_to_the_counts_that_the_quotas_leave(lines):
    kept = LAYOUT.kept(records(lines))
    table = Node("n", kept).statistics(BASE).table
    assert np.array_equal(table[:, 0], np.minimum(np.bincount(records(lines).labels, minlength=2), (4, 3)))
    row = sent(lines).reshape(2, -1)
    for part, columns in zip(LAYOUT.cells(row), BASE.columns, strict=True):
        assert np.array_equal(part.sum(axis=-1), table[:, columns])
        assert ((part >= 0) & (part <= LAYOUT.steps[:, None, :])).all()
    assert LAYOUT.validity(7).broken(sent(lines)) == ()


@given(LINES, st.sampled_from(EVERY), st.integers(0, 12))
def test_one_record_moves_as_far_as_is_charged_for(lines, record, place):
    more = [*lines[:place], record, *lines[place:]]
    moved = np.abs(sent(more) - sent(lines)).reshape(2, -1)
    for block in LAYOUT.blocks:
        cells = moved[:, block.columns]
        assert cells.max() <= block.reach
        assert cells.sum() <= block.reach * block.moves
    assert not moved[1 - record[1]].any()


def test_a_full_node_moves_twice_as_far_as_one_that_is_not():
    full = [((0, 0), 0)] * 4
    assert np.abs(sent([((2, 1), 0), *full]) - sent(full)).sum() == 2 * len(BASE.features)
    assert np.abs(sent([((2, 1), 0), *full[:3]]) - sent(full[:3])).sum() == len(BASE.features)


def test_replacing_a_record_moves_at_most_twice_as_far_by_brute_force():
    most = 0
    for lines in itertools.product(EVERY, repeat=3):
        before = [((0, 0), 0)] * 4 + [((0, 0), 1)] * 3
        replaced = sent([lines[0], *before, lines[1]]) - sent([lines[2], *before, lines[1]])
        most = max(most, int(np.abs(replaced).sum()))
    assert most == 4 * len(BASE.features)


@pytest.mark.parametrize(
    ("change", "family"),
    [
        ({0: 1}, FEATURES),  # a level more in one feature
        ({0: 2}, INCREMENT),
        ({0: -2, 1: 1, 9: -1}, INCREMENT),
        ({2: 2, 5: 2, 11: 2, 14: 2}, QUOTA),
    ],
)
def test_what_no_records_have_is_named_by_its_family(change, family):
    vector = sent([((0, 0), 0)])
    for at, by in change.items():
        vector[at] += by
    assert family in LAYOUT.validity(7).broken(vector)


def test_the_shorter_class_has_columns_that_must_be_zero():
    assert LAYOUT.steps.tolist() == [[1, 1, 2], [2, 1, 0]]
    vector = sent([])
    vector[LAYOUT.width + 2] = 1
    assert INCREMENT in LAYOUT.validity(7).broken(vector)


@given(st.lists(st.integers(-3, 9), min_size=12, max_size=12))
def test_a_claimed_table_is_cut_to_one_that_can_be_proven(numbers):
    table = np.array(numbers, dtype=np.int64).reshape(2, 6)
    vector = LAYOUT.expanded(LAYOUT.within(table)).reshape(-1)
    assert LAYOUT.validity(7).broken(vector) == ()


def test_nodes_that_hold_some_of_the_features_add_up_to_one_that_holds_all():
    lines = [EVERY[at] for at in (0, 5, 3, 8, 11, 1, 6, 10, 2, 7, 4, 9)]
    whole = records(lines)
    silent = np.zeros(LAYOUT.length, dtype=np.int64)
    parts = [
        VerticalNode(f"n{at}", Records(whole.codes[:, [at]], whole.labels), (at,), at == 0) for at in (0, 1)
    ]
    assert np.array_equal(sum(part.contribution(LAYOUT, silent, 1) for part in parts), sent(lines))


def test_numbers_are_refused_with_what_helps():
    schema = Schema(("no", "yes"), (Numeric("age", 0.0, 90.0, steps=30),))
    with pytest.raises(ValueError, match="'age' is numeric.*--numeric histogram"):
        Increments.of(schema, [(0, 4), (0, 4)])


@pytest.mark.parametrize("steps", [[(0, 4)], [(0, 3, 2), (0, 1, 4)], [(1, 4), (0, 4)], [(0, 0), (0, 4)]])
def test_thresholds_that_are_none_are_refused(steps):
    with pytest.raises(ValueError, match="thresholds"):
        Increments.of(BASE, steps)


def test_layouts_with_other_thresholds_have_other_digests():
    other = Increments.of(BASE, [(0, 1, 2, 4), (0, 1, 3)])
    assert len({BASE.digest, LAYOUT.digest, other.digest}) == 3


@given(st.integers(1, 500), st.integers(2, 1000), st.floats(0, 200))
def test_every_step_stands_out_of_the_noise(quota, nodes, deviation):
    if quota * nodes < ABOVE_NOISE * deviation:
        with pytest.raises(ValueError, match="drowns in noise"):
            ladder(quota, nodes, deviation)
        return
    try:
        steps = np.diff(ladder(quota, nodes, deviation))
    except ValueError:
        assert quota * nodes < ABOVE_NOISE * deviation + nodes  # steps are whole records
        return
    assert steps.sum() == quota
    assert steps.min() >= 1
    assert (steps * nodes >= ABOVE_NOISE * deviation - 1e-9).all()
