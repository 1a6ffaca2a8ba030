import numpy as np
import pytest

from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.engines.transcript import Frame
from protocols.entropy import seeded
from protocols.errors import Abort
from protocols.party import AGGREGATOR
from protocols.primitives.push_sum import integers
from protocols.ring import Capacity, from_bytes
from protocols.schemes.gossip import Gossip, Push, Sum

NODES = tuple("abcdefg")
VECTORS = {node: np.array([i, -i, 1000]) for i, node in enumerate(NODES)}


def run_of(protocol=None, faults=None, groups=(NODES,)):
    protocol = protocol or Gossip()
    session = protocol.session(groups, 3, Capacity(1000, 7), bytes(16))
    parties = protocol.parties(VECTORS, session, seeded(1))
    return LocalRun(parties, protocol.codec(session), session, faults or Faults(), watch=NODES)


class Replacing(Faults):
    """Frames of one party say something else."""

    def __init__(self, sender, change):
        super().__init__()
        self.sender, self.change, self.codec = sender, change, None

    def carry(self, frame):
        body = self.codec.decode(frame.sender, frame.recipient, frame.data)
        other = self.change(body) if frame.sender == self.sender else body
        data = self.codec.encode(frame.sender, frame.recipient, other)
        return [Frame(frame.sender, frame.recipient, data)], []


def replaced(sender, change, **options):
    faults = Replacing(sender, change)
    run = run_of(faults=faults, **options)
    faults.codec = run._codec
    return run


@pytest.mark.parametrize("topology", ["complete", "ring", "regular", "erdos-renyi"])
@pytest.mark.parametrize("groups", [(NODES,), (NODES[:3], NODES[3:]), tuple((node,) for node in NODES)])
def test_every_node_ends_with_the_exact_sum_of_its_group(topology, groups):
    run = run_of(Gossip(topology=topology), groups=groups)
    opened = run.run()
    assert opened.members == groups
    for group, row in zip(groups, opened.rows, strict=True):
        expected = sum(VECTORS[node] for node in group).tolist()
        assert row.tolist() == expected
        assert all(run.parties[node].output.tolist() == expected for node in group)


def test_rounds_and_messages_are_those_planned():
    protocol = Gossip()
    run = run_of(protocol)
    run.run()
    session = protocol.session((NODES,), 3, Capacity(1000, 7), bytes(16))
    rounds = protocol.plan(session, 0).rounds
    assert run.transcript.kinds == {("node", "node", "Push"): 7 * rounds, ("node", AGGREGATOR, "Sum"): 7}
    assert run.transcript.deadlines == 0


def test_whoever_is_pushed_to_first_reads_the_vector():
    run = run_of()
    run.run()
    first = next(frame for frame in run.transcript.frames if frame.sender == "c")
    body = run._codec.decode("c", first.recipient, first.data)
    half = integers(from_bytes(body.words).reshape(2, -1))
    weight = half.pop()
    assert [mass * 1000 // half[-1] for mass in half] == VECTORS["c"].tolist()
    assert weight > 0


def test_a_silent_node_costs_its_group_only():
    opened = run_of(faults=Faults(silent={"b": 2}), groups=(NODES[:3], NODES[3:])).run()
    assert opened.members == (NODES[3:],)
    assert [(lost.group, lost.missing) for lost in opened.lost] == [(0, tuple("abc"))]


def test_a_minority_that_tells_another_sum_is_outvoted_and_blamed():
    run = replaced("b", lambda body: Sum(bytes(24)) if isinstance(body, Sum) else body)
    assert run.run().rows.tolist() == [[21, -21, 7000]]
    assert [(blame.by, blame.party) for blame in run.transcript.blames] == [(AGGREGATOR, "b")]


def test_made_up_mass_that_is_no_whole_vector_ends_the_run():
    def bloat(body):
        if not isinstance(body, Push) or body.turn != 3:
            return body
        words = bytearray(body.words)
        words[8 * 4 + 6] ^= 1  # bit 112 of the first mass, which has 113 fraction bits: one half
        return Push(body.turn, bytes(words))

    run = replaced("b", bloat)
    with pytest.raises(Abort):
        run.run()
    assert "no sum" in run.transcript.stops[0].reason


@pytest.mark.parametrize("change", [lambda b: Push(b.turn + 1, b.words), lambda b: Push(-1, b.words)])
def test_a_push_in_the_wrong_round_is_blamed(change):
    run = replaced("b", lambda body: change(body) if isinstance(body, Push) else body)
    with pytest.raises(Abort):
        run.run()
    assert {blame.party for blame in run.transcript.blames} == {"b"}


def test_a_topology_that_cannot_be_is_refused_with_the_session():
    with pytest.raises(ValueError, match="unknown topology 'star'"):
        run_of(Gossip(topology="star"))
    with pytest.raises(ValueError, match="got 3"):
        run_of(Gossip(topology="regular", degree=3))
