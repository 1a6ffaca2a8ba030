import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.engines.transcript import Frame
from protocols.entropy import seeded
from protocols.errors import Abort
from protocols.party import AGGREGATOR
from protocols.ring import Capacity, to_bytes
from protocols.schemes._sums import Sums
from protocols.schemes.mixer import Mixer, Present, split

NODES = tuple("abcdefg")
VECTORS = {node: np.array([i, -i, 1000]) for i, node in enumerate(NODES)}
residues = npst.arrays(np.uint64, 5)


def run_of(faults=None, groups=(NODES,)):
    protocol = Mixer()
    session = protocol.session(groups, 3, Capacity(1000, 7), bytes(16))
    parties = protocol.parties(VECTORS, session, seeded(1))
    return LocalRun(parties, protocol.codec(session), session, faults or Faults())


@given(residues, residues)
def test_the_shares_add_up(vector, random):
    one, other = split(vector, to_bytes(random))
    assert np.array_equal(one + other, vector)


@given(residues, residues, residues)
def test_either_share_fits_every_vector(vector, another, random):
    """The randomness that explains the same share of another vector exists and is as likely."""
    one, other = split(vector, to_bytes(random))
    assert np.array_equal(split(another, to_bytes(other))[1], other)
    assert np.array_equal(split(another, to_bytes(another - one))[0], one)


@pytest.mark.parametrize("frames", [0, 1])
def test_a_node_that_reached_one_mixer_only_is_left_out(frames):
    opened = run_of(Faults(silent={"c": frames})).run()
    assert opened.members == (tuple("abdefg"),)
    assert opened.rows.tolist() == [[19, -19, 6000]]


@pytest.mark.parametrize("frames", [0, 1])
def test_a_silent_mixer_ends_the_run(frames):
    run = run_of(Faults(silent={"mixer-1": frames}))
    with pytest.raises(Abort):
        run.run()
    assert run.parties[AGGREGATOR].output is None


class Replacing(Faults):
    """The first frame of one kind from a party says something else."""

    def __init__(self, sender, change):
        super().__init__()
        self.sender, self.change, self.codec = sender, change, None

    def carry(self, frame):
        body = self.codec.decode(frame.sender, frame.recipient, frame.data)
        other = self.change(body) if frame.sender == self.sender else None
        if other is None:
            return [frame], []
        data = self.codec.encode(frame.sender, frame.recipient, other)
        return [Frame(frame.sender, frame.recipient, data)], []


def replaced(sender, change):
    faults = Replacing(sender, change)
    run = run_of(faults)
    faults.codec = run._codec
    return run


def test_mixers_who_contradict_each_other_open_nothing():
    run = replaced("mixer-2", lambda b: Sums((b.answered[0][1:],), b.words) if isinstance(b, Sums) else None)
    with pytest.raises(Abort, match="contradict"):
        run.run()


def test_a_mixer_that_denies_a_node_to_the_other_but_counts_it_is_found_out():
    run = replaced("mixer-2", lambda b: Present(b.nodes[1:]) if isinstance(b, Present) else None)
    with pytest.raises(Abort, match="contradict"):
        run.run()


@pytest.mark.parametrize("nodes", [(0, 0), (7,), (-1,), (1, 0)])
def test_a_mixer_that_names_nobody_is_blamed(nodes):
    run = replaced("mixer-2", lambda b: Present(nodes) if isinstance(b, Present) else None)
    with pytest.raises(Abort):
        run.run()
    assert ("mixer-1", "mixer-2") in {(blame.by, blame.party) for blame in run.transcript.blames}


def test_a_random_error_in_a_mixers_sum_is_noticed():
    """A sum that honest nodes could not have is not opened; a small error is not covered."""
    run = replaced(
        "mixer-2",
        lambda b: (
            Sums(b.answered, (b.words[0][:-1] + bytes([b.words[0][-1] ^ 64]),))
            if isinstance(b, Sums)
            else None
        ),
    )
    with pytest.raises(Abort, match="beyond ±7000"):
        run.run()


@given(st.sets(st.sampled_from(NODES), max_size=2))
def test_any_nodes_that_the_threshold_spares_may_be_silent(gone):
    opened = run_of(Faults(silent=dict.fromkeys(gone, 0))).run()
    assert opened.members == (tuple(node for node in NODES if node not in gone),)
    assert opened.rows.tolist() == [sum(VECTORS[n] for n in opened.members[0]).tolist()]
