"""The eighteen rules that toy secure aggregation breaks, each with what happens to whoever breaks it here."""

import dataclasses
import itertools
import re
from collections import deque
from itertools import combinations
from pathlib import Path

import msgspec
import numpy as np
import pytest

from protocols.credentials import Credentials, made_on_the_spot
from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.entropy import seeded
from protocols.errors import Abort, FaultyParty, TooFewParties
from protocols.party import AGGREGATOR, Envelope
from protocols.primitives.harary import permutation
from protocols.primitives.identity import Identity, Roster
from protocols.primitives.key_agreement import key_pair
from protocols.primitives.mask import subtract_mask
from protocols.primitives.shamir import combine, draw_secret
from protocols.releases import Releases
from protocols.ring import Capacity, from_bytes, from_ring, to_ring
from protocols.schemes._double_masking.messages import (
    SEALED_BYTES,
    Complaint,
    Confirmation,
    Confirmations,
    DeliveredShares,
    Keys,
    MaskedVector,
    NeighbourKeys,
    Participants,
    SealedShares,
    Survivors,
    Unmasking,
    advertised_bytes,
    pack_set,
    unpack_set,
)
from protocols.schemes._double_masking.peer import Peer
from protocols.schemes._double_masking.recovery import remove_pairwise_masks
from protocols.schemes._double_masking.terms import pairwise_mask
from protocols.schemes.secagg import SecAgg
from protocols.schemes.secagg_plus import SecAggPlus

NODE_MESSAGES = (Keys, SealedShares, Complaint, MaskedVector, Confirmation, Unmasking)
AGGREGATOR_MESSAGES = (NeighbourKeys, DeliveredShares, Participants, Survivors, Confirmations)


class Lab:
    """One group whose messages a test may read, hold back and replace on the way."""

    def __init__(self, protocol=None, size=7, length=5, credentials=None, session_id=bytes(16), seed=1):
        self.protocol = SecAgg() if protocol is None else protocol
        self.nodes = tuple(f"node-{i}" for i in range(size))
        capacity = Capacity(bound=1000, nodes=size)
        self.session = self.protocol.session((self.nodes,), length, capacity, session_id)
        self.vectors = {
            node: np.random.default_rng([seed, i]).integers(-1000, 1001, length)
            for i, node in enumerate(self.nodes)
        }
        entropy = seeded(seed)
        if credentials is None:
            credentials = made_on_the_spot(self.nodes, entropy)
        self.credentials = credentials
        self.parties = {
            node: self.protocol.node(node, self.vectors[node], self.session, entropy(node), credentials[node])
            for node in self.nodes
        }
        self.aggregator = self.protocol.aggregator(
            self.session, entropy(AGGREGATOR), credentials[self.nodes[0]].roster
        )
        self.parties[AGGREGATOR] = self.aggregator
        self.faults = []  # (who saw it, whom it blames, why)
        self.suspected = []  # (who saw it, whom it blames, who else it may have been)
        self.stopped = {}
        self.sent = []

    @property
    def round(self):
        return self.aggregator._rounds[0]

    def ask(self, me, question):
        try:
            return question()
        except FaultyParty as fault:
            self.faults.append((me, fault.party, fault.reason))
        except Abort as abort:
            self.stopped[me] = abort
        return []

    def run(self, on_the_way=lambda envelope: [envelope]):
        """Deliver everything that `on_the_way` makes of each envelope; what the aggregator learned."""
        queue = deque(
            envelope for me, party in self.parties.items() for envelope in self.ask(me, party.start)
        )
        while queue:
            while queue:
                for envelope in on_the_way(queue.popleft()):
                    self.sent.append(envelope)
                    party = self.parties[envelope.recipient]
                    queue += self.ask(envelope.recipient, lambda: party.handle(envelope))  # noqa: B023
            if self.aggregator.output is None and AGGREGATOR not in self.stopped:
                queue += self.ask(AGGREGATOR, self.aggregator.deadline)
        for me, party in self.parties.items():
            self.faults += [(me, fault.party, fault.reason) for fault in party.late_faults]
            self.suspected += [(me, fault.party, fault.others) for fault in party.late_faults]
        return self.aggregator.output

    def sum_of(self, nodes):
        return sum(self.vectors[node] for node in nodes)

    def bodies(self, kind):
        return [envelope.body for envelope in self.sent if isinstance(envelope.body, kind)]


def replacing(kind, change, parties=None):
    """Replace messages of one kind (from or to `parties`, if given) by what `change` makes of the body."""

    def on_the_way(envelope):
        ends = {envelope.sender, envelope.recipient}
        if isinstance(envelope.body, kind) and (parties is None or ends & set(parties)):
            changed = change(envelope.body)
            return [] if changed is None else [instead_of(envelope, changed)]
        return [envelope]

    return on_the_way


def instead_of(envelope, body):
    return Envelope(envelope.sender, envelope.recipient, body)


def withholding(kind, *parties):
    return replacing(kind, lambda _: None, parties)


def both_profiles(function):
    return pytest.mark.parametrize("profile", ["malicious", "semi-honest"])(function)


def test_the_page_names_the_tests_of_every_rule():
    tests = Path(__file__).resolve().parents[1]
    page = (tests.parent / "docs" / "protocols" / "secagg.md").read_text()
    rows = re.findall(r"^\| (\d+) \| .+ \| (.+) \|$", page, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 19))
    written = "\n".join(path.read_text() for path in tests.rglob("test_*.py"))
    for number, cell in rows:
        named = re.findall(r"`(test_\w+)`", cell)
        ours = [name for name in globals() if name.startswith(f"test_rule_{int(number):02}_")]
        assert set(ours) <= set(named)
        assert all(f"\ndef {name}(" in written for name in named)


# 1


@both_profiles
def test_rule_01_a_vector_that_arrives_after_its_node_was_declared_silent_stays_hidden(profile):
    lab = Lab(SecAgg(profile=profile))
    late = []
    opened = lab.run(
        lambda envelope: (
            (late.append(envelope) or [])
            if isinstance(envelope.body, MaskedVector) and envelope.sender == "node-3"
            else [envelope]
        )
    )
    others = [node for node in lab.nodes if node != "node-3"]
    assert (opened.rows[0] == lab.sum_of(others)).all()
    # the aggregator rebuilt the mask key of node-3 and takes its pairwise masks out of the late vector
    mask_secret = combine(lab.round._shares[3], 5)
    assert key_pair(mask_secret).public == lab.round._keys[3].mask
    words = from_bytes(late[0].body.words).copy()
    neighbours = [(i, lab.round._keys[i].mask) for i in range(7) if i != 3]
    pairwise = np.zeros_like(words)
    remove_pairwise_masks(pairwise, 3, mask_secret, lab.round._statements, neighbours)
    words -= pairwise  # what takes node-3's masks out of the others' sum puts them into its own vector
    assert not (from_ring(words) == lab.vectors["node-3"]).any()
    # only the self-mask is left, and nobody released a share of its seed
    node = lab.parties["node-3"]
    subtract_mask(words, lab.round.terms.self_mask(node._secrets.seed))
    assert (from_ring(words) == lab.vectors["node-3"]).all()


# 2


@both_profiles
def test_rule_02_a_node_tells_one_set_of_survivors_only(profile):
    lab = Lab(SecAgg(profile=profile))
    everybody, but_one = pack_set(range(7), 7), pack_set(range(6), 7)
    answers = []

    def asks_twice(envelope):
        if isinstance(envelope.body, Survivors) and envelope.recipient == "node-0":
            return [instead_of(envelope, Survivors(s)) for s in (everybody, but_one, everybody)]
        if envelope.sender == "node-0" and isinstance(envelope.body, Confirmation | Unmasking):
            answers.append(envelope.body)
        return [envelope]

    assert (lab.run(asks_twice).rows[0] == lab.sum_of(lab.nodes)).all()
    assert [(by, party) for by, party, _ in lab.faults] == [("node-0", AGGREGATOR)] * 2
    assert [type(answer) for answer in answers].count(Unmasking) == 1


def test_rule_02_no_message_can_ask_for_both_kinds_of_share_of_one_node():
    lab = Lab()
    opened = lab.run(withholding(MaskedVector, "node-6"))
    assert len(opened.members[0]) == 6
    for body in lab.bodies(Unmasking):
        places = unpack_set(body.present, 7)
        assert len(body.shares) == 32 * len(places) == 32 * 7
    rounds = lab.round
    for owner, shares in rounds._shares.items():
        secret = combine(shares, 5)
        node = lab.parties[lab.nodes[owner]]
        assert secret == (node._secrets.mask if owner == 6 else node._secrets.seed)
        assert all(combine(dict(list(shares.items())[at : at + 5]), 5) == secret for at in range(2))


def test_rule_02_a_restarted_node_releases_nothing_in_the_same_session(tmp_path):
    credentials = made_on_the_spot([f"node-{i}" for i in range(7)], seeded(9))

    def with_disk(node, held):
        folder = tmp_path / node
        folder.mkdir(exist_ok=True)
        return Credentials(held.identity, held.roster, Releases(folder))

    def start(seed):
        return Lab(credentials={node: with_disk(node, held) for node, held in credentials.items()}, seed=seed)

    assert start(seed=1).run() is not None
    again = start(seed=2)
    assert again.run() is None
    assert set(again.stopped) == {*again.nodes, AGGREGATOR}
    assert not again.bodies(MaskedVector)
    assert not again.bodies(Unmasking)


# 3


@pytest.mark.parametrize("told_less", [range(1), range(3), range(6)])
def test_rule_03_nobody_unmasks_when_the_survivors_were_told_differently(told_less):
    lab = Lab()  # the aggregator tells some that node-6 is silent, and passes on all that they say of it
    proofs = {}

    def two_views(envelope):
        if isinstance(envelope.body, Survivors) and lab.nodes.index(envelope.recipient) in told_less:
            return [instead_of(envelope, Survivors(pack_set(range(6), 7)))]
        if isinstance(envelope.body, Confirmation):
            sender = lab.nodes.index(envelope.sender)
            others = [node for node in range(6 if sender in told_less else 7) if node != sender]
            packed = [envelope.body.proofs[at : at + 16] for at in range(0, 16 * len(others), 16)]
            proofs[sender] = dict(zip(others, packed, strict=True))
            return []
        return [envelope]

    assert lab.run(two_views) is None
    assert not lab.faults
    unmasked = set()
    for node in range(7):
        mine = range(6) if node in told_less else range(7)
        senders = [sender for sender in mine if sender != node and node in proofs[sender]]
        packed = b"".join(proofs[sender][node] for sender in senders)
        me, body = lab.nodes[node], Confirmations(pack_set([*senders, node], 7), packed)
        answers = lab.ask(me, lambda: lab.parties[me].handle(Envelope(AGGREGATOR, me, body)))  # noqa: B023
        if answers:
            assert isinstance(answers[0].body, Unmasking)
            unmasked.add(node)
        else:
            assert lab.faults[-1][:2] == (me, AGGREGATOR)
            assert "rule 3" in lab.faults[-1][2]
    # at most one of the two stories finds the five that it takes, and only among those who were told it
    assert unmasked == {1: set(range(1, 7)), 3: set(), 6: set(range(6))}[len(told_less)]


@pytest.mark.parametrize(("forged", "unmasks"), [(2, True), (3, False)])
def test_rule_03_as_many_valid_confirmations_as_the_threshold_are_needed(forged, unmasks):
    lab = Lab()  # 7 nodes, threshold 5

    def forge(body):
        wrong = bytes(16) * forged
        return Confirmations(body.present, wrong + body.proofs[len(wrong) :])

    lab.run(replacing(Confirmations, forge, ["node-6"]))
    assert (
        any(envelope.sender == "node-6" for envelope in lab.sent if isinstance(envelope.body, Unmasking))
        == unmasks
    )


class SplitView:
    """The aggregator and some corrupt nodes against node-0: some are told that it is silent.

    The corrupt nodes confirm whatever is wanted, to everybody, and give away both shares that they hold.
    """

    def __init__(self, lab, corrupt, told_silent):
        self.lab, self.size = lab, len(lab.nodes)
        self.corrupt, self.told_silent = set(corrupt), set(told_silent)
        self.said = {}  # (sender, recipient) to the proof
        self.vector = None

    def story(self, node):
        return range(1, self.size) if node in self.told_silent else range(self.size)

    def on_the_way(self, envelope):
        nodes = self.lab.nodes
        match envelope.body:
            case Survivors():
                members = self.story(nodes.index(envelope.recipient))
                return [instead_of(envelope, Survivors(pack_set(members, self.size)))]
            case MaskedVector(words) if envelope.sender == "node-0":
                self.vector = from_bytes(words).copy()
            case Confirmation(proofs):
                sender = nodes.index(envelope.sender)
                others = [node for node in self.story(sender) if node != sender]
                for at, node in enumerate(others):
                    self.said[sender, node] = proofs[16 * at : 16 * at + 16]
                return []
        return [envelope]

    def confirmations(self, node):
        """Everything that can be said to this node in favour of what it was told."""
        survived = self.lab.round.terms.survived(pack_set(self.story(node), self.size))
        proofs = {}
        for sender in self.story(node):
            if sender in self.corrupt:
                proofs[sender] = self.lab.parties[self.lab.nodes[sender]]._peers[node].confirm(survived)
            elif (sender, node) in self.said:
                proofs[sender] = self.said[sender, node]
        proofs.pop(node, None)
        return Confirmations(
            pack_set([*proofs, node], self.size), b"".join(proofs[s] for s in sorted(proofs))
        )

    def recovered(self):
        """The vector of node-0, if so many shares of both of its secrets are given away; `None` if not."""
        lab, threshold = self.lab, self.lab.round.terms.threshold
        assert lab.run(self.on_the_way) is None
        seeds, keys = {}, {}
        for node in range(self.size):
            party = lab.parties[lab.nodes[node]]
            if node in self.corrupt:
                pair = party._pairs[0]
                seeds[node], keys[node] = pair[:32], pair[32:]
                continue
            envelope = Envelope(AGGREGATOR, party.me, self.confirmations(node))
            for answer in lab.ask(party.me, lambda: party.handle(envelope)):  # noqa: B023
                at = unpack_set(answer.body.present, self.size).index(0)
                (keys if node in self.told_silent else seeds)[node] = answer.body.shares[
                    32 * at : 32 * at + 32
                ]
        if min(len(seeds), len(keys)) < threshold:
            return None
        terms, round_ = lab.round.terms, lab.round
        neighbours = [(node, round_._keys[node].mask) for node in range(1, self.size)]
        pairwise = np.zeros_like(self.vector)
        remove_pairwise_masks(pairwise, 0, combine(keys, threshold), round_._statements, neighbours)
        left = self.vector - pairwise
        subtract_mask(left, terms.self_mask(combine(seeds, threshold)))
        return from_ring(left)


@pytest.mark.parametrize(("size", "threshold"), [(7, 5), (7, 6), (8, 6)])
def test_rule_03_two_stories_open_one_node_only_with_the_help_of_2t_minus_n_nodes(size, threshold):
    """The bound is exact: one corrupt node fewer, and no way of splitting the honest ones suffices."""
    corrupt = 2 * threshold - size

    def attack(helpers, told_silent):
        lab = Lab(SecAgg(threshold=threshold), size)
        return lab, SplitView(lab, helpers, told_silent).recovered()

    honest = range(1, size - corrupt)
    lab, stolen = attack(range(size - corrupt, size), honest[: threshold - corrupt])
    assert (stolen == lab.vectors["node-0"]).all()
    honest = range(1, size - corrupt + 1)
    for count in range(len(honest) + 1):
        for told_silent in combinations(honest, count):
            _, stolen = attack(range(size - corrupt + 1, size), told_silent)
            assert stolen is None, told_silent


def test_rule_03_a_confirmation_counts_for_one_pair_of_nodes_in_one_direction():
    lab = Lab()
    lab.run(withholding(Confirmations))
    survived = lab.round.terms.survived(pack_set(range(7), 7))
    zero, one, two = (lab.parties[lab.nodes[node]]._peers for node in range(3))
    proof = one[0].confirm(survived)
    assert zero[1].confirmed(survived, proof)
    assert not one[0].confirmed(survived, proof)  # reflected
    assert not zero[2].confirmed(survived, proof)  # as that of somebody else
    assert not two[1].confirmed(survived, proof)  # to somebody else
    assert not zero[1].confirmed(lab.round.terms.survived(pack_set(range(6), 7)), proof)
    assert not zero[1].confirmed(Lab(session_id=bytes(15) + b"1").round.terms.survived(bytes([127])), proof)


# 4


def swap_first_channel_key(body):
    # the first entry that is not of node-0 itself
    at = advertised_bytes(malicious=True)
    return NeighbourKeys(body.present, body.keys[:at] + key_pair(bytes(32)).public + body.keys[at + 32 :])


def test_rule_04_a_key_put_in_place_of_another_is_noticed_and_nothing_is_shared():
    lab = Lab()
    opened = lab.run(replacing(NeighbourKeys, swap_first_channel_key, ["node-0"]))
    assert ("node-0", AGGREGATOR) in {
        (by, party) for by, party, why in lab.faults if "node-1 did not sign" in why
    }
    assert opened.members == (lab.nodes[1:],)
    assert not [e for e in lab.sent if e.sender == "node-0" and not isinstance(e.body, Keys)]


@pytest.mark.parametrize("victim", range(7))
@pytest.mark.parametrize("side", ["before", "after"])
def test_rule_04_keys_in_place_for_one_end_of_each_edge_only_are_refused(victim, side):
    """Were each signature checked at one end of its edge, the aggregator could stand at all other ends.

    It would then read every share of one node, rebuild its seed and its mask key, and so its vector.
    """
    lab = Lab()
    replaced = [other for other in range(7) if (other < victim if side == "before" else other > victim)]
    size, mine = advertised_bytes(malicious=True), key_pair(bytes(32)).public

    def in_place(body):
        entries = [body.keys[at : at + size] for at in range(0, 7 * size, size)]
        for other in replaced:
            entries[other] = mine + mine + entries[other][64:]
        return NeighbourKeys(body.present, b"".join(entries))

    me = lab.nodes[victim]
    lab.run(replacing(NeighbourKeys, in_place, [me]))
    sealed = [
        envelope for envelope in lab.sent if envelope.sender == me and not isinstance(envelope.body, Keys)
    ]
    refused = [why for by, party, why in lab.faults if (by, party) == (me, AGGREGATOR)]
    if replaced:
        assert not sealed
        assert f"{lab.nodes[replaced[0]]} did not sign its keys (rule 4)" in refused[0]
    else:
        assert sealed


def test_rule_04_keys_that_their_node_did_not_sign_reach_nobody():
    lab = Lab()
    opened = lab.run(
        replacing(Keys, lambda k: Keys(k.mask, k.channel, k.commitment, k.signature), ["node-2"])
    )
    assert (AGGREGATOR, "node-2") in {(by, party) for by, party, why in lab.faults if "rule 4" in why}
    assert "node-2" not in opened.members[0]


@both_profiles
def test_rule_04_a_node_notices_other_keys_under_its_own_name(profile):
    lab = Lab(SecAgg(profile=profile))
    opened = lab.run(
        replacing(NeighbourKeys, lambda b: NeighbourKeys(b.present, bytes(32) + b.keys[32:]), ["node-0"])
    )
    assert [(by, party) for by, party, why in lab.faults if "other keys for node-0" in why]
    assert "node-0" not in opened.members[0]


def test_rule_04_nodes_with_different_rosters_cannot_run_together():
    credentials = made_on_the_spot([f"node-{i}" for i in range(7)], seeded(9))
    other = Roster({**credentials["node-0"].roster, "node-6": Identity(bytes(32)).public})
    odd = credentials["node-0"]
    credentials["node-1"] = Credentials(credentials["node-1"].identity, other, credentials["node-1"].releases)
    lab = Lab(credentials=credentials)
    opened = lab.run()
    assert odd.roster.digest != other.digest
    assert (AGGREGATOR, "node-1") in {(by, party) for by, party, _ in lab.faults}
    assert "node-1" not in opened.members[0]


def test_rule_04_the_lying_profile_refuses_to_run_without_identities():
    lab = Lab()
    arguments = ("node-0", lab.vectors["node-0"], lab.session, seeded(1)("node-0"))
    stranger = made_on_the_spot(["node-0"], seeded(1))["node-0"]
    for credentials in (None, stranger, lab.credentials["node-1"]):
        with pytest.raises(ValueError, match="rule 4"):
            lab.protocol.node(*arguments, credentials)
    with pytest.raises(ValueError, match="rule 4"):
        lab.protocol.aggregator(lab.session, seeded(1)(AGGREGATOR))


# 5


@pytest.mark.parametrize(
    ("protocol", "size"),
    [
        (SecAgg(threshold=4), 6),
        (SecAgg(threshold=6), 9),
        (SecAgg(threshold=3, profile="semi-honest"), 6),
        (SecAggPlus(threshold=4), 6),
    ],
)
def test_rule_05_a_threshold_that_a_server_could_split_is_refused(protocol, size):
    with pytest.raises(ValueError, match="rule 5"):
        Lab(protocol, size)
    Lab(dataclasses.replace(protocol, threshold=protocol.threshold + 1), size)


def test_rule_05_a_node_runs_no_session_of_other_parameters():
    lab = Lab(SecAgg(threshold=6))
    with pytest.raises(ValueError, match="not of SecAgg"):
        SecAgg().node(
            "node-0", lab.vectors["node-0"], lab.session, seeded(1)("node-0"), lab.credentials["node-0"]
        )
    assert lab.session.digest != Lab().session.digest
    assert SecAggPlus().session((lab.nodes,), 5, Capacity(9, 7), bytes(16)).digest != (
        SecAggPlus(corrupt=0.0).session((lab.nodes,), 5, Capacity(9, 7), bytes(16)).digest
    )


@pytest.mark.parametrize(
    "other",
    [
        SecAgg(threshold=6),
        SecAggPlus(corrupt=0.0),  # another number of neighbours, another graph
        SecAgg(profile="malicious", threshold=7),
    ],
)
def test_rule_05_what_is_signed_holds_under_the_signed_parameters_only(other):
    credentials = made_on_the_spot([f"node-{i}" for i in range(7)], seeded(9))
    signed = []
    elsewhere = Lab(other, credentials=credentials)
    elsewhere.run(lambda e: (signed.append(e.body) if isinstance(e.body, Keys) else None) or [])
    lab = Lab(credentials=credentials)
    lab.run(replacing(Keys, lambda _: signed[2], ["node-2"]))
    assert [(by, party) for by, party, why in lab.faults if "does not fit (rule 4)" in why] == [
        (AGGREGATOR, "node-2")
    ]
    assert "node-2" not in lab.aggregator.output.members[0]


def test_rule_05_a_node_with_too_few_holders_left_stops():
    lab = Lab()
    few = pack_set(range(4), 7)

    def keep_four(body):
        return NeighbourKeys(few, body.keys[: 4 * advertised_bytes(malicious=True)])

    lab.run(replacing(NeighbourKeys, keep_four, ["node-0"]))
    assert "4 holders advertised keys, 5 needed" in str(lab.stopped["node-0"])


# 6


@pytest.mark.parametrize("protocol", [SecAgg(), SecAgg(profile="semi-honest"), SecAggPlus()])
def test_rule_06_sums_of_two_are_refused_before_they_start(protocol):
    with pytest.raises(ValueError, match="smaller than 3"):
        Lab(protocol, 2)
    with pytest.raises(ValueError, match="rule 6"):
        Lab(dataclasses.replace(protocol, threshold=2), 3)


@both_profiles
@pytest.mark.parametrize("members", [range(1), range(2), range(4)])
def test_rule_06_nodes_count_the_survivors_themselves(profile, members):
    lab = Lab(SecAgg(profile=profile))
    lab.run(replacing(Survivors, lambda _: Survivors(pack_set(members, 7))))
    assert not lab.bodies(Unmasking)
    assert not lab.bodies(Confirmation)
    assert {by for by, party, why in lab.faults if party == AGGREGATOR and "rule 6" in why} == set(lab.nodes)
    assert lab.aggregator.output is None


@both_profiles
def test_rule_06_only_vectors_that_were_accepted_count(profile):
    lab = Lab(SecAgg(profile=profile))  # 7 nodes, threshold 5
    short = replacing(MaskedVector, lambda body: MaskedVector(body.words[:-8]), lab.nodes[:3])
    assert lab.run(short) is None
    assert "4 of 7 answered, 5 needed" in str(lab.stopped[AGGREGATOR])
    assert {party for by, party, _ in lab.faults if by == AGGREGATOR} == set(lab.nodes[:3])
    assert not lab.bodies(Survivors)


# 7


def outcome(protocol, nodes, frames):
    session = protocol.session((nodes,), 3, Capacity(9, len(nodes)), bytes(16))
    vectors = {node: np.arange(3) + i for i, node in enumerate(nodes)}
    silent = {node: count for node, count in zip(nodes, frames, strict=True) if count < 6}
    parties = protocol.parties(vectors, session, seeded(1))
    run = LocalRun(parties, protocol.codec(session), session, Faults(silent))
    try:
        opened = run.run()
    except TooFewParties as abort:
        assert run.parties[AGGREGATOR].output is None
        return abort
    assert (opened.rows[0] == sum(vectors[node] for node in opened.members[0])).all()
    assert not run.transcript.blames
    return opened


@both_profiles
def test_rule_07_every_pattern_of_drop_outs_ends_exactly_or_in_a_typed_abort(profile):
    """Four nodes, threshold 3: sums exist if and only if three nodes answer to the end.

    Every pattern once, up to which node is which: that is drawn.
    """
    rng = np.random.default_rng(7)
    patterns = [rng.permutation(each) for each in itertools.combinations_with_replacement(range(7), 4)]
    nodes = tuple(f"node-{i}" for i in range(4))
    last = 6 if profile == "malicious" else 5
    for pattern in patterns:
        result = outcome(SecAgg(profile=profile), nodes, pattern)
        to_the_end = [node for node, frames in zip(nodes, pattern, strict=True) if frames >= last]
        summed = tuple(node for node, frames in zip(nodes, pattern, strict=True) if frames >= 4)
        if len(to_the_end) >= 3:
            assert result.members == (summed,), pattern
        else:
            assert isinstance(result, TooFewParties), pattern
            assert result.missing


# 8


def test_rule_08_masks_are_uniform_over_the_whole_ring():
    lab = Lab(length=4000)
    lab.vectors = dict.fromkeys(lab.nodes, np.zeros(4000, np.int64))
    lab.run()
    words = np.concatenate([from_bytes(body.words) for body in lab.bodies(MaskedVector)])
    bits = np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1).mean(axis=0)
    # 28 000 fair coins: six standard deviations are 0.018
    assert (abs(bits - 0.5) < 0.018).all()


def test_rule_08_keys_for_different_purposes_are_independent():
    mine, other = key_pair(bytes(32)), key_pair(b"1" * 32)
    terms = Lab().round.terms
    seed = bytes(32)
    derived = {
        pairwise_mask(mine, other.public, b"a", b"b"),
        pairwise_mask(mine, other.public, b"b", b"a"),
        Peer.met("b", Keys(other.public, other.public, b"", b""), b"b", b"a", mine, first=True).channel,
        terms.self_mask(seed),
        terms.commitment("node-0", seed),
        terms.commitment("node-1", seed),
    }
    assert len(derived) == 6
    assert all(len(key) == 32 for key in derived)


# 9


def test_rule_09_the_same_entropy_gives_other_masks_in_another_session():
    words = []
    for session_id in (bytes(16), bytes(15) + b"1"):
        lab = Lab(session_id=session_id)
        lab.run()
        words.append(np.stack([from_bytes(body.words) for body in lab.bodies(MaskedVector)]))
    assert not (words[0] == words[1]).any()


def test_rule_09_ephemeral_keys_are_drawn_afresh():
    credentials = made_on_the_spot([f"node-{i}" for i in range(7)], seeded(9))
    keys = []
    for seed in (1, 2):
        lab = Lab(credentials=credentials, seed=seed, session_id=bytes(15) + bytes([seed]))
        lab.run()
        keys += [key for body in lab.bodies(Keys) for key in (body.channel, body.mask, body.commitment)]
    assert len(set(keys)) == 2 * 7 * 3


# 10


def test_rule_10_shares_that_were_swapped_or_changed_are_unreadable_and_reported():
    lab = Lab(size=10)

    def swap_first_two(body):
        first, second, rest = (
            body.sealed[:SEALED_BYTES],
            body.sealed[SEALED_BYTES : 2 * SEALED_BYTES],
            body.sealed[2 * SEALED_BYTES :],
        )
        return DeliveredShares(body.present, second + first + rest)

    opened = lab.run(replacing(DeliveredShares, swap_first_two, ["node-9"]))
    # the reader blames the sender or the aggregator, since either could have done it, and goes no further
    assert [party for by, party, why in lab.faults if by == "node-9"] == ["node-0", "node-1"]
    assert {others for by, _, others in lab.suspected if by == "node-9"} == {(AGGREGATOR,)}
    (complaint,) = [e.body for e in lab.sent if isinstance(e.body, Complaint) and e.sender == "node-9"]
    assert unpack_set(complaint.unreadable, 10) == [0, 1]
    assert opened.members == (lab.nodes[:9],)
    assert (opened.rows[0] == lab.sum_of(lab.nodes[:9])).all()
    assert not [e for e in lab.sent if e.sender == "node-9" and isinstance(e.body, MaskedVector)]


def test_rule_10_sealed_shares_are_for_one_node_from_one_node_and_nothing_else():
    lab = Lab()
    lab.run(withholding(Survivors))
    zero, one, two = (lab.parties[lab.nodes[node]]._peers for node in range(3))
    pair = bytes(range(64))
    sealed = zero[1].seal_shares(pair)
    assert one[0].unseal_shares(sealed) == pair
    for reader in (zero[1], one[2], two[0], two[1]):  # reflected, from or for somebody else
        with pytest.raises(ValueError, match="does not belong here"):
            reader.unseal_shares(sealed)
    other_keys = dataclasses.replace(one[0], its=bytes(32))
    with pytest.raises(ValueError, match="does not belong here"):
        other_keys.unseal_shares(sealed)
    assert not one[0].confirmed(pair, sealed)  # as another kind of message


def test_rule_10_shares_of_another_session_are_unreadable():
    old = []
    first = Lab(size=10, seed=1)
    first.run(lambda e: (old.append(e.body) if isinstance(e.body, DeliveredShares) else None) or [e])
    lab = Lab(size=10, seed=1, session_id=bytes(15) + b"1")
    lab.run(replacing(DeliveredShares, lambda _: old[0], ["node-0"]))
    assert [party for by, party, _ in lab.faults if by == "node-0"] == list(lab.nodes[1:])
    assert all(others == (AGGREGATOR,) for by, _, others in lab.suspected if by == "node-0")


# 11


def test_rule_11_a_session_whose_sums_could_wrap_is_refused_with_the_numbers():
    Capacity(bound=2**60, nodes=7, tail=2**57)
    with pytest.raises(ValueError, match=f"7 nodes × .bound {2**60}"):
        Capacity(bound=2**60, nodes=7, tail=2**58)


@pytest.mark.parametrize("value", [1001, -1001, -(2**63), 2**63 - 1])
def test_rule_11_a_value_out_of_bounds_is_rejected_never_clipped(value):
    lab = Lab()
    vector = np.array([0, 0, value, 0, 0])
    with pytest.raises(ValueError, match=f"coordinate 2 is {value}"):
        lab.protocol.node("node-0", vector, lab.session, seeded(1)("node-0"), lab.credentials["node-0"])


def test_rule_11_signed_values_need_no_offset():
    lab = Lab()
    for vector in lab.vectors.values():
        vector[:] = [-1000, 1000, -1, 1, 0]
    assert lab.run().rows[0].tolist() == [-7000, 7000, -7, 7, 0]


# 12


@both_profiles
def test_rule_12_only_the_masked_vector_depends_on_what_a_node_has(profile):
    labs = [Lab(SecAgg(profile=profile)), Lab(SecAgg(profile=profile))]
    for vector in labs[1].vectors.values():
        vector[:] = 0
    for lab in labs:
        lab.run()
    assert len(labs[0].sent) == len(labs[1].sent)
    for one, other in zip(labs[0].sent, labs[1].sent, strict=True):
        assert (one == other) == (not isinstance(one.body, MaskedVector))


# 13


def longer(body):
    field = msgspec.structs.fields(body)[-1].name
    return msgspec.structs.replace(body, **{field: getattr(body, field) + b"\0"})


def shorter(body):
    field = msgspec.structs.fields(body)[-1].name
    return msgspec.structs.replace(body, **{field: getattr(body, field)[:-1]})


def out_of_range(body):
    return msgspec.structs.replace(body, present=b"\xff") if hasattr(body, "present") else longer(body)


@pytest.mark.parametrize("change", [longer, shorter, out_of_range])
@pytest.mark.parametrize("kind", [*NODE_MESSAGES, *AGGREGATOR_MESSAGES])
def test_rule_13_a_message_of_another_size_is_refused_and_blamed(kind, change):
    lab = Lab()
    lab.run(replacing(kind, change, ["node-3"]))
    blamed = ("node-3", AGGREGATOR) if kind in AGGREGATOR_MESSAGES else (AGGREGATOR, "node-3")
    assert blamed in {(by, party) for by, party, _ in lab.faults}
    assert lab.aggregator.output is not None


@pytest.mark.parametrize("kind", [*NODE_MESSAGES, *AGGREGATOR_MESSAGES])
def test_rule_13_the_wire_knows_no_other_fields_and_no_other_types(kind):
    lab = Lab()
    codec = lab.protocol.codec(lab.session)
    fields = len(msgspec.structs.fields(kind))
    good = [kind.__name__, *[b"x"] * fields]

    def framed(body):
        raw = msgspec.msgpack.encode(body)
        return msgspec.msgpack.encode([codec._tag(raw), "node-0", AGGREGATOR, msgspec.Raw(raw)])

    assert isinstance(codec.decode("node-0", AGGREGATOR, framed(good)), kind)
    for bad in ([*good, b"x"], good[:-1], [*good[:-1], 7], [*good[:-1], None], ["Pickle", *good[1:]]):
        with pytest.raises(FaultyParty):
            codec.decode("node-0", AGGREGATOR, framed(bad))


# 14


@both_profiles
@pytest.mark.parametrize("kind", [*NODE_MESSAGES, *AGGREGATOR_MESSAGES])
def test_rule_14_every_second_use_is_refused_on_both_sides(profile, kind):
    if profile == "semi-honest" and kind in (Confirmation, Confirmations):
        pytest.skip("there is no such message in the semi-honest profile")
    lab = Lab(SecAgg(profile=profile))

    def twice(envelope):
        again = isinstance(envelope.body, kind) and "node-3" in (envelope.sender, envelope.recipient)
        return [envelope, envelope] if again else [envelope]

    assert (lab.run(twice).rows[0] == lab.sum_of(lab.nodes)).all()
    ends = {AGGREGATOR, "node-3"}
    assert [{by, party} for by, party, _ in lab.faults] == [ends]


def test_rule_14_a_message_ahead_of_its_stage_is_refused():
    lab = Lab()
    early = [
        Envelope(AGGREGATOR, "node-0", Survivors(pack_set(range(7), 7))),
        Envelope("node-0", AGGREGATOR, MaskedVector(bytes(40))),
        Envelope("node-0", AGGREGATOR, Unmasking(pack_set(range(7), 7), bytes(7 * 32))),
    ]
    sent = iter([early])
    opened = lab.run(lambda envelope: [*next(sent, []), envelope])
    assert [{by, party} for by, party, _ in lab.faults] == [{AGGREGATOR, "node-0"}] * 3
    assert opened.members == (lab.nodes,)


# 15


def wrong_share(body):
    return Unmasking(body.present, draw_secret(seeded(3)("liar")) + body.shares[32:])


def test_rule_15_a_wrong_share_is_found_named_and_harmless():
    lab = Lab(size=10)  # threshold 7: one wrong share of ten can be told from the others
    opened = lab.run(replacing(Unmasking, wrong_share, ["node-4"]))
    assert (opened.rows[0] == lab.sum_of(lab.nodes)).all()
    assert [(by, party) for by, party, why in lab.faults if "rule 15" in why] == [(AGGREGATOR, "node-4")]


def test_rule_15_more_wrong_shares_than_can_be_told_apart_end_in_an_abort():
    lab = Lab(size=10)
    assert lab.run(replacing(Unmasking, wrong_share, ["node-2", "node-3", "node-4", "node-5"])) is None
    assert "node-0 cannot be unmasked" in str(lab.stopped[AGGREGATOR])


def test_rule_15_a_node_that_shares_another_secret_than_it_committed_to_gets_no_sum_opened():
    lab = Lab(size=10)
    liar = lab.parties["node-4"]
    start = liar.start

    def lie():
        hello = start()
        liar._secrets = dataclasses.replace(liar._secrets, seed=bytes(32))
        return hello

    liar.start = lie
    assert lab.run() is None
    assert "node-4 cannot be unmasked: the shares give another secret" in str(lab.stopped[AGGREGATOR])


# 16


def test_rule_16_the_graph_follows_from_the_session_and_is_sized_for_the_stated_rates():
    nodes = tuple(f"node-{i}" for i in range(150))
    protocol = SecAggPlus(corrupt=0.02, dropout=0.02)
    sessions = [protocol.session((nodes,), 1, Capacity(1, 150), bytes(15) + bytes([i])) for i in (1, 1, 2)]
    graphs = [protocol.graph(session, 0) for session in sessions]
    planned = protocol.plan(150)
    assert {(graph.holders, threshold) for graph, threshold in graphs} == {
        (planned.neighbours + 1, planned.threshold)
    }
    arounds = [[graph.around(node) for node in range(150)] for graph, _ in graphs]
    assert arounds[0] == arounds[1] != arounds[2]


def test_rule_16_rates_that_a_small_group_does_not_answer_are_refused():
    with pytest.raises(ValueError, match="rule 16"):
        Lab(SecAggPlus(dropout=0.45), 7)
    with pytest.raises(ValueError, match="rule 16"):
        Lab(SecAggPlus(corrupt=0.45), 7)


def test_rule_16_survivors_that_would_isolate_a_few_nodes_are_refused_by_their_neighbours():
    protocol = SecAggPlus(corrupt=0.0, dropout=0.05)
    lab = Lab(protocol, size=100, length=1)
    graph, threshold = protocol.graph(lab.session, 0)
    half = graph.holders // 2
    seed = graph._seed
    circle = [int(node) for node in permutation(100, seed)]
    arc = circle[30:40]  # to be cut off from the rest by declaring their neighbours on both sides silent
    silent = circle[30 - half : 30] + circle[40 : 40 + half]
    members = sorted(set(range(100)) - set(silent))
    assert len(members) >= protocol.survivors(100)
    lab.run(replacing(Survivors, lambda _: Survivors(pack_set(members, 100))))
    assert not lab.bodies(Unmasking)
    refused = {by for by, party, why in lab.faults if party == AGGREGATOR and "rule 5" in why}
    assert {lab.nodes[node] for node in arc} <= refused
    assert threshold > half + 1


# 17


def test_rule_17_the_sum_without_one_node_cannot_be_had_after_the_sum_with_it():
    credentials = made_on_the_spot([f"node-{i}" for i in range(7)], seeded(9))
    assert Lab(credentials=credentials).run().members == (tuple(credentials),)
    second = Lab(credentials=credentials, seed=2)
    assert second.run(withholding(MaskedVector, "node-6")) is None
    assert "before" in str(second.stopped["node-0"])


# 18


def test_rule_18_what_noise_shares_count_on_is_never_undercut():
    protocol = SecAgg()
    rng = np.random.default_rng(18)
    seen = set()
    for _ in range(40):
        nodes = tuple(f"node-{i}" for i in range(int(rng.integers(3, 9))))
        result = outcome(protocol, nodes, rng.choice(7, len(nodes), p=[0.05] * 6 + [0.7]))
        if not isinstance(result, TooFewParties):
            assert len(result.members[0]) >= protocol.survivors(len(nodes))
            seen.add(len(nodes) - len(result.members[0]))
    assert {0, 1} <= seen


def test_rule_18_noise_is_part_of_the_integers_that_are_masked():
    lab = Lab()
    with pytest.raises(ValueError, match="float64"):
        lab.protocol.node("node-0", np.zeros(5), lab.session, seeded(1)("node-0"), lab.credentials["node-0"])
    assert to_ring(lab.run().rows[0]).dtype == np.uint64
