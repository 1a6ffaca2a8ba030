"""Witness cells in whole rounds: nodes and aggregators add noise there as everywhere, and records never."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from protocols.engines.faults import Faults
from protocols.protocol import PROTOCOLS
from protocols.schemes.verified import Verified
from securenb.data.dataset import load_dataset
from securenb.experiments.choices import Choices
from securenb.federation.federation import Federation
from securenb.federation.round import Contributions
from securenb.federation.witnessing import EMPTY
from securenb.privacy import witness_law
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.none import NoNoise
from securenb.robust.rules.median import Median
from securenb.robust.rules.sum import Sum
from securenb.schema.statistics import Statistics

DATA = load_dataset("phishing")
FIVE = DATA.deal(5, seed=3)
LENGTH = DATA.schema.length


def federation(protocol="secagg", witnesses=400, seed=1, **choices):
    scheme = PROTOCOLS[protocol].for_tests()
    return Federation(
        DATA.schema, scheme, DiscreteLaplace(Fraction(1)), Sum(), witnesses=witnesses, seed=seed, **choices
    )


def without_noise(chosen, node, size):
    """What a node sends that leaves its noise out."""
    return node.contribution(chosen.layout, np.zeros(chosen.noise.length, dtype=np.int64), 1)


def silenced(chosen, nodes, count):
    """The round in which the first `count` nodes add no noise anywhere."""
    sent = chosen.prepare(nodes)
    vectors = dict(sent.vectors)
    for node in nodes[:count]:
        vectors[node.id] = without_noise(chosen, node, len(nodes))
    return chosen.open(Contributions(sent.groups, vectors), by="ideal")


def test_a_vector_without_noise_has_statistics_and_then_nothing():
    sent = without_noise(federation(), FIVE[0], 5)
    assert np.array_equal(sent[:LENGTH], Statistics.of(DATA.schema, FIVE[0].records).vector())
    assert len(sent) == LENGTH + 400
    assert not sent[LENGTH:].any()


@pytest.mark.parametrize("protocol", [name for name in PROTOCOLS if name not in ("gossip", "verified")])
def test_every_protocol_opens_the_sum_of_the_cells(protocol):
    chosen = federation(protocol, 60)
    sent = chosen.prepare(FIVE)
    opened, _, _ = chosen.opened(sent)
    for row, members in zip(opened.rows, opened.members, strict=True):
        assert np.array_equal(row, np.sum([sent.vectors[name] for name in members], axis=0))
    assert chosen.open(sent, by="ideal").witnesses.cells == 60


@pytest.mark.parametrize(("silent", "found"), [(0, "as claimed"), (1, "shares missing"), (2, "claim broken")])
def test_sites_that_add_no_noise_are_found(silent, found):
    chosen = federation(witnesses=1000, survivors=4)
    round_ = silenced(chosen, FIVE, silent)
    assert chosen.noise.honest(5) == 4
    assert round_.witnesses.found == found


def test_rows_too_wide_to_be_tabulated_are_refused_before_anything_is_sent(monkeypatch):
    monkeypatch.setattr(witness_law.check_tabulated, "__defaults__", (100,))
    with pytest.raises(ValueError, match="choose a larger epsilon"):
        federation().session((tuple(node.id for node in FIVE),))


def test_colluding_nodes_are_counted():
    round_ = federation(witnesses=400, colluding=1, survivors=4).run(FIVE, by="ideal")
    reading = round_.witnesses.readings[0]
    assert (reading.honest, reading.known, reading.shares) == (3, 1, 5)


def test_a_mechanism_that_draws_no_further_cells_is_refused():
    class Older(DiscreteLaplace):
        def share(self, schema, among, noise, shares=1):
            return super().share(schema, among, noise, shares)

    with pytest.raises(ValueError, match="leave out witnesses"):
        replace(federation(), mechanism=Older(Fraction(1)))
    assert (
        replace(federation(witnesses=0), mechanism=Older(Fraction(1))).run(FIVE, by="ideal").witnesses is None
    )


def test_a_node_that_drops_out_is_no_missing_share():
    round_ = federation(witnesses=1000).run(FIVE, Faults(silent={FIVE[0].id: 0}))
    assert round_.witnesses.readings[0].shares == 4
    assert round_.witnesses.found == "as claimed"


def test_the_model_is_of_the_statistics_alone():
    chosen = federation()
    round_ = chosen.run(FIVE, by="ideal")
    rows = chosen.readout.rows(round_.opened)
    assert rows.tables.shape == (1, len(DATA.schema.classes), DATA.schema.width)
    assert np.array_equal(rows.tables.reshape(-1), round_.opened.rows[0, :LENGTH])


def test_each_group_is_read_by_itself():
    nodes = DATA.deal(20, seed=3)
    round_ = replace(federation(), rule=Median(), group_size=5).run(nodes, by="ideal")
    assert len(round_.witnesses.readings) == 4
    assert round_.witnesses.level == 1e-3 / 4


def test_cells_cost_nothing_in_the_ledger():
    some, none = federation().run(FIVE, by="ideal"), federation(witnesses=0).run(FIVE, by="ideal")
    assert some.ledger.releases == none.ledger.releases
    assert none.witnesses is None


def test_parties_that_disagree_on_the_cells_cannot_talk():
    sessions = {federation(witnesses=count).session((tuple(node.id for node in FIVE),)).digest
                for count in (0, 50, 51)}  # fmt: skip
    assert len(sessions) == 3


def test_a_late_round_adds_its_readings():
    chosen = federation("plain")
    first = chosen.run(FIVE[:3])
    both = chosen.update(first, FIVE[3:])
    assert len(both.witnesses.readings) == 2
    assert both.witnesses.found == "as claimed"


@pytest.fixture(scope="module", params=[1, None], ids=["simulation", "release"])
def proven(request):
    choices = Choices.checked(
        protocol="verified", epsilon="1", record_cap=400, witnesses=400, seed=request.param
    )
    chosen = choices.federation_over(DATA.schema)
    return chosen, chosen.run(FIVE, by="ideal" if request.param else "messages")


def test_each_aggregator_subtracts_its_own_draws_and_tests_the_rest(proven):
    _, round_ = proven
    assert [reading.shares for reading in round_.witnesses.readings] == [1, 1]
    cells = round_.opened.rows[0, LENGTH:]
    rests = [reading.cells for reading in round_.witnesses.readings]
    # what one did not draw, the other did
    assert np.array_equal(rests[0] + rests[1], cells)
    assert round_.witnesses.found == "as claimed"


def test_an_aggregator_that_adds_nothing_is_found_by_the_other(proven, monkeypatch):
    chosen, _ = proven
    share = DiscreteLaplace.share

    def lazy(self, schema, among, noise, shares=1, witnesses=0):
        drawn = share(self, schema, among, noise, shares, witnesses)
        lazy.calls += 1
        return drawn if lazy.calls % 2 else 0 * drawn

    lazy.calls = 0
    monkeypatch.setattr(DiscreteLaplace, "share", lazy)
    again = replace(chosen, seed=chosen.seed)
    round_ = again.run(FIVE, by="ideal")
    assert [finding.found for finding in round_.witnesses.findings] == ["claim broken", "as claimed"]


def test_nodes_prove_that_they_leave_the_cells_empty():
    choices = Choices.checked(protocol="verified", epsilon="1", record_cap=400, witnesses=50, seed=1)
    chosen = choices.federation_over(DATA.schema)
    sent = chosen.prepare(FIVE)
    vectors = dict(sent.vectors)
    vectors[FIVE[0].id] = vectors[FIVE[0].id].copy()
    vectors[FIVE[0].id][-1] = 3
    assert isinstance(chosen.protocol, Verified)
    assert chosen.protocol.validity.broken(vectors[FIVE[0].id]) == (EMPTY,)
    opened, transcript, _ = chosen.opened(Contributions(sent.groups, vectors))
    assert opened.members == (tuple(node.id for node in FIVE[1:]),)
    assert [blame.whom for blame in transcript.blames] == [FIVE[0].id]


@pytest.mark.parametrize("witnesses", [1, 49, 10**9, -5])
def test_numbers_of_cells_that_are_of_no_use_are_refused(witnesses):
    with pytest.raises(ValueError, match="50 to 100,000 cells"):
        federation(witnesses=witnesses)


def test_without_noise_there_is_nothing_to_witness():
    with pytest.raises(ValueError, match="leave out witnesses"):
        replace(federation(), mechanism=NoNoise())
