"""Bad sessions are refused by every protocol, with the name of the rule and the value that breaks it."""

import dataclasses
import re

import msgspec
import numpy as np
import pytest

from protocols.credentials import made_on_the_spot
from protocols.engines.local import LocalRun
from protocols.entropy import seeded
from protocols.errors import Abort, FaultyParty
from protocols.grouping import one_group
from protocols.one_list import ConfirmingCommittee
from protocols.party import AGGREGATOR
from protocols.protocol import PROTOCOLS
from protocols.releases import Releases
from protocols.ring import Capacity
from protocols.schemes._double_masking.protocol import DoubleMasking
from protocols.session_rules import RefusedSession, SessionRule
from securenb.deploy.plan import propose
from securenb.experiments.scenario import Scenario

NODES = tuple(f"node-{i}" for i in range(9))
CAPACITY = Capacity(bound=1000, nodes=len(NODES), tail=50)
SESSION_ID = bytes(range(16))
SCHEMA, OTHER_SCHEMA = b"a" * 32, b"b" * 32


@pytest.fixture(params=list(PROTOCOLS))
def protocol(request):
    return PROTOCOLS[request.param].for_tests()


def session_of(protocol, groups=(NODES,), context=SCHEMA):
    return protocol.session(groups, 2, CAPACITY, SESSION_ID, context)


def refusal(make):
    """The rule that a session is refused for, `None` if it is not; it must be named, in one line."""
    try:
        make()
    except RefusedSession as error:
        refused = error
    else:
        return None, ""
    assert str(refused).startswith(f"{refused.rule.value}: ")
    assert "\n" not in str(refused)
    return refused.rule, str(refused)


def has(protocol, name):
    return name in {field.name for field in dataclasses.fields(protocol)}


def test_every_rule_has_a_name_of_its_own():
    assert len({rule.value for rule in SessionRule}) == len(SessionRule) >= 10


@pytest.mark.parametrize("threshold", range(-1, len(NODES) + 3))
def test_a_threshold_is_kept_or_refused_by_name_and_value(protocol, threshold):
    chosen = dataclasses.replace(protocol, threshold=threshold)
    rule, said = refusal(lambda: session_of(chosen))
    if rule is None:
        assert max(1, protocol.smallest_group) <= chosen.survivors(len(NODES)) == threshold <= len(NODES)
    else:
        assert re.search(rf"\b{threshold}\b|got {threshold}", said)
    if threshold > len(NODES):
        assert rule in (SessionRule.ENOUGH_NODES, SessionRule.WHOLE_GROUP)
    if threshold < protocol.smallest_group or threshold < 1:
        assert rule in (SessionRule.SMALLEST_GROUP, SessionRule.THRESHOLD, SessionRule.WHOLE_GROUP)


@pytest.mark.parametrize(("profile", "parts"), [("semi-honest", (1, 2)), ("malicious", (2, 3))])
def test_where_secrets_are_shared_two_separate_sets_of_holders_are_never_enough(protocol, profile, parts):
    if not isinstance(protocol, DoubleMasking):
        pytest.skip("nodes hold no shares of one another's secrets")
    for size in range(3, 30):
        nodes = tuple(f"node-{i}" for i in range(size))
        capacity = Capacity(bound=1, nodes=size)
        for threshold in range(3, size + 1):
            chosen = dataclasses.replace(protocol, threshold=threshold, profile=profile)
            rule, said = refusal(lambda: chosen.session((nodes,), 1, capacity, SESSION_ID))  # noqa: B023
            if parts[1] * threshold <= parts[0] * size:
                assert rule is SessionRule.THRESHOLD
                assert said.endswith(f"of {size} holders, got {threshold}")
            else:
                assert rule in (None, SessionRule.SIZING)


def test_a_quorum_of_half_the_holders_or_less_is_refused(protocol):
    if not has(protocol, "quorum"):
        pytest.skip("has no quorum of holders")
    for holders in range(1, 9):
        for quorum in range(holders // 2 + 1):
            rule, said = refusal(
                lambda: dataclasses.replace(protocol, holders=holders, quorum=quorum)  # noqa: B023
            )
            assert rule is SessionRule.THRESHOLD
            assert str(quorum) in said
            assert str(holders) in said


def test_a_committee_in_which_two_lists_could_be_answered_is_refused_with_what_would_be_safe(protocol):
    if not has(protocol, "corrupt_holders"):
        pytest.skip("has no committee whose holders confirm")
    for holders in range(1, 8):
        for quorum in range(holders // 2 + 1, holders + 1):
            for corrupt in range(-1, holders + 1):
                choices = {"holders": holders, "quorum": quorum, "corrupt_holders": corrupt}
                rule, said = refusal(lambda: dataclasses.replace(protocol, **choices))  # noqa: B023
                assert (rule is None) == (corrupt >= 0 and 2 * quorum > holders + corrupt)
                for change in re.findall(r"(\w+)=(\d+)", said):
                    safe = choices | {"corrupt_holders": max(corrupt, 0), change[0]: int(change[1])}
                    assert refusal(lambda: dataclasses.replace(protocol, **safe))[0] is None  # noqa: B023


@pytest.mark.parametrize("size", [1, 2])
def test_a_group_of_one_or_two_is_refused_where_nodes_must_not_read_one_another(protocol, size):
    groups = (NODES[:size], NODES[size:])
    rule, said = refusal(lambda: session_of(protocol, groups))
    if protocol.smallest_group > size:
        assert rule is SessionRule.SMALLEST_GROUP
        assert ", ".join(NODES[:size]) in said
    else:
        assert rule is None


def test_no_sum_of_fewer_than_the_smallest_group_is_promised(protocol):
    for size in range(protocol.smallest_group, len(NODES) + 1):
        assert protocol.survivors(size) >= protocol.smallest_group


def test_a_capacity_that_a_group_does_not_fit_in_is_refused(protocol):
    rule, said = refusal(lambda: protocol.session((NODES,), 2, Capacity(1, 8), SESSION_ID))
    assert rule is SessionRule.NO_WRAP
    assert "for 8 nodes, a group has 9" in said


# schemas


def test_a_plan_about_another_schema_is_refused_with_both_digests(dataset):
    data, other = dataset("phishing"), dataset("digits")
    for name in PROTOCOLS:
        scenario = Scenario(dataset="phishing", protocol=name, epsilon="1", seed=1, nodes=9)
        federation = scenario.federation(data)
        plan, session = propose(scenario, federation, one_group(NODES))
        assert plan.session(federation) == session
        theirs = plan.federation(other.schema)
        rule, said = refusal(lambda: plan.session(theirs))  # noqa: B023
        assert rule is SessionRule.SAME_SCHEMA, name
        assert data.schema.digest.hex()[:16] in said
        assert other.schema.digest.hex()[:16] in said


def test_parties_with_different_schemas_cannot_talk(protocol):
    codecs = [protocol.codec(session_of(protocol, context=context)) for context in (SCHEMA, OTHER_SCHEMA)]
    fields = {"bytes": b"", "str": "", "int": 0}
    spoken = 0
    for message in protocol.messages:
        kinds = [getattr(field.type, "__name__", "") for field in msgspec.structs.fields(message)]
        if not set(kinds) <= set(fields):
            continue  # lists of messages travel in the same frames
        frame = codecs[0].encode("node-1", AGGREGATOR, message(*(fields[kind] for kind in kinds)))
        codecs[0].decode("node-1", AGGREGATOR, frame)
        with pytest.raises(FaultyParty, match="of another session"):
            codecs[1].decode("node-1", AGGREGATOR, frame)
        spoken += 1
    assert spoken


# session ids


def test_a_session_id_that_was_released_is_refused_by_those_who_remember(protocol, tmp_path):
    if not (has(protocol, "releases") or isinstance(protocol, DoubleMasking | ConfirmingCommittee)):
        pytest.skip("keeps no memory; a site does, whatever the protocol")
    vectors = {node: np.array([i, -i]) for i, node in enumerate(NODES)}
    if has(protocol, "releases"):
        protocol = dataclasses.replace(protocol, releases=Releases(tmp_path))

    def run(groups, seed):
        session = session_of(protocol, groups)
        entropy = seeded(seed)
        parties = protocol.parties(vectors, session, entropy)
        if isinstance(protocol, ConfirmingCommittee):
            kept = made_on_the_spot(session.trustees, seeded(1))
            for trustee in session.trustees:
                (tmp_path / trustee).mkdir(exist_ok=True)
                own = dataclasses.replace(kept[trustee], releases=Releases(tmp_path / trustee))
                parties[trustee] = protocol.trustee(trustee, session, entropy(trustee), own)
        if isinstance(protocol, DoubleMasking):
            kept = made_on_the_spot(NODES, seeded(1))
            for node in NODES:
                (tmp_path / node).mkdir(exist_ok=True)
                credentials = dataclasses.replace(kept[node], releases=Releases(tmp_path / node))
                parties[node] = protocol.node(node, vectors[node], session, entropy(node), credentials)
            roster = kept[NODES[0]].roster
            parties[AGGREGATOR] = protocol.aggregator(session, entropy(AGGREGATOR), roster)
        return LocalRun(parties, protocol.codec(session), session)

    assert run((NODES,), 1).run().rows.tolist() == [[36, -36]]
    # the same number again, for other groups: a session is told by its id
    again = run((NODES[:4], NODES[4:]), 2)
    with pytest.raises(Abort):
        again.run()
    refusals = [
        stop.reason for stop in again.transcript.stops if SessionRule.ONE_RELEASE.value in stop.reason
    ]
    assert refusals
    assert all(SESSION_ID.hex() in reason for reason in refusals)
