import numpy as np
import pytest

from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.entropy import seeded
from protocols.errors import TooFewParties
from protocols.party import AGGREGATOR
from protocols.ring import Capacity, from_bytes, to_ring
from protocols.schemes.ring import Ring

NODES = tuple("abcdefg")
GROUPS = (NODES[:4], NODES[4:])
VECTORS = {node: np.array([i, -i, 1000]) for i, node in enumerate(NODES)}


def run_of(protocol=None, faults=None, groups=GROUPS):
    protocol = protocol or Ring()
    session = protocol.session(groups, 3, Capacity(1000, 7), bytes(16))
    parties = protocol.parties(VECTORS, session, seeded(1))
    return LocalRun(parties, protocol.codec(session), session, faults or Faults(), watch=NODES)


def running_totals(run):
    """Who passed which words on to whom."""
    found = {}
    for frame in run.transcript.frames:
        body = run._codec.decode(frame.sender, frame.recipient, frame.data)
        if frame.recipient != AGGREGATOR:
            found[frame.sender, frame.recipient] = from_bytes(body.words)
    return found


def test_each_ring_is_passed_round_once():
    run = run_of()
    run.run()
    assert list(running_totals(run)) == [
        tuple("ab"),
        tuple("ef"),
        *map(tuple, ["bc", "fg", "cd", "ge", "da"]),
    ]
    assert run.transcript.kinds == {("node", "node", "Running"): 7, ("node", AGGREGATOR, "Sum"): 2}


def test_the_two_neighbours_of_a_node_together_read_its_vector():
    run = run_of()
    run.run()
    passed = running_totals(run)
    assert np.array_equal(passed["b", "c"] - passed["a", "b"], to_ring(VECTORS["b"]))


def test_one_neighbour_sees_what_it_would_see_of_any_other_vector():
    """A running total is the leader's uniform vector plus anything: some leader's vector fits any of them."""
    run = run_of()
    run.run()
    totals = list(running_totals(run).values())
    assert all((np.abs(total.view(np.int64)) > 1 << 40).all() for total in totals)


@pytest.mark.parametrize("silent", ["a", "b", "d"])
def test_a_silent_node_costs_its_ring_only(silent):
    opened = run_of(faults=Faults(silent={silent: 0})).run()
    assert opened.members == (tuple("efg"),)
    assert opened.rows.tolist() == [[15, -15, 3000]]
    assert [(lost.group, lost.missing) for lost in opened.lost] == [(0, ("a",))]


def test_when_every_ring_breaks_nothing_is_opened():
    with pytest.raises(TooFewParties, match="the ring of a did not close"):
        run_of(faults=Faults(silent={"b": 0, "f": 0})).run()


def test_a_ring_of_two_is_refused():
    with pytest.raises(ValueError, match="group 1 .* is smaller than 3"):
        run_of(groups=(NODES[:5], NODES[5:]))


def test_part_of_a_ring_is_refused():
    with pytest.raises(ValueError, match="Ring opens only whole groups: .* 4 nodes, got 3"):
        run_of(Ring(threshold=3))
