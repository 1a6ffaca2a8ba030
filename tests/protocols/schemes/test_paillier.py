"""What nodes, aggregator and key holder can and cannot do to each other."""

import dataclasses

import numpy as np
import pytest
from gmpy2 import mpz

from protocols.engines.faults import NO_FAULTS, Faults
from protocols.engines.local import LocalRun
from protocols.entropy import seeded
from protocols.errors import FaultyParty, TooFewParties
from protocols.grouping import one_group
from protocols.party import AGGREGATOR, Envelope, Party
from protocols.primitives.packing import Slots
from protocols.primitives.paillier import (
    PublicKey,
    ciphertexts_from_bytes,
    ciphertexts_to_bytes,
    decrypt,
    encrypt,
    generate,
    product,
)
from protocols.primitives.randomisers import short_randomisers
from protocols.releases import Releases
from protocols.ring import Capacity
from protocols.schemes._paillier.packed import Key, Ready
from protocols.schemes.paillier import KEY_HOLDER, Paillier, Product, Products, Refusal, Sealed, Sum, Sums

NODES = tuple(f"node-{i}" for i in range(5))
EVIL = "node-4"
HONEST = NODES[:-1]
CAPACITY = Capacity(bound=1000, nodes=5)
PROTOCOL = Paillier.for_tests()
LENGTH = 60
SESSION = PROTOCOL.session(one_group(NODES), LENGTH, CAPACITY, bytes(16))
SLOTS = PROTOCOL.slots(SESSION)
VECTORS = {
    node: np.random.default_rng(i).integers(-100, 100, LENGTH, endpoint=True) for i, node in enumerate(NODES)
}
HONEST_SUM = sum(VECTORS[node] for node in HONEST)


def parties_of(seed=1):
    return PROTOCOL.parties(VECTORS, SESSION, seeded(seed))


def run(parties, faults=NO_FAULTS):
    return LocalRun(parties, PROTOCOL.codec(SESSION), SESSION, faults)


class EvilNode(Party):
    """Gets the key, may look at an honest node's bytes, and sends what `forge` makes of its own."""

    def __init__(self, honest, forge, victim=None):
        super().__init__(honest.me)
        self.honest = honest
        self.forge = forge
        self.victim = victim

    def handle(self, envelope):
        key = PublicKey.from_bytes(envelope.body.n, envelope.body.base, PROTOCOL.bits)
        whose = self.honest if self.victim is None else self.victim
        [sent] = whose.handle(envelope)
        sealed = ciphertexts_from_bytes(key, sent.body.ciphertexts, SLOTS.plaintexts)
        self.output = True
        return [self.to(AGGREGATOR, Sealed(self.forge(key, sealed)))]


def run_with(forge, *, copies=None):
    parties = parties_of()
    victim = parties_of()[copies] if copies else None
    parties[EVIL] = EvilNode(parties[EVIL], forge, victim)
    return run(parties)


def raw(key, ciphertexts):
    """Bytes of whatever, also of what is no ciphertext."""
    return b"".join(int(c).to_bytes(key.ciphertext_bytes, "big") for c in ciphertexts)


def plus(key, sealed, at, added):
    """The node's ciphertexts with `added` put into one plaintext."""
    changed = list(sealed)
    changed[at] = changed[at] * (1 + added % key.n * key.n) % key.n_squared
    return raw(key, changed)


# a malicious node

MALFORMED = {
    "zero": lambda key, sealed: raw(key, [*sealed[:-1], 0]),
    "n": lambda key, sealed: raw(key, [key.n, *sealed[1:]]),
    "a multiple of n": lambda key, sealed: raw(key, [*sealed[:-1], key.n * 4711]),
    "n²": lambda key, sealed: raw(key, [*sealed[:-1], key.n_squared]),
    "above n²": lambda key, sealed: raw(key, [*sealed[:-1], key.n_squared + 1]),
    "one too few": lambda key, sealed: raw(key, sealed[:-1]),
    "one too many": lambda key, sealed: raw(key, [*sealed, sealed[0]]),
    "a byte too few": lambda key, sealed: raw(key, sealed)[:-1],
    "nothing": lambda key, sealed: b"",
}


@pytest.mark.parametrize("forge", MALFORMED.values(), ids=MALFORMED)
def test_malformed_ciphertexts_are_blamed_on_their_sender_and_the_others_are_summed(forge):
    attacked = run_with(forge)
    opened = attacked.run()
    assert [(blame.by, blame.party) for blame in attacked.transcript.blames] == [(AGGREGATOR, EVIL)]
    assert opened.members == (HONEST,)
    assert np.array_equal(opened.rows[0], HONEST_SUM)


LOSES_THE_GROUP = {
    "an unrandomised zero, without counter": lambda key, sealed: raw(key, [1] * len(sealed)),
    "minus one, without counter": lambda key, sealed: raw(key, [1 + (key.n - 1) * key.n] * len(sealed)),
    "above the last slot": lambda key, sealed: plus(
        key, sealed, 0, mpz(1) << SLOTS.width * (SLOTS.per_plaintext + 1)
    ),
    "an overfull slot": lambda key, sealed: plus(key, sealed, 1, mpz(6000) << SLOTS.width * 3),
    "an overfull negative slot": lambda key, sealed: plus(key, sealed, 1, -(mpz(6000) << SLOTS.width * 3)),
    "its own square": lambda key, sealed: raw(key, [c * c % key.n_squared for c in sealed]),
    "its ciphertexts in another order": lambda key, sealed: raw(key, sealed[::-1]),
}


@pytest.mark.parametrize("forge", LOSES_THE_GROUP.values(), ids=LOSES_THE_GROUP)
def test_what_no_honest_sum_can_be_is_not_opened_but_the_sender_stays_unknown(forge):
    attacked = run_with(forge)
    with pytest.raises(TooFewParties, match="counter|overfull"):
        attacked.run()
    assert attacked.parties[AGGREGATOR].output is None
    assert attacked.transcript.blames == []


def test_not_covered_poison_within_the_range_of_sums_is_added():
    attacked = run_with(lambda key, sealed: plus(key, sealed, 0, mpz(3000)))
    expected = sum(VECTORS.values())
    expected[0] += 3000
    assert np.array_equal(attacked.run().rows[0], expected)


def test_not_covered_a_whole_carry_into_the_next_slot_is_added():
    attacked = run_with(lambda key, sealed: plus(key, sealed, 0, mpz(1) << SLOTS.width))
    expected = sum(VECTORS.values())
    expected[1] += 1
    assert np.array_equal(attacked.run().rows[0], expected)


def test_not_covered_a_copy_of_another_nodes_ciphertexts_is_added():
    attacked = run_with(raw, copies="node-1")
    assert np.array_equal(attacked.run().rows[0], HONEST_SUM + VECTORS["node-1"])


# a malicious key holder


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (Sums(()), "answered 0 of 1"),
        (Sums((Sum(bytes(8 * LENGTH)),) * 2), "answered 2 of 1"),
        (Sums((Sum(bytes(8 * LENGTH - 8)),)), "bytes, expected 480"),
        (Sums((Sum(np.full(LENGTH, 5001).tobytes()),)), "beyond ±5000"),
        (Sums((Sum(np.full(LENGTH, -(1 << 63)).tobytes()),)), "beyond ±5000"),
    ],
)
def test_impossible_sums_are_blamed_on_the_key_holder(answer, named):
    parties = parties_of()
    honest = parties[KEY_HOLDER].handle

    def lie(envelope):
        sent = honest(envelope)
        return [parties[KEY_HOLDER].to(AGGREGATOR, answer)] if isinstance(sent[0].body, Sums) else sent

    parties[KEY_HOLDER].handle = lie
    attacked = run(parties)
    with pytest.raises(TooFewParties, match="key holder is silent"):
        attacked.run()
    [blame] = attacked.transcript.blames
    assert blame.party == KEY_HOLDER
    assert named in blame.reason


def test_a_bad_key_is_blamed_on_the_key_holder():
    aggregator, node = parties_of()[AGGREGATOR], parties_of()[EVIL]
    for party in (aggregator, node):
        with pytest.raises(FaultyParty, match="bad key") as caught:
            party.handle(Envelope(KEY_HOLDER, party.me, Key(bytes(32), bytes(64))))
        assert caught.value.party == KEY_HOLDER
        assert party.output is None


# a malicious aggregator


class Scene:
    """A key holder with its key out, and the ciphertexts of all nodes."""

    def __init__(self):
        parties = parties_of()
        self.holder = parties[KEY_HOLDER]
        [announced] = self.holder.start()
        self.key = PublicKey.from_bytes(announced.body.n, announced.body.base, PROTOCOL.bits)
        self.sealed = {}
        for envelope in self.ask(Ready()):
            [sent] = parties[envelope.recipient].handle(envelope)
            self.sealed[sent.sender] = ciphertexts_from_bytes(
                self.key, sent.body.ciphertexts, SLOTS.plaintexts
            )

    def ask(self, body, sender=AGGREGATOR):
        return self.holder.handle(Envelope(sender, KEY_HOLDER, body))

    def product(self, nodes, members=None, group=0):
        together = [
            np.prod(list(column)) % self.key.n_squared
            for column in zip(*(self.sealed[n] for n in nodes), strict=True)
        ]
        return Product(
            group, tuple(nodes if members is None else members), ciphertexts_to_bytes(self.key, together)
        )


def test_the_key_holder_opens_an_honest_product():
    scene = Scene()
    [answer] = scene.ask(Products((scene.product(NODES),)))
    [opened] = answer.body.sums
    assert np.array_equal(np.frombuffer(opened.words, np.int64), sum(VECTORS.values()))


def test_the_key_holder_refuses_requests_that_are_against_the_rules_and_then_answers_a_good_one():
    scene = Scene()
    good = scene.product(NODES)
    key = scene.key
    poisoned = {
        "zero": raw(key, [0] * SLOTS.plaintexts),
        "n": raw(key, [key.n] * SLOTS.plaintexts),
        "too short": good.ciphertexts[:-1],
    }
    requests = [
        Products(()),
        Products((good, good)),
        Products((scene.product(NODES[:3]),)),
        Products((scene.product(NODES[:1]),)),
        Products((scene.product(NODES, members=NODES[::-1]),)),
        Products((scene.product(NODES[:3], members=("node-0", "node-0", "node-1", "node-2")),)),
        Products((scene.product(NODES, members=(*NODES, "node-5")),)),
        Products((scene.product(NODES, group=1),)),
        Products((scene.product(NODES, group=-1),)),
        *(Products((Product(0, NODES, data),)) for data in poisoned.values()),
    ]
    for request in requests:
        with pytest.raises(FaultyParty) as caught:
            scene.ask(request)
        assert caught.value.party == AGGREGATOR
        assert str(key.n)[:12] not in str(caught.value)
    with pytest.raises(FaultyParty) as caught:
        scene.ask(Products((good,)), sender=EVIL)
    assert caught.value.party == EVIL
    [answer] = scene.ask(Products((good,)))
    assert isinstance(answer.body.sums[0], Sum)


def test_the_key_holder_decrypts_once_whatever_came_out():
    for first in (NODES, NODES[:4]):
        scene = Scene()
        [answer] = scene.ask(Products((scene.product(first, members=NODES),)))
        assert isinstance(answer.body.sums[0], Sum if first == NODES else Refusal)
        with pytest.raises(FaultyParty, match="does not expect"):
            scene.ask(Products((scene.product(NODES[:4]),)))


def test_members_that_were_left_out_of_the_product_are_noticed():
    scene = Scene()
    [answer] = scene.ask(Products((scene.product(NODES[:4], members=NODES),)))
    assert answer.body.sums == (Refusal("a counter differs from the number of contributors"),)


def test_not_covered_a_malicious_aggregator_has_a_multiple_of_one_nodes_vector_opened():
    scene = Scene()
    [answer] = scene.ask(Products((scene.product(["node-2"] * 5, members=NODES),)))
    assert np.array_equal(np.frombuffer(answer.body.sums[0].words, np.int64), 5 * VECTORS["node-2"])


def test_the_aggregator_hides_the_product_from_who_knows_the_ciphertexts():
    scene, parties = Scene(), parties_of()
    aggregator = parties[AGGREGATOR]
    aggregator.handle(Envelope(KEY_HOLDER, AGGREGATOR, Key(*scene.key.to_bytes())))
    for node in NODES:
        sent = aggregator.handle(
            Envelope(node, AGGREGATOR, Sealed(ciphertexts_to_bytes(scene.key, scene.sealed[node])))
        )
    [request] = sent
    assert request.body.products[0].ciphertexts != scene.product(NODES).ciphertexts
    [answer] = scene.ask(request.body)
    assert np.array_equal(np.frombuffer(answer.body.sums[0].words, np.int64), sum(VECTORS.values()))


# a lost group beside an opened one, silence, parameters


def test_an_overfull_group_is_lost_and_the_others_are_opened():
    groups = (("a", "b"), ("c", "d"))
    session = PROTOCOL.session(groups, LENGTH, CAPACITY, bytes(16))
    vectors = dict(zip("abcd", VECTORS.values(), strict=False))
    parties = PROTOCOL.parties(vectors, session, seeded(1))
    slots = PROTOCOL.slots(session)
    assert slots == SLOTS
    parties["b"] = EvilNode(parties["b"], LOSES_THE_GROUP["an overfull slot"])
    opened = LocalRun(parties, PROTOCOL.codec(session), session).run()
    assert opened.members == (("c", "d"),)
    assert np.array_equal(opened.rows[0], vectors["c"] + vectors["d"])
    assert [(lost.group, lost.missing, lost.reason) for lost in opened.lost] == [
        (0, (), "a slot is overfull")
    ]


@pytest.mark.parametrize(
    ("frames", "missing"),
    [(0, (KEY_HOLDER,)), (1, (KEY_HOLDER, *NODES)), (4, NODES[3:]), (1 + len(NODES), (KEY_HOLDER,))],
)
def test_without_the_key_holder_nothing_is_released(frames, missing):
    """Before its key is out, after, with the key at too few nodes, and with the key at all nodes."""
    stopped = run(parties_of(), Faults(silent={KEY_HOLDER: frames}))
    with pytest.raises(TooFewParties) as caught:
        stopped.run()
    assert caught.value.missing == missing
    assert stopped.parties[AGGREGATOR].output is None


def test_uniform_randomness_opens_the_same_sums():
    protocol = Paillier(bits=512, insecure_bits=True, uniform_randomness=True)
    session = protocol.session(one_group(NODES), LENGTH, CAPACITY, bytes(16))
    parties = protocol.parties(VECTORS, session, seeded(1))
    opened = LocalRun(parties, protocol.codec(session), session).run()
    assert np.array_equal(opened.rows[0], sum(VECTORS.values()))


def test_insecure_keys_must_be_asked_for_by_name():
    assert Paillier().bits == 3072
    with pytest.raises(ValueError, match="1024 bits is insecure"):
        Paillier(bits=1024)
    with pytest.raises(ValueError, match="got 2056"):
        Paillier(bits=2056)
    with pytest.raises(ValueError, match="got 64"):
        Paillier(bits=64, insecure_bits=True)


def test_a_session_whose_slots_do_not_fit_is_refused():
    tiny = Paillier(bits=128, insecure_bits=True)
    with pytest.raises(ValueError, match="no room"):
        tiny.session(one_group(NODES), 3, Capacity(1, 1 << 62), bytes(16))


def test_a_session_is_released_once_whatever_key_it_has(tmp_path):
    protocol = dataclasses.replace(PROTOCOL, releases=Releases(tmp_path))
    for seed in (1, 2):
        parties = protocol.parties(VECTORS, SESSION, seeded(seed))
        attempt = run(parties)
        if seed == 1:
            assert np.array_equal(attempt.run().rows[0], sum(VECTORS.values()))
            continue
        with pytest.raises(TooFewParties, match="key holder is silent"):
            attempt.run()
        assert [stop.party for stop in attempt.transcript.stops] == [KEY_HOLDER, AGGREGATOR]


def test_ten_thousand_ciphertexts_of_extreme_vectors_sum_exactly():
    capacity = Capacity(bound=1 << 36, nodes=10_000)
    slots = Slots(8, capacity, 512)
    key, private = generate(512, seeded(1)("key holder"))
    vector = np.resize([capacity.bound, -capacity.bound], 8)
    sealed = encrypt(key, slots.pack(vector), short_randomisers(key, slots.plaintexts, seeded(1)("node")))
    together = product(key, [sealed] * 10_000)
    row = slots.unpack(decrypt(key, private, together), key.n, 10_000)
    assert np.array_equal(row, 10_000 * vector)


@pytest.mark.slow
def test_a_round_at_the_default_key_size_is_exact():
    protocol = Paillier()
    session = protocol.session(one_group(NODES), LENGTH, CAPACITY, bytes(16))
    opened = LocalRun(protocol.parties(VECTORS, session, seeded(11)), protocol.codec(session), session).run()
    assert np.array_equal(opened.rows[0], sum(VECTORS.values()))
