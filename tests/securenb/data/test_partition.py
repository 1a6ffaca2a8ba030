"""Dealing records to nodes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.schemes.plain import Plain
from securenb.data.dataset import load_dataset
from securenb.data.partition import deal, deal_vertical, node_ids
from securenb.experiments.scenario import Scenario
from securenb.federation.federation import Federation
from securenb.privacy.mechanisms.none import NoNoise
from securenb.robust.rules.sum import Sum
from securenb.schema.features import Categorical, Numeric
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

SCHEMA = Schema(
    classes=("no", "yes", "never"),
    features=(
        Categorical("colour", ("red", "green", "blue")),
        Numeric("height", 0, 2, steps=8),
        Numeric("weight", 0, 100, steps=10, centred=False),
        Categorical("wild", ("no", "yes")),
    ),
)


def numbered(count: int, seed: int = 0) -> Records:
    """Records that can be told apart by their first code; the third class does not occur."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([np.arange(count), rng.integers(0, 9, count)]).astype(np.int32)
    return Records(codes, rng.integers(0, 2, count).astype(np.int32))


def valid(count: int, seed: int = 0) -> Records:
    rng = np.random.default_rng(seed)
    sizes = [3, 9, 11, 2]
    codes = np.column_stack([rng.integers(0, size, count) for size in sizes]).astype(np.int32)
    return Records(codes, rng.integers(0, 3, count).astype(np.int32))


DEALS = {
    "count": st.integers(4, 200),
    "nodes": st.integers(2, 40),
    "sizes": st.sampled_from(["equal", "uniform", "exponential"]),
    "label_skew": st.none() | st.floats(1e-3, 1e3),
    "seed": st.integers(0, 2**32),
}


@given(**DEALS)
def test_every_record_goes_to_exactly_one_node_with_its_label(count, nodes, sizes, label_skew, seed):
    nodes = min(nodes, count // 2)
    records = numbered(count, seed)
    rng = np.random.default_rng(seed)
    dealt = deal(records, 3, nodes, sizes=sizes, label_skew=label_skew, rng=rng)
    assert [node.id for node in dealt] == node_ids(nodes)
    assert all(len(node.records) >= 2 for node in dealt)
    together = Records.concatenate(*(node.records for node in dealt))
    assert sorted(together.codes[:, 0].tolist()) == list(range(count))
    assert (together.labels == records.labels[together.codes[:, 0]]).all()


@given(**DEALS)
def test_the_statistics_of_the_nodes_add_to_the_pooled_ones(count, nodes, sizes, label_skew, seed):
    records = valid(count, seed)
    rng = np.random.default_rng(seed)
    dealt = deal(records, 3, min(nodes, count // 2), sizes=sizes, label_skew=label_skew, rng=rng)
    total = sum((node.statistics(SCHEMA) for node in dealt), Statistics.zero(SCHEMA))
    assert total == Statistics.of(SCHEMA, records)


@given(count=st.integers(0, 50), nodes=st.integers(2, 4), seed=st.integers(0, 2**32))
def test_vertical_nodes_have_disjoint_support_and_add_to_the_pooled_statistics(count, nodes, seed):
    records = valid(count, seed)
    dealt = deal_vertical(records, nodes, rng=np.random.default_rng(seed))
    tables = [node.statistics(SCHEMA) for node in dealt]
    assert sum(tables, Statistics.zero(SCHEMA)) == Statistics.of(SCHEMA, records)
    assert (sum((t.table != 0).astype(int) for t in tables) <= 1).all()
    assert sorted(feature for node in dealt for feature in node.features) == [0, 1, 2, 3]
    assert [node.counts_classes for node in dealt] == [True] + [False] * (nodes - 1)


def test_a_vertical_node_holds_no_column_of_another():
    dealt = deal_vertical(valid(5), 4, rng=np.random.default_rng(0))
    assert all(node.records.codes.shape == (5, 1) for node in dealt)


def test_equal_sizes_differ_by_at_most_one():
    sizes = [len(node.records) for node in deal(numbered(103), 3, 10, rng=np.random.default_rng(1))]
    assert sorted(set(sizes)) == [10, 11]


def test_exponential_sizes_spread_more_than_uniform_ones():
    def spread(sizes):
        nodes = deal(numbered(50_000), 3, 500, sizes=sizes, rng=np.random.default_rng(2))
        return np.std([len(node.records) for node in nodes]) / 100

    # U(0,1) has coefficient of variation 1/√3, Exp(1) has 1; the two dealt in advance shrink both a little.
    assert abs(spread("uniform") - 0.577) < 0.06
    assert abs(spread("exponential") - 1) < 0.12


def test_skew_concentrates_classes_and_keeps_the_sizes():
    def empty_cells(skew):
        nodes = deal(numbered(10_000), 2, 100, label_skew=skew, rng=np.random.default_rng(3))
        assert {len(node.records) for node in nodes} == {100}
        return np.mean([np.bincount(node.records.labels, minlength=2) == 0 for node in nodes])

    assert empty_cells(0.01) > 0.45
    assert empty_cells(0.01) > empty_cells(1) > empty_cells(100) == 0


def test_without_skew_a_huge_alpha_and_none_look_alike():
    def spread(skew):
        nodes = deal(numbered(20_000), 2, 200, label_skew=skew, rng=np.random.default_rng(4))
        return np.std([node.records.labels.sum() for node in nodes])

    assert abs(spread(None) - 5) < 0.8  # √(100/4)
    assert abs(spread(1e6) - 5) < 0.8


def test_the_same_seed_deals_the_same():
    def once():
        return deal(
            numbered(99), 3, 7, sizes="uniform", label_skew=0.5, at_least=3, rng=np.random.default_rng(5)
        )

    for a, b in zip(once(), once(), strict=True):
        assert (a.records.codes == b.records.codes).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"nodes": 6}, "6 nodes with at least 2 records each need 12 records; there are 11"),
        ({"nodes": 2, "at_least": 6}, "need 12 records"),
        ({"nodes": 1}, "at least 2 nodes, got 1"),
        ({"nodes": 0}, "at least 2 nodes, got 0"),
        ({"nodes": 2, "at_least": 0}, "at_least=0"),
        ({"nodes": 2, "sizes": "zipf"}, "'zipf'"),
        ({"nodes": 2, "label_skew": 0.0}, "got 0.0"),
        ({"nodes": 2, "label_skew": float("nan")}, "got nan"),
        ({"nodes": 2, "label_skew": float("inf")}, "got inf"),
    ],
)
def test_what_cannot_be_dealt_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        deal(numbered(11), 3, **arguments, rng=np.random.default_rng(0))


def test_more_vertical_nodes_than_features_are_refused():
    with pytest.raises(ValueError, match="5 nodes need at least a feature each; there are 4"):
        deal_vertical(valid(9), 5, rng=np.random.default_rng(0))


def test_ids_sort_as_they_count():
    ids = node_ids(12_345)
    assert ids == sorted(ids)
    assert ids[0] == "node-00001"
    assert node_ids(2) == ["node-0001", "node-0002"]


def test_records_and_features_make_the_same_model(dataset):
    data = dataset("phishing")
    federation = Federation(data.schema, Plain(), NoNoise(), Sum(), seed=1)
    vertical = federation.run(deal_vertical(data.train, 4, rng=np.random.default_rng(1)))
    horizontal = federation.run(data.deal(nodes=30, sizes="exponential", label_skew=0.1, seed=1))
    assert vertical.model.to_dict() == horizontal.model.to_dict()


def test_one_seed_is_one_deal():
    data = load_dataset("phishing")
    scenario = Scenario(dataset="phishing", nodes=7, protocol="plain", epsilon="none", seed=5, label_skew=0.5)
    there = scenario.deal(data)
    here = data.deal(7, label_skew=0.5, seed=5)
    assert [node.id for node in here] == [node.id for node in there]
    assert all(np.array_equal(a.records.codes, b.records.codes) for a, b in zip(here, there, strict=True))


def test_data_that_say_who_holds_what_are_not_dealt_again():
    data = replace(load_dataset("phishing"), holders=None)
    held = replace(data, holders=np.array(["ab"[i % 2] for i in range(len(data.train))], dtype=object))
    assert len(held.deal(None, seed=1)) == 2
    with pytest.raises(ValueError, match="say already who holds them, 2 nodes"):
        held.deal(7, seed=1)
    with pytest.raises(ValueError, match="nodes is missing"):
        data.deal(None, seed=1)
