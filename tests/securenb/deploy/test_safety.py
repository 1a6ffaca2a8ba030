"""A plan that withstands less than a site wants is refused, with the field and both values."""

import dataclasses

import pytest

from protocols.protocol import PROTOCOLS
from protocols.session_rules import RefusedSession
from securenb.deploy.dry_run import dry_run
from securenb.deploy.limits import read_limits
from securenb.deploy.plan import propose
from securenb.deploy.safety import COLLUDING, CORRUPT, CORRUPT_HOLDERS, KEY_EXCHANGE, PROFILE, Safety
from securenb.deploy.site import Site
from securenb.experiments.choices import Choices

SAFE = {
    "smallest_colluding": COLLUDING,
    "smallest_corrupt": CORRUPT,
    "smallest_corrupt_holders": CORRUPT_HOLDERS,
    "profile": PROFILE,
    "key_exchange": KEY_EXCHANGE,
}
CHOICES = {"dataset": "phishing", "protocol": "secagg", "epsilon": "1", "record_cap": 1000, "colluding": 1}


@pytest.fixture
def proposed(dataset):
    """Makes the plan, federation and session of some choices, for a protocol with other parameters."""

    def make(nodes=10, parameters=None, **choices):
        schema = dataset("phishing").schema
        choices = {name: value for name, value in (CHOICES | choices).items() if name != "dataset"}
        scenario = Choices.checked(**choices)
        federation = scenario.federation_over(schema)
        if parameters:
            protocol = dataclasses.replace(federation.protocol, **parameters)
            federation = dataclasses.replace(federation, protocol=protocol)
        plan, session = propose(scenario, federation, federation.grouped([f"site-{i}" for i in range(nodes)]))
        return plan, federation, session

    return make


def refusal(limits, plan, federation, session):
    try:
        Safety(**(SAFE | limits)).check_safety(plan, federation, session, 0)
    except RefusedSession as error:
        return str(error)
    return None


LOWERED = [
    ({}, {"colluding": 0}, {}, "colluding is 0 in the plan; we want at least 1 (smallest_colluding)"),
    ({"smallest_colluding": 3}, {"colluding": 2}, {}, "colluding is 2 in the plan; we want at least 3"),
    (
        {},
        {},
        {"profile": "semi-honest"},
        "profile is semi-honest in the plan; we want at least malicious (profile)",
    ),
    (
        {},
        {"protocol": "oneshot"},
        {"key_exchange": "x25519"},
        "key_exchange is x25519 in the plan; we want at least hybrid (key_exchange)",
    ),
    ({}, {"protocol": "secagg_plus"}, {"corrupt": 0.04}, "corrupt is 0.04 in the plan"),
    (
        {"smallest_corrupt": 0.2},
        {"protocol": "secagg_plus"},
        {},
        "we want at least 0.2 (2 nodes) (smallest_corrupt)",
    ),
    ({"smallest_corrupt": 0.4}, {}, {}, "3 of 10 nodes in the plan; we want at least 0.4 (4 nodes)"),
]


@pytest.mark.parametrize(("limits", "choices", "parameters", "why"), LOWERED)
def test_a_plan_below_a_limit_is_refused_with_both_values(proposed, limits, choices, parameters, why):
    said = refusal(limits, *proposed(parameters=parameters, **choices))
    assert said is not None
    assert why in said


def test_the_safe_values_accept_what_the_product_does_by_default(proposed):
    for name in ("secagg", "secagg_plus"):
        assert refusal({}, *proposed(protocol=name)) is None
    for name in ("oneshot", "threshold_paillier"):
        held = getattr(PROTOCOLS[name](), "corrupt_holders", None)
        assert held is None or held >= CORRUPT_HOLDERS


def test_fewer_corrupt_holders_than_wanted_are_refused(proposed):
    plan, federation, session = proposed(protocol="oneshot")

    class Committee:
        """A protocol of which only this is asked."""

        corrupt_holders = 1

    federation = dataclasses.replace(federation)
    object.__setattr__(federation, "protocol", Committee())
    assert refusal({}, plan, federation, session) is None
    said = refusal({"smallest_corrupt_holders": 2}, plan, federation, session)
    assert "corrupt_holders is 1 in the plan; we want at least 2 (smallest_corrupt_holders)" in said


def test_where_a_limit_has_no_meaning_it_refuses_nothing(proposed):
    assert refusal({}, *proposed(protocol="plain", colluding=0, group_size=1)) is None
    proven = proposed(protocol="verified", colluding=0, record_cap=200)
    assert proven[0].proven
    assert refusal({}, *proven) is None


def test_in_a_small_group_all_but_one_may_collude(proposed):
    assert refusal({"smallest_colluding": 9}, *proposed(nodes=3, threshold=3, colluding=2)) is None


@pytest.mark.parametrize("size", range(3, 30))
def test_what_the_complete_graph_withstands_is_the_bound_of_its_proof(size):
    protocol = PROTOCOLS["secagg"]()
    most = protocol.withstands(size)
    assert 2 * protocol.survivors(size) > size + most
    assert 2 * protocol.survivors(size) <= size + most + 1
    weaker = dataclasses.replace(protocol, profile="semi-honest")
    assert weaker.survivors(size) == weaker.withstands(size) + 1


def test_what_a_row_counts_on_is_part_of_the_session(proposed):
    sessions = [proposed(colluding=count)[2] for count in (1, 2)]
    sessions = [dataclasses.replace(session, id=bytes(16)) for session in sessions]
    assert sessions[0].context != sessions[1].context
    assert sessions[0].digest != sessions[1].digest


def test_a_deployment_is_made_with_the_safe_values_and_a_dry_run_shows_them(deployment):
    limits = read_limits(deployment.place("site-1") / "site.toml")
    assert {name: getattr(limits, name) for name in SAFE} == SAFE
    shown = dry_run(Site(deployment.place("site-1")), {"protocol": "secagg", "epsilon": "1", "seed": 7})
    assert "  colluding: 1; you want at least 1 (smallest_colluding)" in shown
    assert "  profile: malicious; you want at least malicious (profile)" in shown
    assert "  corrupt: 2 of 5 nodes; you want at least 0.05 (0 nodes) (smallest_corrupt)" in shown


@pytest.mark.parametrize("field", SAFE)
def test_a_site_that_leaves_a_limit_out_is_told_so(deployment, field):
    path = deployment.place("site-1") / "site.toml"
    lines = [line for line in path.read_text().splitlines() if not line.startswith(field)]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match=f"{field}: Field required"):
        read_limits(path)
