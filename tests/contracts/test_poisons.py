"""What every poison promises, over the catalogue."""

import itertools

import numpy as np
import pytest

from attacks.poison import POISONS, VARIANTS, Knowledge, choose_poison
from protocols.ring import Capacity
from securenb.data.dataset import load_dataset
from securenb.data.partition import deal
from securenb.experiments.scenario import Scenario
from securenb.federation.admission import admit
from securenb.robust.spec import choose_rule
from securenb.schema.features import Categorical, Numeric
from securenb.schema.invariants import invariants
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

SCHEMA = Schema(
    ("a", "b", "c"), (Categorical("c", ("x", "y", "z")), Numeric("n", 0, 1), Categorical("d", ("u", "v")))
)


def known(seed=1, nodes=12, malicious=3, rule="median"):
    rng = np.random.default_rng(seed)
    tables = []
    for _ in range(nodes):
        labels = rng.integers(0, 3, 60).astype(np.int32)
        codes = np.column_stack(
            [
                (labels + rng.integers(0, 2, 60)) % 3,
                np.clip(rng.normal(20 + 10 * labels, 5), 0, 64),
                labels % 2,
            ]
        )
        tables.append(Statistics.of(SCHEMA, Records(codes.astype(np.int32), labels)).table)
    tables = np.array(tables)
    return Knowledge(SCHEMA, tables[:malicious], tables[malicious:], choose_rule(rule), 1, 60)


def rng():
    return np.random.default_rng(7)


@pytest.mark.parametrize("name", POISONS)
def test_every_malicious_node_sends_something_and_nothing_that_is_known_changes(name):
    knowledge = known()
    before = knowledge.own.copy(), knowledge.others.copy()
    sent = choose_poison(name).sent(knowledge, rng())
    assert len(sent) == len(knowledge.own)
    assert np.array_equal(before[0], knowledge.own)
    assert np.array_equal(before[1], knowledge.others)


@pytest.mark.parametrize("name", POISONS)
def test_the_same_randomness_sends_the_same(name):
    first, second = (choose_poison(name).sent(known(), rng()) for _ in range(2))
    assert all(
        np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(first, second, strict=True)
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", POISONS)
def test_inside_the_invariants_no_check_of_one_node_can_refuse_it(name, seed):
    knowledge = known(seed)
    rules = invariants(SCHEMA, knowledge.cap)
    for table in choose_poison(f"{name}:inside").sent(knowledge, rng()):
        assert rules.broken(table.reshape(-1)) == ()


@pytest.mark.parametrize("name", POISONS)
def test_local_knowledge_is_not_more_than_ones_own_statistics(name):
    some, other = known(1), known(2)
    mixed = Knowledge(SCHEMA, some.own, other.others, some.rule, 1, 60)
    poison = choose_poison(f"{name}:local")
    for a, b in zip(poison.sent(some, rng()), poison.sent(mixed, rng()), strict=True):
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


@pytest.mark.parametrize("name", POISONS)
def test_raw_tables_are_either_refused_at_the_door_or_fit_into_the_ring(name):
    capacity = Capacity(bound=SCHEMA.reach << 20, nodes=12)
    for table in choose_poison(name).sent(known(), rng()):
        try:
            admit(table.reshape(-1), SCHEMA.length, capacity)
        except ValueError:
            assert POISONS[name].aim == "denial"


@pytest.mark.parametrize("name", [name for name in POISONS if POISONS[name].aim in ("target", "backdoor")])
def test_what_a_targeted_poison_wants_can_be_measured(name):
    rng_ = rng()
    records = Records(
        np.column_stack([rng_.integers(0, 3, 40), rng_.integers(0, 65, 40), rng_.integers(0, 2, 40)]).astype(
            np.int32
        ),
        rng_.integers(0, 3, 40).astype(np.int32),
    )
    wanted = choose_poison(name).wanted(SCHEMA, records)
    assert 0 < len(wanted) < 40
    assert len(np.unique(wanted.labels)) == 1


def test_a_federation_runs_with_poisoned_nodes_and_refuses_the_malformed_ones():
    data = load_dataset("phishing")
    scenario = Scenario.checked(
        dataset="phishing", nodes=10, protocol="plain", epsilon="1", group_size=1, seed=3, rule="median"
    )
    federation = scenario.federation(data)
    nodes = scenario.deal(data)
    clean = federation.run(nodes)
    for name in POISONS:
        poisoned = choose_poison(name).nodes(nodes, [2, 5], data.schema, federation.rule, rng())
        assert [node.id for node in poisoned] == [node.id for node in nodes]
        round_ = federation.run(poisoned)
        expected = {"node-0003", "node-0006"} if POISONS[name].aim == "denial" else set()
        assert set(round_.refused) == expected
        assert round_.digests()["rows"] != clean.digests()["rows"]


def test_poisoned_nodes_keep_their_noise_back_unless_told_otherwise():
    data = load_dataset("phishing")
    nodes = deal(data.train, 2, 4, rng=rng())
    noise = np.full(data.schema.length, 3)
    quiet, loud = (
        choose_poison(spelling).nodes(nodes, [0], data.schema, choose_rule("sum"), rng())[0]
        for spelling in ("zero", "zero:noisy")
    )
    assert not quiet.contribution(data.schema, noise, 2).any()
    assert np.array_equal(loud.contribution(data.schema, noise, 2), noise)


def test_all_variants_are_spelt_in_any_order_and_others_refused():
    for variants in itertools.permutations(VARIANTS):
        poison = choose_poison(":".join(["alie", *variants]))
        assert poison.inside
        assert poison.local
        assert poison.noisy
    with pytest.raises(ValueError, match="unknown parameter 'outside' in alie:outside"):
        choose_poison("alie:outside")
    with pytest.raises(ValueError, match="unknown poison 'alien'; known: adaptive, alie"):
        choose_poison("alien")
