"""Two lists of members, told to different holders: at most one is answered, as long as 2q > h + c'."""

import dataclasses
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from attacks.prove.committee_play import Lie, play
from protocols.credentials import Credentials, made_on_the_spot
from protocols.engines.local import LocalRun
from protocols.entropy import seeded
from protocols.errors import Abort, FaultyParty
from protocols.one_list import Confirmed, OneList
from protocols.party import AGGREGATOR, Envelope
from protocols.primitives.identity import Identity, Roster
from protocols.releases import Releases
from protocols.ring import Capacity
from protocols.schemes.oneshot import OneShot
from protocols.schemes.threshold_paillier import ThresholdPaillier
from protocols.session_rules import RefusedSession, SessionRule

NODES = tuple(f"node-{i}" for i in range(6))
ALL, FIRST, LAST = NODES, NODES[:3], NODES[3:]
VECTORS = {node: np.array([i, -i, 100]) for i, node in enumerate(NODES)}


def committee(kind, holders, quorum, corrupt):
    if kind is ThresholdPaillier:
        return kind(
            threshold=3,
            bits=256,
            insecure_bits=True,
            holders=holders,
            quorum=quorum,
            corrupt_holders=corrupt,
        )
    return kind(threshold=3, holders=holders, quorum=quorum, corrupt_holders=corrupt)


@pytest.fixture(params=[OneShot, ThresholdPaillier], ids=["oneshot", "threshold_paillier"])
def kind(request):
    return request.param


def holders_of(protocol):
    return [name for name in protocol.trustee_ids(NODES) if name.startswith("holder")]


def lies(protocol, corrupt, lists=(ALL, FIRST, LAST)):
    """Every way to tell the lists, up to the holders' names; the last holders are corrupt."""
    names = holders_of(protocol)
    honest = names[: len(names) - corrupt]
    for told in combinations_with_replacement(range(len(lists)), len(honest)):
        yield Lie(lists, dict(zip(honest, told, strict=True)), frozenset(names[len(honest) :]))


# what opened two sums before


@pytest.mark.parametrize(("holders", "quorum"), [(3, 2), pytest.param(5, 3, marks=pytest.mark.slow)])
def test_three_lists_open_at_most_one_sum_with_nobody_corrupt(kind, holders, quorum):
    """The scripts that opened two sums, and 3·S(A) + 4·S(B), at these sizes: and every other way to lie."""
    protocol = committee(kind, holders, quorum, 0)
    answered = []
    for seed, lie in enumerate(lies(protocol, 0)):
        played = play(protocol, NODES, lie, seed)
        assert played.exact
        answered.append(len(played.answered))
    assert set(answered) == {0, 1}


def test_the_play_sees_holders_that_answer_without_being_confirmed(kind, monkeypatch):
    """What they did before: the server tells three lists, and combines the answers."""
    monkeypatch.setattr(OneList, "complete", OneList.told)
    monkeypatch.setattr(OneList, "confirmed", property(lambda self: tuple(self._mine)))
    protocol = committee(kind, 3, 2, 0)
    played = [play(protocol, NODES, lie) for lie in lies(protocol, 0)]
    assert max(len(each.answered) for each in played) == 3


@pytest.mark.parametrize(
    ("holders", "quorum", "corrupt"), [(4, 3, 1), pytest.param(5, 4, 2, marks=pytest.mark.slow)]
)
def test_nor_with_as_many_corrupt_holders_as_are_declared(kind, holders, quorum, corrupt):
    protocol = committee(kind, holders, quorum, corrupt)
    for seed, lie in enumerate(lies(protocol, corrupt)):
        played = play(protocol, NODES, lie, seed)
        assert played.exact
        assert not played.broken, played.lines


@pytest.mark.parametrize(("holders", "quorum", "corrupt"), [(5, 4, 3), (4, 3, 2), (3, 2, 1)])
def test_one_corrupt_holder_more_opens_two_sums(kind, holders, quorum, corrupt):
    """The condition is exact: c' = 2q - h is refused where it is declared, and broken where it is not."""
    assert 2 * quorum == holders + corrupt
    with pytest.raises(RefusedSession, match=f"with {corrupt} corrupt of {holders} holders") as refused:
        committee(kind, holders, quorum, corrupt)
    assert refused.value.rule is SessionRule.THRESHOLD
    assert f"corrupt_holders={corrupt - 1}" in str(refused.value)
    protocol = committee(kind, holders, quorum, corrupt - 1)
    played = [play(protocol, NODES, lie) for lie in lies(protocol, corrupt, (ALL, FIRST))]
    assert any(sum(row is not None for row in each.opened) == 2 and each.exact for each in played)


@pytest.mark.parametrize("seed", range(4))
def test_confirmations_that_reach_only_some_open_no_second_sum(kind, seed):
    """Selective relaying, in a random order each time."""
    rng = np.random.default_rng(seed)
    protocol = committee(kind, 5, 3, 0) if kind is OneShot else committee(kind, 4, 3, 1)
    corrupt = protocol.corrupt_holders
    for lie in lies(protocol, corrupt, (ALL, FIRST)):
        kept = {pair: rng.random() < 0.7 for pair in product(holders_of(protocol), repeat=2)}
        selective = dataclasses.replace(lie, relayed=lambda a, b, kept=kept: kept[a, b])
        played = play(protocol, NODES, selective, seed)
        assert played.exact
        assert not played.broken


def test_the_honest_story_opens_its_sum_under_the_same_play(kind):
    protocol = committee(kind, 4, 3, 1)
    names = holders_of(protocol)
    played = play(protocol, NODES, Lie((ALL,), dict.fromkeys(names, 0)))
    assert played.exact
    assert played.opened[0] is not None


def test_the_condition_is_exact_for_every_small_committee():
    """Which lists honest holders are told, by brute force; corrupt ones confirm them all."""
    for holders in range(1, 8):
        for quorum in range(holders // 2 + 1, holders + 1):
            for corrupt in range(quorum):
                honest = holders - corrupt
                told = combinations_with_replacement(range(3), honest)
                worst = max(sum(labels.count(x) >= quorum - corrupt for x in set(labels)) for labels in told)
                refused = 2 * quorum <= holders + corrupt
                assert (worst > 1) == refused
                assert is_refused(holders, quorum, corrupt) == refused


def is_refused(holders, quorum, corrupt):
    try:
        OneShot(holders=holders, quorum=quorum, corrupt_holders=corrupt)
    except RefusedSession:
        return True
    return False


# a holder that is started again


def parties_of(protocol, folder, seed):
    """Everybody, holders with a memory that outlives them."""
    session = protocol.session((NODES,), 3, Capacity(1000, 6), bytes(16))
    entropy = seeded(seed)
    parties = protocol.parties(VECTORS, session, entropy)
    kept = made_on_the_spot(session.trustees, seeded(1))
    for trustee in session.trustees:
        (folder / trustee).mkdir(exist_ok=True)
        own = dataclasses.replace(kept[trustee], releases=Releases(folder / trustee))
        parties[trustee] = protocol.trustee(trustee, session, entropy(trustee), own)
    return session, parties


def test_a_holder_that_is_started_again_confirms_nothing_again(kind, tmp_path):
    """It has confirmed and not yet answered: the claim was made by then, so no other list is confirmed."""
    protocol = committee(kind, 3, 3, 2)
    confirmed = []
    session, parties = parties_of(protocol, tmp_path, 1)

    def losing(envelope):
        confirmed.extend([envelope] if isinstance(envelope.body, Confirmed) else [])
        return [] if isinstance(envelope.body, Confirmed) else [envelope]

    for name in holders_of(protocol):
        deviate(parties[name], losing)
    run = LocalRun(parties, protocol.codec(session), session)
    with pytest.raises(Abort):
        run.run()
    assert len(confirmed) == 3 * 3
    session, parties = parties_of(protocol, tmp_path, 2)
    confirmed.clear()
    for name in holders_of(protocol):
        deviate(parties[name], losing)
    again = LocalRun(parties, protocol.codec(session), session)
    with pytest.raises(Abort):
        again.run()
    assert confirmed == []
    stops = {stop.party for stop in again.transcript.stops if "released its part" in stop.reason}
    assert stops == set(holders_of(protocol))


def deviate(party, change):
    for question in ("start", "handle", "deadline"):
        honest = getattr(party, question)
        setattr(party, question, lambda *a, honest=honest: [x for e in honest(*a) for x in change(e)])


# what a holder counts


SESSION = OneShot(threshold=3, holders=3, quorum=2, corrupt_holders=0).session(
    (NODES,), 3, Capacity(1000, 6), bytes(16)
)
IDENTITIES = {name: Identity(name.encode().ljust(32, b".")) for name in SESSION.trustees}
ROSTER = Roster({name: identity.public for name, identity in IDENTITIES.items()})


def one_list(me, session=SESSION, roster=ROSTER, quorum=2, identity=None):
    own = Credentials(identity or IDENTITIES[me], roster, Releases())
    return OneList(me, session, SESSION.trustees, quorum, own)


def told(holder, members=ALL, groups=(0,)):
    """What a holder says when it is told these members."""
    return holder.confirm({group: holder.list_of(group, members) for group in groups})


def heard(listener, envelopes):
    for envelope in envelopes:
        if envelope.recipient == "holder-1":
            listener.hear(envelope.sender, envelope.body)


def test_the_same_list_counts_and_another_does_not():
    for members, counts in ((ALL, True), (FIRST, False), (ALL[::-1], False)):
        mine = one_list("holder-1")
        told(mine)
        assert not mine.complete
        heard(mine, told(one_list("holder-2"), members))
        assert mine.complete is counts
    mine = one_list("holder-1")
    heard(mine, told(one_list("holder-2")))
    assert not mine.complete, "the holder has not been told anything itself"
    told(mine)
    assert mine.complete


def test_groups_count_one_by_one():
    mine = one_list("holder-1")
    told(mine, groups=(0, 1))
    heard(mine, told(one_list("holder-2"), groups=(1,)))
    assert mine.confirmed == (1,)
    assert not mine.complete
    heard(mine, told(one_list("holder-3"), groups=(0, 2)))
    assert mine.confirmed == (0, 1)


def other_session():
    protocol = OneShot(threshold=3, holders=3, quorum=2, corrupt_holders=0)
    return protocol.session((NODES,), 3, Capacity(1000, 6), bytes([1] * 16))


FORGED = {
    "by somebody else": lambda: told(one_list("holder-2", identity=Identity(bytes(32)))),
    "in another session": lambda: told(one_list("holder-2", session=other_session())),
    "under another roster": lambda: told(
        one_list("holder-2", roster=Roster({**ROSTER, "eve": Identity(bytes(32)).public}))
    ),
    "for another holder": lambda: [
        dataclasses.replace(envelope, sender="holder-2") for envelope in told(one_list("holder-3"))
    ],
    "twice the same group": lambda: [
        Envelope("holder-2", "holder-1", Confirmed((0, 0), bytes(64), bytes(64))),
    ],
    "no digest": lambda: [Envelope("holder-2", "holder-1", Confirmed((0,), b"", bytes(64)))],
    "no signature": lambda: [Envelope("holder-2", "holder-1", Confirmed((0,), bytes(32), b""))],
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_what_a_holder_did_not_sign_here_is_blamed_and_does_not_count(forge):
    mine = one_list("holder-1")
    told(mine)
    with pytest.raises(FaultyParty) as caught:
        heard(mine, forge())
    assert caught.value.party == "holder-2"
    heard(mine, told(one_list("holder-2")))
    assert mine.complete


@pytest.mark.parametrize("sender", ["holder-1", "holder-4", "node-0", AGGREGATOR])
def test_nobody_but_the_other_holders_confirms(sender):
    mine = one_list("holder-1")
    told(mine)
    body = told(one_list("holder-2"))[0].body
    with pytest.raises(FaultyParty, match="not invited"):
        mine.hear(sender, body)


def test_a_second_confirmation_changes_nothing():
    mine, other = one_list("holder-1"), one_list("holder-2")
    told(mine)
    heard(mine, told(other, FIRST))
    with pytest.raises(FaultyParty, match="twice"):
        heard(mine, told(one_list("holder-2")))
    assert not mine.complete


def test_a_holder_confirms_once():
    mine = one_list("holder-1")
    told(mine)
    with pytest.raises(Abort, match="released its part"):
        told(mine, FIRST)


def test_a_holder_without_its_credentials_is_refused(kind):
    protocol = committee(kind, 3, 2, 0)
    session = protocol.session((NODES,), 3, Capacity(1000, 6), bytes(16))
    [*_, me] = session.trustees
    kept = made_on_the_spot(session.trustees, seeded(1))
    alone = made_on_the_spot([me], seeded(1))[me]
    others = Credentials(kept[session.trustees[-2]].identity, kept[me].roster, Releases())
    for credentials, reason in ((None, "needs credentials"), (alone, "not in the roster"), (others, "of")):
        with pytest.raises(RefusedSession, match=reason) as refused:
            protocol.trustee(me, session, seeded(1)(me), credentials)
        assert refused.value.rule is SessionRule.IDENTITIES


def test_a_holder_takes_no_other_parameters_than_its_own(kind):
    ours, theirs = committee(kind, 4, 3, 1), committee(kind, 4, 3, 0)
    session = theirs.session((NODES,), 3, Capacity(1000, 6), bytes(16))
    me = session.trustees[-1]
    credentials = made_on_the_spot(session.trustees, seeded(1))[me]
    with pytest.raises(RefusedSession) as refused:
        ours.trustee(me, session, seeded(1)(me), credentials)
    assert refused.value.rule is SessionRule.SAME_PARAMETERS
