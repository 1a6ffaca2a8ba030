"""One round, end to end: the choices fit together, and what comes out is charged and exact."""

from fractions import Fraction

import numpy as np
import pytest

from protocols.engines.faults import Faults
from protocols.errors import TooFewParties
from protocols.grouping import one_group
from protocols.protocol import PROTOCOLS
from protocols.schemes.gossip import Gossip
from protocols.schemes.masking import Masking
from protocols.schemes.plain import Plain
from securenb.data.dataset import load_dataset
from securenb.experiments.choices import Choices
from securenb.federation.federation import Federation
from securenb.federation.round import Contributions
from securenb.privacy.mechanisms.discrete_gaussian import DiscreteGaussian
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.none import NoNoise
from securenb.privacy.mechanisms.skellam import Skellam
from securenb.robust.rule import Rows
from securenb.robust.rules.median import Median
from securenb.robust.rules.sum import Sum
from securenb.schema.statistics import Statistics

DATA = load_dataset("phishing")
NODES = DATA.deal(12, seed=3)


def federation(protocol=None, mechanism=None, **choices):
    return Federation(
        DATA.schema, protocol or Plain(), mechanism or DiscreteLaplace(Fraction(1)), Sum(), **choices
    )


def test_without_noise_the_round_opens_the_statistics_of_all_records():
    round_ = federation(mechanism=NoNoise(), seed=1).run(NODES)
    assert np.array_equal(round_.opened.rows[0], Statistics.of(DATA.schema, DATA.train).vector())
    assert round_.ledger.epsilon("add-remove") is None


@pytest.mark.parametrize("group_size", [None, 1, 5])
def test_the_same_seed_gives_the_same_round_and_another_seed_does_not(group_size):
    first, again, other = (federation(group_size=group_size, seed=seed).run(NODES) for seed in (1, 1, 2))
    assert first.digests() == again.digests()
    assert first.opened.members == again.opened.members
    assert first.digests()["rows"] != other.digests()["rows"]


def test_without_a_seed_noise_and_groups_differ_every_time():
    unseeded = federation(group_size=4)
    assert unseeded.run(NODES).digests()["rows"] != unseeded.run(NODES).digests()["rows"]


def test_the_same_contributions_open_to_the_same_rows_under_every_protocol():
    reference = federation(survivors=1, seed=5)
    contributions = reference.prepare(NODES)
    digests = set()
    for name in PROTOCOLS:
        protocol = PROTOCOLS[name].for_tests()
        if not getattr(protocol, "exact", True):
            continue
        choice = federation(protocol, survivors=1, seed=5)
        digests.add(str(choice.open(contributions).digests()))
    assert len(digests) == 1


def test_each_opened_row_is_charged_to_its_members_and_disjoint_rows_compose_in_parallel():
    round_ = federation(group_size=3, seed=1).run(NODES)
    rows = [release for release in round_.ledger.releases if release.seen == "row"]
    assert [set(release.nodes) for release in rows] == list(map(set, round_.opened.members))
    assert round_.ledger.epsilon("add-remove") == 1
    assert round_.ledger.epsilon("replace-one") == 2


def test_an_aggregator_that_reads_vectors_is_charged_the_share_that_each_holds_and_others_are_not():
    seen = federation(Plain(), seed=1).run(NODES).ledger
    assert seen.epsilon("add-remove", "vector") > 20 * seen.epsilon("add-remove")
    assert "every node's vector is read" in seen.report()
    unseen = federation(Masking(), seed=1).run(NODES).ledger
    assert {release.seen for release in unseen.releases} == {"row"}
    local = federation(Plain(), group_size=1, seed=1).run(NODES).ledger
    assert local.epsilon("add-remove", "vector") == local.epsilon("add-remove") == 1


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_protocol_in_which_anybody_reads_a_vector_is_charged_for_it(name):
    claims = PROTOCOLS[name].claims
    ledger = federation(PROTOCOLS[name].for_tests()).charged(one_group([node.id for node in NODES]))
    read = {node for release in ledger.releases if release.seen == "vector" for node in release.nodes}
    assert read == ({node.id for node in NODES} if "vectors" in (claims.sees, claims.nodes_see) else set())


def test_under_gossip_a_neighbour_reads_a_share_of_a_dose_and_not_a_dose():
    ledger = federation(Gossip(), seed=1).run(NODES).ledger
    assert ledger.epsilon("add-remove") == 1
    assert ledger.epsilon("add-remove", "vector") > 20
    local = federation(Gossip(), group_size=1, seed=1)
    assert local.charged(local.grouped([node.id for node in NODES])).epsilon("add-remove", "vector") == 1


@pytest.mark.parametrize("mechanism", [Skellam(Fraction(1), 1e-6), DiscreteGaussian(Fraction(1), 1e-6)])
def test_noise_on_a_finer_grid_is_taken_off_again(mechanism):
    round_ = federation(Masking(), mechanism, seed=1).run(NODES)
    exact = Statistics.of(DATA.schema, DATA.train).vector()
    off = Rows.of(DATA.schema, round_.opened, mechanism.grid).tables.ravel() - exact
    largest = mechanism.tail(DATA.schema, 12, 12) / mechanism.grid
    assert 0 < np.abs(off).max() < largest
    assert round_.ledger.delta() == 1e-6
    assert round_.model.score(DATA.test) > 0.8


@pytest.mark.parametrize(
    ("group_size", "colluding", "expected"), [(None, 0, 9), (None, 2, 7), (1, 0, 1), (6, 1, 4)]
)
def test_a_dose_counts_on_the_guaranteed_honest_survivors_of_a_group(group_size, colluding, expected):
    choice = federation(group_size=group_size, colluding=colluding)
    assert choice.noise.honest(group_size or len(NODES)) == expected


@pytest.mark.parametrize("name", list(PROTOCOLS))
@pytest.mark.parametrize("epsilon", ["none", "1"])
def test_a_round_without_messages_is_the_round_with_them(name, epsilon):
    protocol = PROTOCOLS[name].for_tests()
    choices = Choices.checked(protocol=protocol, epsilon=epsilon, group_size=6, seed=5)
    real, ideal = (choices.federation_over(DATA.schema).run(NODES, by=by) for by in ("messages", "ideal"))
    assert real.digests() == ideal.digests()
    assert real.opened.members == ideal.opened.members
    assert real.ledger.releases == ideal.ledger.releases
    assert (real.learned, real.refused) == (ideal.learned, ideal.refused)


def test_a_proven_round_without_messages_is_the_round_with_them():
    choices = Choices.checked(protocol="verified", record_cap=200, epsilon="1", group_size=6, seed=5)
    federation = choices.federation_over(DATA.schema)
    sent = federation.prepare(NODES)
    inflated = sent.vectors[NODES[2].id] + (np.arange(DATA.schema.length) == 0)
    lie = {NODES[2].id: inflated, NODES[3].id: np.zeros(3)}
    sent = Contributions(sent.groups, {**sent.vectors, **lie})
    real, ideal = (federation.open(sent, by=by) for by in ("messages", "ideal"))
    assert NODES[2].id not in {name for members in real.opened.members for name in members}
    assert real.digests() == ideal.digests()
    assert real.opened.members == ideal.opened.members
    assert real.refused == ideal.refused != {}


def test_without_messages_nothing_can_be_lost():
    with pytest.raises(ValueError, match="run by messages"):
        federation().run(NODES, Faults(silent={NODES[0].id: 0}), by="ideal")


def test_more_colluders_than_survivors_are_refused():
    with pytest.raises(ValueError, match="9 survivors, of whom 9 collude"):
        federation(colluding=9).run(NODES)


def test_the_median_learns_from_groups_too():
    choice = Federation(DATA.schema, Masking(), NoNoise(), Median(), group_size=4, seed=1)
    model = choice.run(NODES).model
    assert model.score(DATA.test) > 0.8


def test_silent_nodes_are_left_out_of_the_sum_and_of_the_ledger():
    round_ = federation(seed=1).run(NODES, Faults(silent={"node-0003": 0}))
    assert "node-0003" not in round_.opened.members[0]
    assert "node-0003" not in round_.ledger.releases[0].nodes


def test_masking_aborts_with_the_names_of_the_missing_and_releases_nothing():
    with pytest.raises(TooFewParties, match="node-0003"):
        federation(Masking(), seed=1).run(NODES, Faults(silent={"node-0003": 0}))


def test_a_node_above_the_public_cap_is_refused():
    with pytest.raises(ValueError, match="holds 94 records; the public cap is 10"):
        federation(record_cap=10, seed=1).run(NODES)


def test_a_capacity_that_could_wrap_is_refused_with_its_numbers():
    with pytest.raises(ValueError, match=r"sums could wrap: 12 nodes × .bound"):
        federation(record_cap=2**61, seed=1).run(NODES)


def test_one_node_is_no_federation():
    with pytest.raises(ValueError, match="at least two nodes, got 1"):
        federation().run(NODES[:1])


@pytest.mark.parametrize("batches", [[12], [1, 11], [5, 4, 3], [1] * 12, [2, 3, 4, 3]])
def test_nodes_that_join_late_in_any_order_and_batching_give_the_batch_model(batches):
    choice = federation(group_size=1, seed=6)
    batch = choice.run(NODES)
    order = list(np.random.default_rng(sum(batches) + len(batches)).permutation(len(NODES)))
    shuffled = [NODES[index] for index in order]
    first = shuffled[: max(2, batches[0])]
    round_, at = choice.run(first), len(first)
    for size in batches[1:]:
        joining = shuffled[at : at + size]
        if joining:
            round_, at = choice.update(round_, joining), at + len(joining)
    assert at == len(NODES)
    assert round_.digests()["model"] == batch.digests()["model"]
    assert (round_.opened.rows.sum(axis=0) == batch.opened.rows.sum(axis=0)).all()
    assert round_.ledger.epsilon("add-remove") == batch.ledger.epsilon("add-remove") == 1


def test_groups_that_join_late_under_secure_aggregation_add_up_exactly():
    choice = federation(Masking(), NoNoise(), seed=6)
    round_ = choice.update(choice.run(NODES[:6]), NODES[6:])
    assert len(round_.opened.rows) == 2
    assert round_.digests()["model"] == choice.run(NODES).digests()["model"]


def test_a_node_that_contributes_again_pays_again_and_draws_fresh_noise():
    choice = federation(seed=6)
    once = choice.run(NODES[:4])
    twice = choice.update(once, NODES[:4])
    assert once.ledger.epsilon("add-remove") == 1
    assert twice.ledger.epsilon("add-remove") == 2
    exact = Statistics.of(DATA.schema, NODES[0].records)
    for node in NODES[1:4]:
        exact = exact + Statistics.of(DATA.schema, node.records)
    first, second = twice.opened.rows - exact.vector()
    assert (first != second).any()
    assert once.ledger.epsilon("add-remove") == 1


def test_a_round_of_another_schema_is_not_joined():
    other = federation(seed=1).run(NODES)
    cancer = load_dataset("breast_cancer")
    choice = Federation(cancer.schema, Plain(), NoNoise(), Sum(), seed=1)
    with pytest.raises(ValueError, match="rule 14, same schema: "):
        choice.update(other, cancer.deal(2, seed=1))


@pytest.mark.parametrize("name", ["group_size", "colluding", "record_cap", "malicious"])
def test_numbers_of_numpys_are_those_of_pythons_and_others_are_refused_by_name(name):
    for width in (np.int8, np.uint8, np.int64):
        assert type(getattr(federation(**{name: width(100)}), name)) is int
    for value in (100.0, "100", True, np.float32(100)):
        with pytest.raises(ValueError, match=f"{name} must be an integer, got"):
            federation(**{name: value})
