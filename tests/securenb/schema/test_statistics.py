"""The law of the statistics: they add, exactly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from securenb.schema.features import Binned, Categorical, Numeric
from securenb.schema.records import UNKNOWN, Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

FEATURES = st.one_of(
    st.builds(lambda n: Categorical("", tuple(map(str, range(n)))), st.integers(2, 5)),
    st.builds(lambda n: Binned("", tuple(range(n + 1))), st.integers(2, 5)),
    st.builds(
        lambda half, centred: Numeric("", 0, 1, steps=2 * half, centred=centred),
        st.integers(1, 2_000),
        st.booleans(),
    ),
)


@st.composite
def schemas(draw):
    features = draw(st.lists(FEATURES, min_size=1, max_size=4))
    for index, feature in enumerate(features):
        object.__setattr__(feature, "name", f"x{index}")
    classes = draw(st.integers(2, 4))
    return Schema(classes=tuple(map(str, range(classes))), features=tuple(features))


def draw_records(schema: Schema, count: int, seed: int) -> Records:
    rng = np.random.default_rng(seed)
    sizes = [f.size for f in schema.features]
    codes = np.column_stack([rng.integers(0, size, count) for size in sizes]).astype(np.int32)
    return Records(codes, rng.integers(0, len(schema.classes), count).astype(np.int32))


COUNTS = st.integers(0, 60)
SEEDS = st.integers(0, 2**32)


@given(schema=schemas(), counts=st.lists(COUNTS, min_size=1, max_size=4), seed=SEEDS)
def test_statistics_of_a_concatenation_are_the_sum_of_the_statistics(schema, counts, seed):
    parts = [draw_records(schema, count, seed + index) for index, count in enumerate(counts)]
    pooled = Statistics.of(schema, Records.concatenate(*parts))
    assert pooled == sum((Statistics.of(schema, part) for part in parts), Statistics.zero(schema))


@given(schema=schemas(), count=COUNTS, seed=SEEDS)
def test_statistics_do_not_depend_on_the_order_of_the_records(schema, count, seed):
    records = draw_records(schema, count, seed)
    shuffled = records[np.random.default_rng(seed).permutation(count)]
    assert Statistics.of(schema, records) == Statistics.of(schema, shuffled)


@given(schema=schemas(), count=COUNTS, seed=SEEDS)
def test_vectors_go_there_and_back_and_add_like_the_statistics(schema, count, seed):
    a = Statistics.of(schema, draw_records(schema, count, seed))
    b = Statistics.of(schema, draw_records(schema, count, seed + 1))
    assert a.vector().shape == (schema.length,)
    assert a.vector().dtype == np.int64
    assert Statistics.from_vector(schema, a.vector()) == a
    assert Statistics.from_vector(schema, a.vector() + b.vector()) == a + b
    a.vector()[:] = 0
    assert Statistics.from_vector(schema, a.vector()) == a


@given(schema=schemas(), count=COUNTS, seed=SEEDS)
def test_one_record_moves_each_block_of_its_class_by_at_most_its_reach_and_no_other(schema, count, seed):
    records = draw_records(schema, count + 1, seed)
    moved = Statistics.of(schema, records).table - Statistics.of(schema, records[:count]).table
    label = records.labels[-1]
    for block in schema.blocks:
        distance = np.abs(moved[:, block.columns]).sum(axis=1)
        assert distance[label] <= block.reach
        assert distance.sum() == distance[label]


@given(schema=schemas())
def test_some_record_moves_each_block_by_its_whole_reach(schema):
    # The corners and middles of the grids: a reach that nothing attains would buy needless noise.
    sizes = [f.size for f in schema.features]
    codes = np.array([[0] * len(sizes), [size - 1 for size in sizes], [size // 2 for size in sizes]])
    tables = [
        Statistics.of(schema, Records(row[None].astype(np.int32), np.zeros(1, dtype=np.int32))).table[0]
        for row in codes
    ]
    for block in schema.blocks:
        assert max(np.abs(table[block.columns]).sum() for table in tables) == block.reach


def test_counts_sums_and_squares_are_what_they_say():
    schema = Schema(
        classes=("no", "yes"),
        features=(
            Categorical("colour", ("red", "green")),
            Numeric("height", 0, 2, steps=8),
            Numeric("weight", 0, 9, steps=10, centred=False),
        ),
    )
    codes = np.array([[0, 8, 3], [1, 4, 0], [1, 1, 10]], dtype=np.int32)
    statistics = Statistics.of(schema, Records(codes, np.array([1, 1, 0], dtype=np.int32)))
    # of height: sums of x - 4, and of (x - 4)² - 8
    assert statistics.table.tolist() == [[1, 0, 1, -3, 1, 10, 100], [2, 1, 1, 4, 0, 3, 9]]


def test_sums_of_large_squares_are_exact():
    schema = Schema(classes=("a", "b"), features=(Numeric("x", 0, 1, steps=60_000, centred=False),))
    codes = np.full((100_003, 1), 59_999, dtype=np.int32)
    table = Statistics.of(schema, Records(codes, np.zeros(100_003, dtype=np.int32))).table
    assert table[0].tolist() == [100_003, 100_003 * 59_999, 100_003 * 59_999**2]


def test_statistics_of_different_schemas_neither_add_nor_equal():
    a, b = (Schema(classes=("a", "b"), features=(Numeric("x", 0, upper, steps=8),)) for upper in (1, 2))
    with pytest.raises(ValueError, match="different schemas"):
        Statistics.zero(a) + Statistics.zero(b)
    assert Statistics.zero(a) != Statistics.zero(b)


@pytest.mark.parametrize(
    "vector", [np.zeros(5, np.int64), np.zeros((2, 3), np.int64), np.zeros(6, np.float64)]
)
def test_vectors_of_another_shape_or_type_are_refused(vector):
    schema = Schema(classes=("a", "b"), features=(Numeric("x", 0, 1, steps=8),))
    with pytest.raises(ValueError, match="expected"):
        Statistics.from_vector(schema, vector)


@pytest.mark.parametrize(("at", "code"), [(0, UNKNOWN), (0, 2), (1, UNKNOWN), (1, 65)])
def test_a_code_that_its_feature_has_not_is_refused_and_not_counted_elsewhere(at, code):
    schema = Schema(("a", "b"), (Categorical("c", ("x", "y")), Numeric("n", 0, 1)))
    codes = np.zeros((3, 2), np.int32)
    codes[1, at] = code
    with pytest.raises(ValueError, match=f"feature '{schema.features[at].name}' has codes 0 to"):
        Statistics.of(schema, Records(codes, np.ones(3, np.int32)))
