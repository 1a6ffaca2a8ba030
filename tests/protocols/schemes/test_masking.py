import numpy as np
import pytest

from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.entropy import seeded
from protocols.errors import FaultyParty, TooFewParties
from protocols.party import AGGREGATOR, Envelope
from protocols.ring import Capacity, from_bytes, to_ring
from protocols.schemes.masking import GroupKeys, Key, Masked, Masking

NODES = tuple(f"node-{i}" for i in range(6))
GROUPS = (NODES[:3], NODES[3:5], NODES[5:])
CAPACITY = Capacity(bound=1000, nodes=6)


def run(groups, silent=None, seed=1, watch=()):
    protocol = Masking()
    session = protocol.session(groups, 7, CAPACITY, bytes(16))
    rng = np.random.default_rng(seed)
    vectors = {node: rng.integers(-1000, 1001, 7) for node in session.nodes}
    parties = protocol.parties(vectors, session, seeded(seed))
    engine = LocalRun(parties, protocol.codec(session), session, Faults(silent or {}), watch)
    return vectors, engine


def test_every_group_is_opened_exactly():
    vectors, engine = run(GROUPS)
    opened = engine.run()
    assert opened.members == GROUPS
    expected = [sum(vectors[node] for node in group) for group in GROUPS]
    assert (opened.rows == np.stack(expected)).all()
    assert not opened.lost
    assert not engine.transcript.blames


def test_no_coordinate_travels_in_the_clear_except_from_a_group_of_one():
    vectors, engine = run(GROUPS, watch=[AGGREGATOR])
    engine.run()
    for frame in engine.transcript.frames:
        clear = to_ring(vectors[frame.sender]).tobytes() if frame.sender in vectors else b"nothing"
        assert (clear in frame.data) == (frame.sender == NODES[5] and len(frame.data) > 60 + 32)


@pytest.mark.parametrize("frames", [0, 1])
def test_a_silent_node_costs_its_group_and_no_other(frames):
    vectors, engine = run(GROUPS, {"node-1": frames})
    opened = engine.run()
    if frames:  # its key was seen, so only the vector is missing
        assert opened.members == GROUPS[1:]
    assert (opened.rows == np.stack([sum(vectors[n] for n in group) for group in GROUPS[1:]])).all()
    assert [(lost.group, lost.missing) for lost in opened.lost] == [(0, ("node-1",))]


@pytest.mark.parametrize("frames", [0, 1])
def test_if_no_group_is_whole_the_run_aborts_and_names_the_missing(frames):
    _, engine = run((NODES,), {"node-1": frames, "node-4": frames})
    with pytest.raises(TooFewParties) as error:
        engine.run()
    assert error.value.missing == ("node-1", "node-4")


def test_a_threshold_below_the_group_is_refused():
    with pytest.raises(ValueError, match="whole groups: threshold must be the group's 6 nodes, got 4"):
        Masking(threshold=4).session((NODES,), 7, CAPACITY, bytes(16))
    assert Masking(threshold=6).session((NODES,), 7, CAPACITY, bytes(16))


def a_node():
    protocol = Masking()
    session = protocol.session((NODES[:3],), 7, CAPACITY, bytes(16))
    node = protocol.node("node-1", np.arange(7), session, seeded(1)("node-1"))
    (hello,) = node.start()
    return node, hello.body.public


def keys_of(public):
    others = [np.random.default_rng(i).bytes(32) for i in range(2)]
    return [others[0], public, others[1]]


def test_a_node_notices_another_key_in_place_of_its_own():
    node, public = a_node()
    keys = keys_of(bytes(32))
    with pytest.raises(FaultyParty, match="another key for node-1") as error:
        node.handle(Envelope(AGGREGATOR, "node-1", GroupKeys(b"".join(keys))))
    assert error.value.party == AGGREGATOR
    (reply,) = node.handle(Envelope(AGGREGATOR, "node-1", GroupKeys(b"".join(keys_of(public)))))
    assert not (from_bytes(reply.body.words) == np.arange(7).astype(np.uint64)).any()


@pytest.mark.parametrize("bad", ["short", "long", "small order"])
def test_a_node_refuses_unusable_keys_and_stays_as_it_was(bad):
    node, public = a_node()
    keys = keys_of(public)
    wrong = {"short": keys[:2], "long": [*keys, keys[0]], "small order": [keys[0], public, bytes(32)]}[bad]
    with pytest.raises(FaultyParty) as error:
        node.handle(Envelope(AGGREGATOR, "node-1", GroupKeys(b"".join(wrong))))
    assert error.value.party == AGGREGATOR
    assert node.handle(Envelope(AGGREGATOR, "node-1", GroupKeys(b"".join(keys))))


def test_a_node_masks_once_and_listens_to_the_aggregator_only():
    node, public = a_node()
    message = GroupKeys(b"".join(keys_of(public)))
    with pytest.raises(FaultyParty):
        node.handle(Envelope("node-0", "node-1", message))
    node.handle(Envelope(AGGREGATOR, "node-1", message))
    with pytest.raises(FaultyParty):
        node.handle(Envelope(AGGREGATOR, "node-1", message))


@pytest.mark.parametrize(
    ("message", "reason"),
    [(Key(bytes(32)), "small order"), (Key(b"k" * 31), "32 bytes"), (Masked(bytes(56)), "before its key")],
)
def test_the_aggregator_blames_who_sends_an_unusable_message(message, reason):
    protocol = Masking()
    session = protocol.session((NODES,), 7, CAPACITY, bytes(16))
    aggregator = protocol.aggregator(session, seeded(1)(AGGREGATOR))
    with pytest.raises(FaultyParty, match=reason) as error:
        aggregator.handle(Envelope("node-2", AGGREGATOR, message))
    assert error.value.party == "node-2"


def test_two_sessions_of_the_same_keys_and_vectors_share_no_mask():
    protocol = Masking()
    sent = []
    for session_id in (bytes(16), bytes(15) + b"1"):
        session = protocol.session((NODES[:2],), 7, CAPACITY, session_id)
        node = protocol.node("node-0", np.zeros(7, np.int64), session, seeded(1)("node-0"))
        (hello,) = node.start()
        keys = hello.body.public + keys_of(b"")[0]
        (reply,) = node.handle(Envelope(AGGREGATOR, "node-0", GroupKeys(keys)))
        sent.append(from_bytes(reply.body.words))
    assert not (sent[0] == sent[1]).any()
