import numpy as np
import pytest

from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.engines.transcript import Blame, Stop
from protocols.entropy import seeded
from protocols.errors import Abort, FaultyParty
from protocols.opened import Opened
from protocols.party import AGGREGATOR, Party
from protocols.ring import Capacity
from protocols.schemes.masking import Masking
from protocols.schemes.plain import Plain
from protocols.schemes.ring import Ring
from protocols.schemes.secagg import SecAgg
from protocols.wire import Codec, Message

SESSION = Plain().session((("a", "b"),), 1, Capacity(9, 2), bytes(16))
ROWS = Opened(np.ones((1, 1), np.int64), (("a", "b"),))


class Ping(Message, frozen=True):
    count: int


class Scripted(Party):
    """Says what it was told to, and notes what it was asked."""

    def __init__(self, me, first=(), deadlines=(), answer=lambda _envelope: []):
        super().__init__(me)
        self.first, self.deadlines, self.answer = list(first), list(deadlines), answer
        self.heard, self.waited = [], 0

    def start(self):
        return [self.to(*message) for message in self.first]

    def handle(self, envelope):
        self.heard.append((envelope.sender, envelope.body.count))
        return self.answer(envelope)

    def deadline(self):
        self.waited += 1
        return [self.to(*message) for message in (self.deadlines.pop(0) if self.deadlines else [])]


def run_of(*parties, faults=None, **options):
    codec = Codec((Ping,), SESSION.digest, 1000)
    return LocalRun({p.me: p for p in parties}, codec, SESSION, faults or Faults(), **options)


def opens(party):
    def answer(_envelope):
        party.output = ROWS
        return []

    party.answer = answer
    return party


def test_messages_arrive_as_bytes_in_the_order_sent():
    node = Scripted("a", [(AGGREGATOR, Ping(1)), (AGGREGATOR, Ping(2))])
    aggregator = opens(Scripted(AGGREGATOR))
    run = run_of(node, aggregator)
    assert run.run() is ROWS
    assert aggregator.heard == [("a", 1), ("a", 2)]
    tally = run.transcript.tallies
    assert tally["a"].sent == tally[AGGREGATOR].received > 0
    assert tally["a"].sent_messages == tally[AGGREGATOR].received_messages == 2
    assert run.transcript.kinds == {("node", AGGREGATOR, "Ping"): 2}
    assert run.transcript.kind_bytes.total() == tally["a"].sent
    assert run.transcript.deadlines == 0


def test_the_deadline_comes_when_nobody_speaks_and_spares_the_finished():
    finished, waiting = Scripted("a"), Scripted("b")
    finished.output = True
    aggregator = opens(Scripted(AGGREGATOR, deadlines=[[("b", Ping(1))]]))
    waiting.answer = lambda _envelope: [waiting.to(AGGREGATOR, Ping(2))]
    run = run_of(finished, waiting, aggregator)
    assert run.run() is ROWS
    assert (finished.waited, waiting.waited, aggregator.waited) == (0, 1, 1)
    assert run.transcript.deadlines == 1


def test_a_run_that_ends_without_a_result_is_an_abort():
    with pytest.raises(Abort, match="no result"):
        run_of(Scripted(AGGREGATOR)).run()


def test_the_aggregators_own_abort_ends_the_run_and_others_stop_alone():
    def give_up(envelope):
        raise Abort(f"enough of {envelope.sender}")

    node = Scripted("a", [("b", Ping(1))])
    quitter = Scripted("b", [(AGGREGATOR, Ping(1))], answer=give_up)
    aggregator = opens(Scripted(AGGREGATOR))
    run = run_of(node, quitter, aggregator)
    assert run.run() is ROWS
    assert run.transcript.stops == [Stop("b", "enough of a")]

    run = run_of(Scripted("a", [(AGGREGATOR, Ping(1))] * 2), Scripted(AGGREGATOR, answer=give_up))
    with pytest.raises(Abort, match="enough of a"):
        run.run()
    assert run.parties[AGGREGATOR].heard == [("a", 1)]


def test_a_message_to_nobody_is_blamed_on_its_sender():
    run = run_of(Scripted("a", [("nobody", Ping(1)), (AGGREGATOR, Ping(1))]), opens(Scripted(AGGREGATOR)))
    assert run.run() is ROWS
    assert run.transcript.blames == [
        Blame("engine", "a", "sent a message to 'nobody', who is not in the session")
    ]


def test_an_error_of_ours_is_not_hidden():
    def crash(_envelope):
        raise KeyError("bug")

    with pytest.raises(KeyError, match="bug"):
        run_of(Scripted("a", [(AGGREGATOR, Ping(1))]), Scripted(AGGREGATOR, answer=crash)).run()


def test_a_party_that_never_stops_talking_is_a_bug():
    class Chatty(Scripted):
        def deadline(self):
            return [self.to("a", Ping(0))]

    with pytest.raises(RuntimeError, match="64 deadlines"):
        run_of(Scripted("a"), Chatty(AGGREGATOR)).run()


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_a_party_falls_silent_after_so_many_frames_and_hears_nothing_more(frames):
    node = Scripted("a", [(AGGREGATOR, Ping(i)) for i in range(3)])
    aggregator = Scripted(AGGREGATOR, [("a", Ping(9))])
    run = run_of(node, aggregator, faults=Faults(silent={"a": frames}))
    with pytest.raises(Abort):
        run.run()
    assert aggregator.heard == [("a", i) for i in range(frames)]
    assert node.heard == []


def test_a_held_frame_arrives_after_the_deadline():
    node = Scripted("a", [(AGGREGATOR, Ping(1))])
    aggregator = Scripted(AGGREGATOR)
    waited = []
    aggregator.answer = lambda _envelope: waited.append(aggregator.waited) or []
    with pytest.raises(Abort):
        run_of(node, aggregator, faults=Faults(rng=np.random.default_rng(1), hold=1.0)).run()
    assert waited == [1]


def test_a_damaged_frame_is_blamed_and_not_heard():
    node, aggregator = Scripted("a", [(AGGREGATOR, Ping(1))] * 20), Scripted(AGGREGATOR)
    run = run_of(node, aggregator, faults=Faults(rng=np.random.default_rng(1), corrupt=1.0))
    with pytest.raises(Abort):
        run.run()
    assert aggregator.heard == []
    assert [(blame.by, blame.party) for blame in run.transcript.blames] == [(AGGREGATOR, "a")] * 20


def test_only_the_frames_of_the_watched_are_kept():
    parties = [
        Scripted("a", [("b", Ping(1)), (AGGREGATOR, Ping(2))]),
        Scripted("b", [(AGGREGATOR, Ping(3))]),
        opens(Scripted(AGGREGATOR)),
    ]
    run = run_of(*parties, watch=["b"])
    run.run()
    assert [(f.sender, f.recipient) for f in run.transcript.frames] == [("a", "b"), ("b", AGGREGATOR)]


def test_time_in_a_party_is_counted_for_it():
    def work(_envelope):
        sum(range(200_000))
        return []

    aggregator = opens(Scripted(AGGREGATOR))
    worker = Scripted("b", [(AGGREGATOR, Ping(1))], answer=work)
    run = run_of(Scripted("a", [("b", Ping(1))]), worker, aggregator)
    run.run()
    assert run.transcript.tallies["b"].cpu > 10 * run.transcript.tallies["a"].cpu


def test_silencing_a_party_that_is_not_in_the_session_is_a_mistake_of_the_script():
    with pytest.raises(ValueError, match="silence nobody, who is not in the session"):
        LocalRun({}, Plain().codec(SESSION), SESSION, Faults(silent={"nobody": 0}))


def test_a_fault_that_comes_to_light_late_is_blamed_once_and_the_party_goes_on():
    aggregator = Scripted(AGGREGATOR)

    def suspect_both_then_open(envelope):
        if envelope.body.count == 2:
            aggregator.late_faults += [FaultyParty("a", "lied"), FaultyParty("b", "lied too")]
            return [aggregator.to("b", Ping(3))]
        aggregator.output = ROWS
        return []

    aggregator.answer = suspect_both_then_open
    node = Scripted("a", [(AGGREGATOR, Ping(2))])
    other = Scripted("b", answer=lambda _envelope: [other.to(AGGREGATOR, Ping(4))])
    run = run_of(node, other, aggregator)
    assert run.run() is ROWS
    assert other.heard == [(AGGREGATOR, 3)]
    assert run.transcript.blames == [Blame(AGGREGATOR, "a", "lied"), Blame(AGGREGATOR, "b", "lied too")]


def test_a_party_may_let_one_deadline_pass_but_not_two():
    spoken = Scripted(AGGREGATOR, deadlines=[[], [("b", Ping(1))]])
    run = run_of(spoken, Scripted("b"))
    with pytest.raises(Abort, match="no result"):
        run.run()
    assert run.transcript.tallies["b"].received_messages == 1
    assert run.transcript.deadlines == 4
    silent = Scripted(AGGREGATOR, deadlines=[[], [], [("b", Ping(1))]])
    run = run_of(silent, Scripted("b"))
    with pytest.raises(Abort, match="no result"):
        run.run()
    assert run.transcript.deadlines == 2


def test_rounds_count_the_longest_chain_of_messages_and_turns_how_often_a_party_spoke():
    aggregator = Scripted(AGGREGATOR, [("a", Ping(1)), ("b", Ping(1))], deadlines=[[("b", Ping(2))]])
    a = Scripted("a", answer=lambda _: [a.to("b", Ping(9)), a.to(AGGREGATOR, Ping(9))])
    run = run_of(aggregator, a, Scripted("b"))
    with pytest.raises(Abort):
        run.run()
    tallies = run.transcript.tallies
    assert run.transcript.rounds == 3  # there, back, and what the aggregator said after waiting for it
    assert (tallies[AGGREGATOR].turns, tallies["a"].turns, tallies["b"].turns) == (2, 1, 0)


@pytest.mark.parametrize(
    ("protocol", "rounds", "turns"),
    [
        (Plain(), 1, 1),
        (Masking(), 3, 2),
        (SecAgg(), 11, 6),
        (SecAgg(profile="semi-honest"), 9, 5),
        (Ring(), 8, 2),
    ],
)
def test_the_rounds_of_known_protocols(protocol, rounds, turns):
    """secagg: a node's five turns, four without confirmations, are the rounds of Bonawitz et al. 2017."""
    nodes = tuple("abcdefg")
    session = protocol.session((nodes,), 1, Capacity(9, 7), bytes(16))
    vectors = {node: np.ones(1, np.int64) for node in nodes}
    run = LocalRun(protocol.parties(vectors, session, seeded(1)), protocol.codec(session), session)
    run.run()
    assert run.transcript.rounds == rounds
    assert max(tally.turns for tally in run.transcript.of_role("node")) == turns
