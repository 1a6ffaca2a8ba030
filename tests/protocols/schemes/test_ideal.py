import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.engines.transcript import Frame
from protocols.entropy import seeded
from protocols.errors import Abort, TooFewParties
from protocols.party import AGGREGATOR
from protocols.releases import Releases
from protocols.ring import Capacity, to_bytes, to_ring
from protocols.schemes._sums import Sums
from protocols.schemes.ideal import FUNCTIONALITY, Ideal

NODES = tuple("abcdefg")
GROUPS = (NODES[:3], NODES[3:])
VECTORS = {node: np.array([i, -(10**i)]) for i, node in enumerate(NODES)}


def session_of(protocol, groups=GROUPS):
    return protocol.session(groups, 2, Capacity(10**6, 7), bytes(16))


def run_of(protocol, session, faults=None):
    parties = protocol.parties(VECTORS, session, seeded(1))
    return LocalRun(parties, protocol.codec(session), session, faults or Faults(), watch=[AGGREGATOR])


@settings(deadline=None)
@given(st.sets(st.sampled_from(NODES)), st.sampled_from([None, 1, 2, 3]), st.sampled_from([1, 2, 3]))
def test_open_is_the_run_without_messages(gone, threshold, minimum):
    protocol = Ideal(threshold=threshold, minimum_group=minimum)
    session = session_of(protocol)
    run = run_of(protocol, session, Faults(silent=dict.fromkeys(gone, 0)))
    arriving = {node: VECTORS[node] for node in NODES if node not in gone}
    try:
        opened = run.run()
    except Abort:
        with pytest.raises(TooFewParties):
            protocol.open(arriving, session)
        return
    direct = protocol.open(arriving, session)
    assert opened.rows.tolist() == direct.rows.tolist()
    assert opened.members == direct.members
    assert [(x.group, x.missing) for x in opened.lost] == [(x.group, x.missing) for x in direct.lost]


def test_the_aggregator_hears_sums_only():
    run = run_of(Ideal(), session_of(Ideal()))
    run.run()
    (frame,) = run.transcript.frames
    assert (frame.sender, frame.recipient) == (FUNCTIONALITY, AGGREGATOR)
    assert not any(to_bytes(to_ring(vector)) in frame.data for vector in VECTORS.values())


@pytest.mark.parametrize("silent", [{}, {"a": 0}])
def test_a_session_is_released_once_whoever_asks(silent, tmp_path):
    first = Ideal(releases=Releases(tmp_path))
    run_of(first, session_of(first)).run()
    again = Ideal(releases=Releases(tmp_path))
    run = run_of(again, session_of(again), Faults(silent=silent))
    with pytest.raises(Abort):
        run.run()
    assert run.transcript.frames == []
    assert "released its part" in run.transcript.stops[0].reason
    with pytest.raises(Abort, match="released its part"):
        again.open(VECTORS, session_of(again))


def test_the_minimum_group_counts_those_who_answered():
    protocol = Ideal(threshold=1, minimum_group=3)
    session = session_of(protocol)
    assert protocol.open({n: VECTORS[n] for n in "abc"}, session).members == (("a", "b", "c"),)
    with pytest.raises(TooFewParties, match="2 of 3 answered, 3 needed"):
        protocol.open({n: VECTORS[n] for n in "abde"}, session)


def test_a_session_with_a_group_below_the_minimum_is_refused():
    with pytest.raises(ValueError, match="a group of 1 is smaller than the minimum of 2"):
        session_of(Ideal(minimum_group=2), (NODES[:1], NODES[1:]))


def test_a_vector_of_nobody_is_refused():
    with pytest.raises(ValueError, match="not in the session: mallory"):
        Ideal().open({**VECTORS, "mallory": np.zeros(2, np.int64)}, session_of(Ideal()))


WORDS = to_bytes(np.zeros(2, np.uint64))


@pytest.mark.parametrize(
    "sums",
    [
        Sums(((0, 1, 2),), (WORDS,)),
        Sums(((0, 1, 3), (0, 1, 2)), (WORDS, WORDS)),
        Sums(((0, 1, -1), (0, 1, 2)), (WORDS, WORDS)),
        Sums(((0, 1, 1), (0, 1, 2)), (WORDS, WORDS)),
        Sums(((0, 1, 2), (0, 1, 2)), (WORDS, WORDS[:-1])),
        Sums(((0, 1, 2), (0, 1)), (WORDS, WORDS)),
    ],
)
def test_sums_that_fit_no_group_are_blamed_and_ignored(sums):
    protocol = Ideal()
    session = session_of(protocol)
    codec = protocol.codec(session)

    class Before(Faults):
        def carry(self, frame):
            bad = Frame(FUNCTIONALITY, AGGREGATOR, codec.encode(FUNCTIONALITY, AGGREGATOR, sums))
            return ([bad, frame] if frame.recipient == AGGREGATOR else [frame]), []

    run = run_of(protocol, session, Before())
    assert run.run().members == GROUPS
    assert [blame.party for blame in run.transcript.blames] == [FUNCTIONALITY]
