"""What nodes, holders, dealer and a malicious aggregator can and cannot do to each other."""

from itertools import combinations

import numpy as np
import pytest

from protocols.engines.faults import NO_FAULTS, Faults
from protocols.engines.local import LocalRun
from protocols.entropy import seeded
from protocols.errors import FaultyParty, TooFewParties
from protocols.grouping import one_group
from protocols.one_list import Confirmed
from protocols.party import AGGREGATOR, Envelope
from protocols.primitives.box import BoxKey, overhead_bytes
from protocols.primitives.paillier import ciphertexts_from_bytes, ciphertexts_to_bytes
from protocols.ring import Capacity
from protocols.schemes._paillier.dealer import DEALER, Dealt, HolderKey, Share
from protocols.schemes._paillier.holder import (
    Contributions,
    Partial,
    Partials,
    Proven,
    Published,
    Receipt,
    Roster,
    receipt,
)
from protocols.schemes._paillier.packed import Key
from protocols.schemes.threshold_paillier import ThresholdPaillier

NODES = tuple(f"node-{i}" for i in range(5))
EVIL = "node-4"
HOLDERS = tuple(f"holder-{i}" for i in range(4))
CAPACITY = Capacity(bound=1000, nodes=5)
PROTOCOL = ThresholdPaillier(bits=256, insecure_bits=True, holders=4, quorum=3)
LENGTH = 30
SESSION = PROTOCOL.session(one_group(NODES), LENGTH, CAPACITY, bytes(16))
SLOTS = PROTOCOL.slots(SESSION)
VECTORS = {
    node: np.random.default_rng(i).integers(-100, 100, LENGTH, endpoint=True) for i, node in enumerate(NODES)
}
SUM = sum(VECTORS.values())
HONEST_SUM = SUM - VECTORS[EVIL]


class Forging(Faults):
    """Messages of one kind from one sender are replaced by what `forge` makes of them; `None` loses them."""

    def __init__(self, sender, kind, forge, recipients=None):
        super().__init__()
        self.codec = PROTOCOL.codec(SESSION)
        self.sender, self.kind, self.forge, self.recipients = sender, kind, forge, recipients

    def carry(self, frame):
        body = self.codec.decode(frame.sender, frame.recipient, frame.data)
        chosen = self.recipients is None or frame.recipient in self.recipients
        if frame.sender != self.sender or not isinstance(body, self.kind) or not chosen:
            return [frame], []
        forged = self.forge(body)
        if forged is None:
            return [], []
        data = self.codec.encode(frame.sender, frame.recipient, forged)
        return [type(frame)(frame.sender, frame.recipient, data)], []


def run(faults=NO_FAULTS, seed=1):
    parties = PROTOCOL.parties(VECTORS, SESSION, seeded(seed))
    return LocalRun(parties, PROTOCOL.codec(SESSION), SESSION, faults)


def blamed(attacked):
    return [(blame.by, blame.party) for blame in attacked.transcript.blames]


# holders that are silent or lie


@pytest.mark.parametrize("stage", [0, 1, 2])
@pytest.mark.parametrize("silent", HOLDERS)
def test_any_quorum_of_holders_is_enough(silent, stage):
    opened = run(Faults(silent={silent: stage})).run()
    assert opened.members == (NODES,)
    assert np.array_equal(opened.rows[0], SUM)


@pytest.mark.parametrize("stages", [(0, 0), (0, 1), (1, 2), (2, 2)])
@pytest.mark.parametrize("silent", [HOLDERS[:2], HOLDERS[2:]])
def test_fewer_holders_than_a_quorum_open_nothing(silent, stages):
    attacked = run(Faults(silent=dict(zip(silent, stages, strict=True))))
    with pytest.raises(TooFewParties):
        attacked.run()
    assert attacked.parties[AGGREGATOR].output is None


def altered(partials, factor):
    """The partial decryptions times `factor` modulo n², with the proof that was for others."""
    [answer] = partials.groups
    size = PROTOCOL.bits // 4
    first = int.from_bytes(answer.ciphertexts[:size], "big")
    data = (first + factor).to_bytes(size, "big") + answer.ciphertexts[size:]
    return Partials((Partial(data, answer.challenge, answer.response),))


WRONG_PARTIALS = {
    "another number": lambda p: altered(p, 1),
    "no proof": lambda p: Partials((Partial(p.groups[0].ciphertexts, b"", b""),)),
    "a proof of nothing": lambda p: Partials((Partial(p.groups[0].ciphertexts, bytes(32), bytes(40)),)),
    "zeros": lambda p: Partials((Partial(bytes(len(p.groups[0].ciphertexts)), *[b""] * 2),)),
    "too short": lambda p: Partials((Partial(p.groups[0].ciphertexts[1:], *[b""] * 2),)),
    "no group": lambda p: Partials(()),
    "a group too many": lambda p: Partials(p.groups * 2),
}


@pytest.mark.parametrize("forge", WRONG_PARTIALS.values(), ids=WRONG_PARTIALS)
def test_a_wrong_partial_decryption_is_blamed_and_the_other_holders_are_enough(forge):
    """The first to answer lies: what comes after a quorum's answers is not looked at."""
    attacked = run(Forging("holder-2", Partials, forge))
    opened = attacked.run()
    assert np.array_equal(opened.rows[0], SUM)
    assert blamed(attacked) == [(AGGREGATOR, "holder-2")]


def test_another_holders_answer_is_blamed():
    answers = {}

    class Copying(Forging):
        def carry(self, frame):
            body = self.codec.decode(frame.sender, frame.recipient, frame.data)
            if isinstance(body, Partials):
                answers[frame.sender] = body
            return super().carry(frame)

    attacked = run(Copying("holder-3", Partials, lambda _: answers["holder-2"]))
    assert np.array_equal(attacked.run().rows[0], SUM)
    assert blamed(attacked) == [(AGGREGATOR, "holder-3")]


FALSE_ROSTERS = {
    "knows nobody": lambda r: Roster((b"",) * len(NODES)),
    "knows others": lambda r: Roster(tuple(bytes(32) for _ in r.receipts)),
    "in another order": lambda r: Roster(r.receipts[::-1]),
}


@pytest.mark.parametrize("forge", FALSE_ROSTERS.values(), ids=FALSE_ROSTERS)
def test_one_holder_cannot_keep_nodes_out(forge):
    opened = run(Forging("holder-2", Roster, forge)).run()
    assert opened.members == (NODES,)
    assert np.array_equal(opened.rows[0], SUM)


@pytest.mark.parametrize("receipts", [(), (b"",) * 4, (b"",) * 6, (b"", b"", b"", b"", bytes(31))])
def test_a_malformed_roster_is_blamed(receipts):
    attacked = run(Forging("holder-2", Roster, lambda _: Roster(receipts)))
    assert np.array_equal(attacked.run().rows[0], SUM)
    assert blamed(attacked) == [(AGGREGATOR, "holder-2")]


# a malicious node


def with_ciphertext(value, at=0):
    def forge(vector):
        size = PROTOCOL.bits // 4
        data = bytearray(vector.ciphertexts)
        data[at * size : (at + 1) * size] = value.to_bytes(size, "big")
        return Proven(bytes(data), vector.proof)

    return forge


MALFORMED = {
    "zero": with_ciphertext(0),
    "one": with_ciphertext(1),
    "the largest number": with_ciphertext((1 << PROTOCOL.bits * 2) - 1, at=1),
    "too short": lambda v: Proven(v.ciphertexts[:-1], v.proof),
    "nothing": lambda v: Proven(b"", b""),
    "no proof": lambda v: Proven(v.ciphertexts, b""),
    "another proof": lambda v: Proven(v.ciphertexts, v.proof[::-1]),
}


@pytest.mark.parametrize("forge", MALFORMED.values(), ids=MALFORMED)
def test_malformed_vectors_are_blamed_on_their_sender_and_the_others_are_summed(forge):
    attacked = run(Forging(EVIL, Proven, forge))
    opened = attacked.run()
    assert opened.members == (NODES[:-1],)
    assert np.array_equal(opened.rows[0], HONEST_SUM)
    assert blamed(attacked) == [(AGGREGATOR, EVIL)]


def test_a_copy_of_another_nodes_vector_is_blamed_and_not_summed():
    seen = {}

    class Copying(Forging):
        def carry(self, frame):
            body = self.codec.decode(frame.sender, frame.recipient, frame.data)
            if isinstance(body, Proven):
                seen.setdefault(frame.sender, body)
            return super().carry(frame)

    attacked = run(Copying(EVIL, Proven, lambda _: seen["node-0"]))
    assert np.array_equal(attacked.run().rows[0], HONEST_SUM)
    assert blamed(attacked) == [(AGGREGATOR, EVIL)]


@pytest.mark.parametrize("recipients", [HOLDERS, HOLDERS[:2], HOLDERS[2:]])
@pytest.mark.parametrize("forge", [lambda _: None, lambda _: Receipt(bytes(32))], ids=["none", "wrong"])
def test_a_node_whose_vector_no_quorum_knows_is_left_out(forge, recipients):
    opened = run(Forging(EVIL, Receipt, forge, recipients)).run()
    assert opened.members == (NODES[:-1],)
    assert np.array_equal(opened.rows[0], HONEST_SUM)


@pytest.mark.parametrize("holder", HOLDERS)
def test_a_receipt_lost_on_its_way_to_one_holder_costs_nothing(holder):
    opened = run(Forging(EVIL, Receipt, lambda _: None, [holder])).run()
    assert opened.members == (NODES,)
    assert np.array_equal(opened.rows[0], SUM)


def test_a_malformed_receipt_is_blamed():
    attacked = run(Forging(EVIL, Receipt, lambda _: Receipt(b"short"), ["holder-0"]))
    assert np.array_equal(attacked.run().rows[0], SUM)
    assert blamed(attacked) == [("holder-0", EVIL)]


def with_plaintext_added(added):
    attacked = run()
    attacked.parties[EVIL]._packed[0] += added
    return attacked


@pytest.mark.parametrize("added", [6000, -6000, 1 << SLOTS.width * SLOTS.per_plaintext])
def test_what_no_honest_sum_can_be_is_lost_and_the_sender_stays_unknown(added):
    attacked = with_plaintext_added(added)
    with pytest.raises(TooFewParties, match="counter|overfull"):
        attacked.run()
    assert attacked.parties[AGGREGATOR].output is None
    assert blamed(attacked) == []


def test_not_covered_what_fits_into_the_range_of_sums_is_added():
    opened = with_plaintext_added(3000 + (1 << SLOTS.width)).run()
    assert np.array_equal(opened.rows[0] - SUM, [3000, 1, *[0] * (LENGTH - 2)])


# the dealer


def test_an_unreadable_share_is_blamed_on_the_dealer_and_the_others_are_enough():
    attacked = run(Forging(DEALER, Share, lambda s: Share(s.dealt, s.sealed[::-1]), ["holder-3"]))
    assert np.array_equal(attacked.run().rows[0], SUM)
    assert blamed(attacked) == [("holder-3", DEALER)]


def test_malformed_dealings_are_blamed_on_the_dealer():
    for forge in (
        lambda d: Dealt(d.key, d.base, d.checks[1:]),
        lambda d: Dealt(d.key, bytes(len(d.base)), d.checks),
        lambda d: Dealt(Key(d.key.n[1:], d.key.base), d.base, d.checks),
    ):
        attacked = run(Forging(DEALER, Dealt, forge))
        with pytest.raises(TooFewParties, match="dealer"):
            attacked.run()
        assert blamed(attacked) == [(AGGREGATOR, DEALER)]


@pytest.mark.parametrize(
    "public", [b"", bytes(32), bytes(31), bytes(1216), BoxKey("x25519", bytes(range(32))).public]
)
def test_an_unusable_key_of_a_holder_is_blamed(public):
    attacked = run(Forging("holder-0", HolderKey, lambda _: HolderKey(public)))
    assert np.array_equal(attacked.run().rows[0], SUM)
    assert blamed(attacked) == [(DEALER, "holder-0")]


def test_shares_are_sealed_for_their_holder():
    attacked = run(Forging(DEALER, Share, lambda s: s))
    watched = LocalRun(attacked.parties, PROTOCOL.codec(SESSION), SESSION, watch=[DEALER])
    watched.run()
    codec = PROTOCOL.codec(SESSION)
    shares = [
        body
        for frame in watched.transcript.frames
        if isinstance(body := codec.decode(frame.sender, frame.recipient, frame.data), Share)
    ]
    assert len({share.sealed for share in shares}) == len(HOLDERS)
    assert all(len(share.sealed) == PROTOCOL.bits // 4 + overhead_bytes("hybrid") for share in shares)


# a malicious aggregator


class Scene:
    """An honest run up to the point where the aggregator asks the holders."""

    def __init__(self):
        self.parties = PROTOCOL.parties(VECTORS, SESSION, seeded(1))
        self.published = None
        queue = [envelope for party in self.parties.values() for envelope in party.start()]
        while queue:
            envelope = queue.pop(0)
            if isinstance(envelope.body, Published):
                self.published = envelope.body
            else:
                queue += self.parties[envelope.recipient].handle(envelope)
        [self.honest] = self.published.groups

    def ask(self, holder, *groups, sender=AGGREGATOR):
        """What the holder says to a request: that it confirms, to everybody else."""
        return self.parties[holder].handle(Envelope(sender, holder, Published(groups)))

    def tell(self, confirmations, holder):
        """What the holder says to confirmations that are for it."""
        mine = [envelope for envelope in confirmations if envelope.recipient == holder]
        return [said for envelope in mine for said in self.parties[holder].handle(envelope)]

    def request(self, members, vectors=None, group=0):
        own = dict(zip(self.honest.members, self.honest.vectors, strict=True))
        return Contributions(
            group, tuple(members), tuple(own[n] for n in members) if vectors is None else tuple(vectors)
        )


def test_holders_refuse_what_is_against_the_rules_and_then_answer_a_good_request():
    scene = Scene()
    good, vectors = scene.honest, scene.honest.vectors
    swapped = (vectors[1], vectors[0], *vectors[2:])
    randomised = Proven(vectors[0].ciphertexts[::-1], vectors[0].proof)
    requests = [
        (),
        (good, good),
        (scene.request(NODES[:1]),),
        (scene.request(NODES[:3]),),
        (scene.request(NODES[::-1]),),
        (scene.request(["node-0"] * 5),),
        (scene.request(("node-0", "node-0", "node-1", "node-2")),),
        (scene.request(NODES, group=1),),
        (scene.request(NODES, vectors[:4]),),
        (scene.request(NODES, swapped),),
        (scene.request(NODES, [vectors[0]] * 5),),
        (scene.request(NODES, (randomised, *vectors[1:])),),
        (scene.request((*NODES[:4], "node-9"), vectors),),
    ]
    for request in requests:
        with pytest.raises(FaultyParty) as caught:
            scene.ask("holder-0", *request)
        assert caught.value.party == AGGREGATOR
    with pytest.raises(FaultyParty) as caught:
        scene.ask("holder-0", good, sender=EVIL)
    assert caught.value.party == EVIL
    confirmed = scene.ask("holder-0", good)
    assert {envelope.recipient for envelope in confirmed} == {*HOLDERS[1:], AGGREGATOR}
    assert all(isinstance(envelope.body, Confirmed) for envelope in confirmed)
    assert scene.tell(scene.ask("holder-1", good), "holder-0") == []
    [answer] = scene.tell(scene.ask("holder-2", good), "holder-0")
    assert isinstance(answer.body, Partials)


def test_a_holder_answers_once():
    scene = Scene()
    scene.ask("holder-0", scene.honest)
    for again in (scene.honest, scene.request(NODES[:4])):
        with pytest.raises(FaultyParty, match="does not expect"):
            scene.ask("holder-0", again)


def test_a_request_for_a_vector_the_holders_have_no_receipt_for_is_refused():
    """Ciphertexts made by the aggregator itself would isolate a node."""
    scene, other = Scene(), Scene()
    key = other.parties["holder-0"]._key.public
    [asked] = other.published.groups
    ciphertexts = ciphertexts_from_bytes(key, asked.vectors[0].ciphertexts, SLOTS.plaintexts)
    own = Proven(ciphertexts_to_bytes(key, [c * c % key.n_squared for c in ciphertexts]), b"")
    with pytest.raises(FaultyParty, match="node-1 gave no receipt"):
        scene.ask("holder-0", scene.request(NODES, (asked.vectors[0], *[own] * 4)))


def test_even_a_vector_with_receipts_is_refused_without_proof_of_knowledge():
    """An aggregator and a node that collude cannot put a copy of another's vector into the sum."""
    scene = Scene()
    holder = scene.parties["holder-0"]
    copy = scene.honest.vectors[0]
    holder._receipts.received[EVIL] = receipt(SESSION, EVIL, copy)
    with pytest.raises(FaultyParty, match=f"{EVIL} did not prove"):
        scene.ask("holder-0", scene.request(NODES, (*scene.honest.vectors[:4], copy)))


# parameters


@pytest.mark.parametrize(("holders", "quorum"), [(4, 2), (3, 1), (3, 4), (2, 0), (1, 0), (0, 0)])
def test_a_quorum_that_is_no_majority_is_refused(holders, quorum):
    with pytest.raises(ValueError, match=f"{holders} holders.*got {quorum}"):
        ThresholdPaillier(holders=holders, quorum=quorum)


@pytest.mark.parametrize(("holders", "quorum"), [(1, 1), (2, 2), (3, 2), (5, 3), (5, 5)])
def test_other_numbers_of_holders_open_the_same_sums(holders, quorum):
    corrupt = 2 * quorum - holders - 1
    protocol = ThresholdPaillier(
        bits=256, insecure_bits=True, holders=holders, quorum=quorum, corrupt_holders=corrupt
    )
    session = protocol.session(one_group(NODES), LENGTH, CAPACITY, bytes(16))
    parties = protocol.parties(VECTORS, session, seeded(1))
    opened = LocalRun(parties, protocol.codec(session), session).run()
    assert np.array_equal(opened.rows[0], SUM)


def test_holders_and_nodes_may_fall_silent_together():
    for gone in combinations(NODES, 1):
        for holder in HOLDERS:
            silent = {gone[0]: 3, holder: 1}
            opened = run(Faults(silent=silent)).run()
            assert opened.members == (tuple(node for node in NODES if node not in gone),)
            assert np.array_equal(opened.rows[0], SUM - VECTORS[gone[0]])


@pytest.mark.slow
def test_a_round_at_a_secure_key_size_is_exact():
    protocol = ThresholdPaillier(bits=2048)
    session = protocol.session(one_group(NODES), LENGTH, CAPACITY, bytes(16))
    parties = protocol.parties(VECTORS, session, seeded(2))
    opened = LocalRun(parties, protocol.codec(session), session).run()
    assert np.array_equal(opened.rows[0], SUM)
