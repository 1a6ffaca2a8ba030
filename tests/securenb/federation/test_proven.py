"""Rounds of proven statistics: exact without noise, two doses with it, nobody worth more than the cap."""

from fractions import Fraction

import numpy as np
import pytest

from protocols.engines.faults import Faults
from protocols.grouping import one_group
from protocols.schemes.plain import Plain
from protocols.schemes.verified import Verified
from protocols.validity import within
from securenb.certify.certificate import certify
from securenb.data.dataset import load_dataset
from securenb.federation.federation import Federation
from securenb.federation.proven import proven_in_words
from securenb.federation.round import Contributions
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.none import NoNoise
from securenb.privacy.mechanisms.skellam import Skellam
from securenb.robust.rules.sum import Sum
from securenb.robust.rules.verified_sum import VerifiedSum
from securenb.schema.statistics import Statistics

DATA = load_dataset("phishing")
NODES = DATA.deal(8, seed=3)
CAP = max(len(node.records) for node in NODES)


def federation(mechanism=None, protocol=None, **choices):
    choices = {"record_cap": CAP, "seed": 1, "proven": True} | choices
    return Federation(DATA.schema, protocol or Verified(), mechanism or NoNoise(), Sum(), **choices)


def test_without_noise_the_round_opens_the_statistics_of_all_records():
    round_ = federation().run(NODES)
    assert np.array_equal(round_.opened.rows[0], Statistics.of(DATA.schema, DATA.train).vector())
    assert round_.transcript.blames == []
    assert round_.ledger.epsilon("add-remove") is None


@pytest.mark.parametrize("helpers", [1, 2])
def test_each_aggregator_adds_a_dose_to_each_row_and_one_is_charged(helpers):
    mechanism = DiscreteLaplace(Fraction(1))
    choice = federation(mechanism, Verified(helpers=helpers), group_size=4)
    round_ = choice.run(NODES)
    assert round_.ledger.epsilon("add-remove") == 1
    assert [release.among for release in round_.ledger.releases] == [1, 1]
    session = choice.session(round_.opened.members)
    exact = {node.id: node.statistics(DATA.schema).vector() for node in NODES}
    aggregators = ["aggregator", *session.trustees]
    assert len(aggregators) == 1 + helpers
    doses = [[choice.protocol.noise(who, session, group) for who in aggregators] for group in (0, 1)]
    assert len({dose.tobytes() for row in doses for dose in row}) == 2 * (1 + helpers)
    for row, members, noise in zip(round_.opened.rows, round_.opened.members, doses, strict=True):
        assert row.tolist() == (sum(exact[node] for node in members) + sum(noise)).tolist()


@pytest.mark.slow
def test_the_variance_of_two_aggregators_is_that_of_two_doses():
    mechanism = DiscreteLaplace(Fraction(2))
    choice = federation(mechanism)
    exact = Statistics.of(DATA.schema, DATA.train).vector()
    sessions = [
        choice.protocol.session(
            one_group(["a", "b"]),
            DATA.schema.length,
            choice.session(one_group([node.id for node in NODES])).capacity,
            bytes([i]) * 16,
        )
        for i in range(200)
    ]
    noise = np.array(
        [
            sum(choice.protocol.noise(who, session, 0) for who in ("aggregator", "helper-1"))
            for session in sessions
        ]
    )
    block = DATA.schema.blocks[0]
    scale = float(mechanism.scale(DATA.schema, block))
    one = 2 * np.exp(-1 / scale) / (1 - np.exp(-1 / scale)) ** 2
    assert noise.shape == (200, len(exact))
    assert abs(noise.var() / (2 * one) - 1) < 0.05
    assert abs(noise.mean()) < 5 * np.sqrt(2 * one / noise.size)


def test_an_inflated_node_is_left_out_and_its_neighbours_are_as_without_it():
    choice = federation()
    honest = choice.prepare(NODES)
    vectors = dict(honest.vectors) | {"node-0002": honest.vectors["node-0002"] * 100}
    capacity = choice.session(honest.groups).capacity
    assert np.abs(vectors["node-0002"]).max() > capacity.bound
    vectors["node-0002"] = np.minimum(vectors["node-0002"], capacity.bound)
    attacked = choice.open(Contributions(honest.groups, vectors))
    silent = choice.open(honest, Faults(silent={"node-0002": 0}))
    assert {blame.party for blame in attacked.transcript.blames} == {"node-0002"}
    assert attacked.digests() == silent.digests()


def test_a_node_with_more_records_than_the_cap_is_refused_by_name():
    with pytest.raises(ValueError, match=f"holds {CAP} records; it may submit once, .* cap is {CAP - 1}"):
        federation(record_cap=CAP - 1).run(NODES)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"protocol": Plain()}, "not Plain"),
        ({"protocol": Verified(validity=within(DATA.schema.length, 5))}, "proves these"),
        ({"colluding": 1}, "1 of them"),
        ({"mechanism": Skellam(Fraction(1), 1e-6)}, "finer grid"),
        ({"record_cap": 0}, "cap of 0"),
    ],
)
def test_choices_that_do_not_go_together_are_refused(wrong, named):
    with pytest.raises(ValueError, match=named):
        federation(**wrong)


def test_the_model_is_that_of_any_other_protocol():
    plain = Federation(DATA.schema, Plain(), NoNoise(), Sum(), seed=1).run(NODES)
    assert federation().run(NODES).digests()["model"] == plain.digests()["model"]


def test_the_rule_verified_sum_gives_the_plain_sums_model_and_only_where_a_cap_is_proven():
    choices = {"record_cap": CAP, "seed": 1}
    capped = Federation(DATA.schema, Verified(), NoNoise(), VerifiedSum(), proven=True, **choices).run(NODES)
    assert np.array_equal(capped.model.parameters.table, federation().run(NODES).model.parameters.table)
    assert certify(capped.model, DATA.test.codes, 1, CAP).exact.all()
    with pytest.raises(ValueError, match="'verified_sum' needs nodes that prove a cap"):
        Federation(DATA.schema, Verified(), NoNoise(), VerifiedSum(), **choices).prepare(NODES)


def test_as_many_malicious_nodes_as_may_hold_half_of_the_records_are_refused():
    def bounded(malicious, rule):
        choices = {"record_cap": CAP, "seed": 1, "malicious": malicious, "proven": True}
        return Federation(DATA.schema, Verified(), NoNoise(), rule, **choices)

    assert 2 * 3 * CAP < len(DATA.train) <= 2 * 4 * CAP
    bounded(3, VerifiedSum()).run(NODES)
    with pytest.raises(ValueError, match=f"4 malicious nodes may hold {4 * CAP} of the {len(DATA.train)}"):
        bounded(4, VerifiedSum()).run(NODES)
    with pytest.raises(ValueError, match="1 malicious of 8 nodes|0 malicious of 1 rows"):
        bounded(1, Sum()).prepare(NODES)


def test_what_is_proven_is_said_in_words():
    mean = len(DATA.train) / len(NODES)
    said = proven_in_words(federation(record_cap=2 * CAP).registry, mean)
    assert f"no node counts for more than {2 * CAP} records, 2.01 × the mean size" in said
    assert "more than 33 % of the nodes" in said


def test_the_capacity_covers_the_doses_of_all_aggregators():
    mechanism = DiscreteLaplace(Fraction(1))
    for helpers in (1, 3):
        choice = federation(mechanism, Verified(helpers=helpers), group_size=4)
        session = choice.session(choice.grouped([node.id for node in NODES]))
        assert session.capacity.tail == mechanism.tail(DATA.schema, 1, 1 + helpers)
