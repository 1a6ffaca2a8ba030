"""K-norm noise: what it costs, by brute force; where it may be added; what an event of it keeps."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from protocols.schemes.ideal import Ideal
from protocols.schemes.verified import Verified
from protocols.session_rules import RefusedSession
from securenb.data.dataset import DATASETS
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.privacy.cost import epsilon_at
from securenb.privacy.event import Event
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.k_norm import KNorm
from securenb.privacy.samplers import FastNoise
from securenb.privacy.sensitivity import ADJACENCIES
from securenb.robust.rules.sum import Sum
from securenb.schema.features import Categorical, Numeric
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

TINY = Schema(("a", "b"), (Categorical("sex", ("f", "m")), Numeric("size", 0, 2, steps=2)))
MIXED = Schema(("a", "b"), (*TINY.features, Categorical("colour", ("x", "y", "z"))))


def free(mechanism, schema, table):
    """What changes of tables (..., C, width) do to the free coordinates of each class, in reaches."""
    joint = mechanism.joint(schema)
    cells = table[..., joint.columns]
    pairs = 2 * joint.box.pairs
    first, second, numbers = (
        cells[..., 1 : 1 + pairs : 2],
        cells[..., 2 : 1 + pairs : 2],
        cells[..., 1 + pairs :],
    )
    assert (first + second == cells[..., :1]).all(), "levels that do not add up to the count"
    moved = [cells[..., :1], second - first, numbers / np.array(joint.box.reaches)]
    return np.abs(np.concatenate(moved, axis=-1)).max(axis=-1, initial=0)


@pytest.mark.parametrize("name", list(DATASETS))
def test_one_record_stays_in_its_box_and_two_in_one_of_twice_the_size(name):
    """All codes of every feature of a shipped schema: features are independent, so these are all records."""
    schema, mechanism = DATASETS[name].schema, KNorm(Fraction(1))
    most = max(feature.size for feature in schema.features)
    codes = np.stack([np.arange(most) % feature.size for feature in schema.features], axis=1)
    one = np.array(
        [
            Statistics.of(schema, Records(row[None].astype(np.int32), np.zeros(1, np.int32))).table
            for row in codes
        ]
    )
    norms = free(mechanism, schema, one)
    assert norms[:, 0].max() == 1
    assert norms[:, 1:].max() == 0
    joint = mechanism.joint(schema)
    # within a class each coordinate spans at most two reaches, so no replaced record leaves the double box
    cells = one[:, 0, joint.columns]
    spans = np.ptp(cells, axis=0)[1 + 2 * joint.box.pairs :]
    assert (spans <= 2 * np.array(joint.box.reaches)).all()
    # a label that flips moves two classes, each by one record
    flipped = np.stack([one[:, 0], -one[:, 0]], axis=1)
    assert (free(mechanism, schema, flipped).sum(axis=1) == 2).all()
    charge = mechanism.charge(schema, 1)
    assert (charge.add_remove, charge.replace_one) == (1, 2)


def largest_losses(box, moves, window=4):
    """The largest |log P(x) / P(x - v)| over a window of outputs, in units of epsilon, for each move."""
    axes = [range(-window, window + 1)] * (1 + box.pairs)
    axes += [range(-window * reach, window * reach + 1) for reach in box.reaches]
    points = np.array(
        [x for x in itertools.product(*axes) if all((z - x[0]) % 2 == 0 for z in x[1 : 1 + box.pairs])]
    )
    reaches = np.array([1] * (1 + box.pairs) + list(box.reaches))

    def least(x):
        return np.ceil(np.abs(x) / reaches).max(axis=-1)

    return [int(np.abs(least(points) - least(points - v)).max()) for v in moves]


def test_every_output_of_a_tiny_schema_costs_what_is_charged_and_some_as_much():
    mechanism = KNorm(Fraction(1))
    joint = mechanism.joint(TINY)
    records = [Records(np.array([code], dtype=np.int32), np.zeros(1, np.int32)) for code in np.ndindex(2, 3)]
    cells = np.array([Statistics.of(TINY, record).table[0, joint.columns] for record in records])
    moves = np.stack([cells[:, 0], cells[:, 2] - cells[:, 1], *cells[:, 3:].T], axis=1)
    assert max(largest_losses(joint.box, moves)) == 1
    within = [a - b for a, b in itertools.combinations(moves, 2)]
    assert max(largest_losses(joint.box, within)) == 2


@pytest.mark.parametrize("schema", [TINY, MIXED])
@pytest.mark.parametrize("split", [None, 0.25])
def test_the_box_and_the_levels_share_epsilon_exactly(schema, split):
    mechanism = KNorm(Fraction(1, 3), split)
    box, rest = mechanism.parts(schema)
    assert box + rest == Fraction(1, 3)
    assert bool(rest) == (schema is MIXED)
    for adjacency, times in zip(ADJACENCIES, (1, 2), strict=True):
        for cap in (1, 5):
            cost = mechanism.cost(schema, adjacency, 1, 1, cap)
            assert epsilon_at(cost, 0.0) == Fraction(times * cap, 3)


@pytest.mark.parametrize("split", [0, 1, -0.5, float("nan"), 1e-300, 1 - 1e-12])
def test_a_split_that_is_no_part_is_refused(split):
    with pytest.raises(ValueError, match=f"split must be from 0.001 to 0.999, got {split}"):
        KNorm(Fraction(1), split)


def test_an_event_keeps_what_a_ledger_needs_and_composes_below_its_sum():
    event = KNorm(Fraction(1)).event(MIXED, 1, 1)
    assert Event.decoded(event.encoded()) == event
    assert epsilon_at(event.add_remove, 0.0) == 1
    assert epsilon_at(event.add_remove, 1e-6) <= 1


def test_there_is_two_to_three_times_less_noise_than_query_by_query():
    for name, factor in (("breast_cancer", 2.3), ("skin", 1.9), ("spect", 2.2)):
        schema = DATASETS[name].schema
        one, other = (
            made.noise(schema, schema.blocks[0], 1).spread() ** 0.5
            for made in (DiscreteLaplace(Fraction(1)), KNorm(Fraction(1)))
        )
        assert one > factor * other


def test_levels_of_a_binary_feature_stay_those_of_the_count():
    table = KNorm(Fraction(1, 10)).share(MIXED, 1, FastNoise(np.random.default_rng(1))).reshape(2, -1)
    assert (table[:, 1] + table[:, 2] == table[:, 0]).all()
    assert (table != 0).all()


def nodes(count=6):
    rng = np.random.default_rng(0)
    return [
        Node(
            f"node-{at}",
            Records(
                rng.integers((2, 3), size=(8, 2)).astype(np.int32), rng.integers(2, size=8).astype(np.int32)
            ),
        )
        for at in range(count)
    ]


def test_where_nodes_would_have_to_share_a_dose_it_is_refused_with_what_helps():
    federation = Federation(TINY, Ideal(), KNorm(Fraction(1)), Sum(), seed=1)
    with pytest.raises(RefusedSession, match=r"verified with a record_cap.*group_size 1"):
        federation.run(nodes(), by="ideal")
    with pytest.raises(RefusedSession, match="does not divide into shares, and 5 nodes"):
        federation.charged(federation.grouped([node.id for node in nodes()]))


def test_aggregators_add_whole_doses_and_so_do_nodes_of_their_own():
    proven = Federation(TINY, Verified(), KNorm(Fraction(1)), Sum(), record_cap=20, proven=True, seed=1)
    round_ = proven.run(nodes())
    assert round_.ledger.epsilon("add-remove") == 1
    assert round_.ledger.epsilon("replace-one") == 2
    alone = Federation(TINY, Ideal(), KNorm(Fraction(1)), Sum(), group_size=1, seed=1)
    assert alone.run(nodes(), by="ideal").ledger.epsilon("add-remove") == 1
    # all who must survive but one tell their noise: the dose is the last one's
    colluding = Federation(TINY, Ideal(), KNorm(Fraction(1)), Sum(), colluding=4, seed=1)
    assert colluding.run(nodes(), by="ideal").ledger.epsilon("add-remove") == 1


def test_a_layout_without_counts_of_records_is_refused():
    from securenb.schema.increments import Increments

    base = Schema(("a", "b"), (Categorical("sex", ("f", "m")),))
    layout = Increments.of(base, [(0, 2, 4), (0, 2, 4)])
    with pytest.raises(ValueError, match=r"not send here \(increments\): use discrete_laplace"):
        KNorm(Fraction(1)).share(layout, 1, FastNoise(np.random.default_rng(1)))
