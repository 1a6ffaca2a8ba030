import numpy as np
import pytest

from attacks.toolkit.messages import byte_fields
from protocols.engines.local import LocalRun
from protocols.entropy import hedged, seeded, system
from protocols.protocol import PROTOCOLS
from protocols.ring import Capacity, to_bytes, to_ring


def test_a_named_stream_is_the_same_again():
    assert seeded(7)("node-1")(40) == seeded(7)("node-1")(40)


def test_a_stream_does_not_depend_on_how_it_is_read():
    entropy = seeded(7)("node-1")
    assert b"".join(entropy(size) for size in (1, 0, 15, 16, 8)) == seeded(7)("node-1")(40)


def test_streams_of_other_names_and_seeds_differ():
    streams = {seeded(seed)(name)(32) for seed in range(-2, 5) for name in ("a", "b", "ab", "")}
    assert len(streams) == 28


def test_a_stream_does_not_repeat():
    entropy = seeded(7)("node-1")
    assert len({entropy(32) for _ in range(100)}) == 100


def test_bytes_are_balanced():
    data = seeded(1)("a")(100_000)
    ones = sum(byte.bit_count() for byte in data)
    assert abs(ones - 400_000) < 2_500  # more than five standard deviations of 447


def test_the_system_gives_fresh_bytes():
    entropy = system("anybody")
    assert len(entropy(32)) == 32
    assert entropy(32) != entropy(32)


def test_hedged_bytes_repeat_only_where_entropy_and_context_both_do():
    same = hedged(seeded(1)("a"), b"session", "a"), hedged(seeded(1)("a"), b"session", "a")
    assert same[0](40) == same[1](40)
    assert same[0](40) == same[1](40)
    first = hedged(seeded(1)("a"), b"session", "a")(40)
    assert hedged(seeded(1)("a"), b"another", "a")(40) != first
    assert hedged(seeded(2)("a"), b"session", "a")(40) != first


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_a_node_whose_random_bits_repeat_says_other_words_in_another_session(name):
    """Two sessions, the same vector and the same entropy: no secret word of 8·d bytes is the same in both."""
    said = []
    for session_id in (bytes(16), bytes(range(16))):
        protocol = PROTOCOLS[name].for_tests()
        nodes = tuple(f"node-{i}" for i in range(7))
        session = protocol.session((nodes,), 3, Capacity(9, 7), session_id)
        vectors = {node: np.arange(3) for node in nodes}
        parties = protocol.parties(vectors, session, seeded(1))
        run = LocalRun(parties, protocol.codec(session), session, watch=["node-0"])
        run.run()
        codec, sent = protocol.codec(session), set()
        for frame in run.transcript.frames:
            if frame.sender == "node-0":
                body = codec.decode(frame.sender, frame.recipient, frame.data)
                sent |= {data for _, data in byte_fields(body) if len(data) >= 24}
        said.append(sent)
    opened = to_bytes(to_ring(7 * np.arange(3)))  # the leader of a ring tells it
    in_the_clear = {"plain", "ideal", "gossip"}
    # keys are the owner's, and nothing else: what is derived from them is bound to the session
    repeated = {data for data in said[0] & said[1] if len(data) != 32 and data != opened}
    assert bool(repeated) == (name in in_the_clear)
