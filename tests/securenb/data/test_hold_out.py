"""Which records are for testing depends on each record alone."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from securenb.data.hold_out import held_out_by_content
from securenb.schema.records import Records

ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from("ab"), st.integers(0, 1)), max_size=60
)


def trained_on(rows):
    """The training records, counted."""
    codes = np.array([row[:2] for row in rows], dtype=np.int32).reshape(-1, 2)
    labels = np.array([row[3] for row in rows], dtype=np.int32)
    holders = np.array([row[2] for row in rows], dtype=object)
    out = held_out_by_content(Records(codes, labels), holders)
    return Counter(row for row, held in zip(rows, out, strict=True) if not held)


@given(rows=ROWS, extra=ROWS.filter(bool), data=st.data())
def test_one_more_record_changes_the_training_records_by_at_most_itself(rows, extra, data):
    at = data.draw(st.integers(0, len(rows)))
    before, after = trained_on(rows), trained_on([*rows[:at], extra[0], *rows[at:]])
    assert not before - after
    assert after - before in (Counter(), Counter(extra[:1]))


@given(ROWS, st.randoms())
def test_the_order_of_records_does_not_matter(rows, random):
    shuffled = random.sample(rows, len(rows))
    assert trained_on(rows) == trained_on(shuffled)


def test_one_in_ten_is_held_out():
    codes = np.arange(40_000, dtype=np.int32).reshape(-1, 2)
    labels = np.zeros(20_000, dtype=np.int32)
    out = held_out_by_content(Records(codes, labels), None)
    alike = held_out_by_content(Records(np.zeros_like(codes), labels), None)
    # 2,000 are expected, with a standard deviation of 42
    assert abs(int(out.sum()) - 2000) < 250
    assert abs(int(alike.sum()) - 2000) < 250
