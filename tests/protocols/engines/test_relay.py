import msgspec
import numpy as np
import pytest

from protocols.engines.journal import Journal
from protocols.engines.lasting import LastingParty, Reply, Step
from protocols.engines.local import LocalRun
from protocols.engines.post import RELAY, Post
from protocols.engines.relay import Carrier, RelayedRun, Unanswered
from protocols.entropy import seeded
from protocols.errors import Abort, FaultyParty
from protocols.grouping import one_group
from protocols.party import AGGREGATOR
from protocols.primitives.identity import Identity, Roster
from protocols.protocol import PROTOCOLS
from protocols.ring import Capacity
from protocols.schemes import paillier
from protocols.schemes._paillier.packed import KEY_SECONDS
from protocols.schemes.plain import Plain, Vector
from protocols.tape import read, written

NODES = [f"node-{index}" for index in range(5)]
VECTORS = {node: np.arange(4, dtype=np.int64) * (1 + index) for index, node in enumerate(NODES)}
TOTAL = [0, 15, 30, 45]


class FarAway(Carrier):
    """Machines that forget everything between two questions, except what is in their journals."""

    def __init__(self, world, tmp_path, dead=None):
        self.world, self.tmp_path, self.dead = world, tmp_path, dead or {}
        self.asked, self.stage, self.seen, self.longer = [], 0, [], []

    def exchange(self, stage, questions, longer):
        self.longer.append(longer)
        self.asked.append((stage, sorted(questions)))
        answers = {}
        for party, question in questions.items():
            self.seen.append(question)
            silent_from = self.dead.get(party)
            if silent_from is None or self.stage < silent_from:
                answers[party] = self.answer(party, question)
        self.stage += 1
        return answers

    def answer(self, party, question):
        step = msgspec.msgpack.decode(question, type=Step)
        life = LastingParty(
            lambda: self.world.party(party), self.world.post(party), Journal(self.tmp_path / party)
        )
        return msgspec.msgpack.encode(life.answer(step))


class World:
    """A protocol, a session, and everybody's keys."""

    def __init__(self, name, seed=1):
        self.protocol = PROTOCOLS[name].for_tests()
        self.seed = seed
        self.session = self.protocol.session(one_group(NODES), 4, Capacity(1000, 5), bytes(16))
        everybody = [AGGREGATOR, *self.session.trustees, *NODES]
        self.identities = {name: Identity(bytes([1 + i]) * 32) for i, name in enumerate(everybody)}
        self.roster = Roster({name: identity.public for name, identity in self.identities.items()})

    def party(self, name):
        return self.protocol.parties(VECTORS, self.session, seeded(self.seed))[name]

    def post(self, name):
        codec = self.protocol.codec(self.session)
        return Post(name, self.identities[name], self.roster, self.session, codec)

    def relayed(self, carrier):
        makers = self.protocol.makes_keys
        return RelayedRun(
            self.party(AGGREGATOR), self.post(AGGREGATOR), self.session, carrier, makes_keys=makers
        )


@pytest.fixture(params=list(PROTOCOLS))
def world(request):
    return World(request.param)


def test_every_protocol_opens_the_same_far_away_as_in_one_process(world, tmp_path):
    parties = world.protocol.parties(VECTORS, world.session, seeded(1))
    here = LocalRun(parties, world.protocol.codec(world.session), world.session).run()
    run = world.relayed(FarAway(world, tmp_path))
    far = run.run()
    assert far.rows.tolist() == here.rows.tolist() == [TOTAL]
    assert far.members == here.members
    assert run.transcript.blames == []
    assert run.transcript.deadlines == 0
    assert all(stage.answered == stage.asked for stage in run.transcript.stages)


def test_whoever_makes_a_key_gets_longer_until_it_has_spoken(world, tmp_path):
    makers = world.protocol.makes_keys
    assert set(makers) <= set(world.session.trustees)
    carrier = FarAway(world, tmp_path)
    world.relayed(carrier).run()
    for (_, asked), longer in zip(carrier.asked, carrier.longer, strict=True):
        assert set(longer) <= set(makers) & set(asked)
    given = [longer for longer in carrier.longer if longer]
    assert bool(given) == bool(makers)
    assert carrier.longer[-1] == {}
    if makers:
        assert given[0] == makers


@pytest.mark.parametrize("name", ["paillier", "threshold_paillier"])
def test_longer_keys_get_longer(name):
    seconds = [next(iter(PROTOCOLS[name](bits=bits).makes_keys.values())) for bits in (2048, 3072, 4096)]
    assert seconds == sorted(seconds)
    assert 30 < seconds[0] < seconds[1] == KEY_SECONDS


def test_a_key_is_made_once_however_often_its_holder_is_replayed(tmp_path, monkeypatch):
    world = World("paillier")
    made = []
    generate = paillier.generate
    monkeypatch.setattr(paillier, "generate", lambda *asked: made.append(asked) or generate(*asked))
    run = world.relayed(FarAway(world, tmp_path))
    assert run.run().rows.tolist() == [TOTAL]
    assert len(made) == 1
    monkeypatch.setattr(
        Journal, "kept", lambda _: b""
    )  # one that had no room for it makes it again, the same
    (tmp_path / "again").mkdir()
    again = world.relayed(FarAway(world, tmp_path / "again"))
    assert again.run().rows.tolist() == [TOTAL]
    assert len(made) == 4


def test_what_is_kept_is_as_secret_as_the_steps_and_goes_with_them(tmp_path):
    journal = Journal(tmp_path / "steps")
    journal.write(0, b"step")
    assert journal.kept() == b""
    journal.keep(b"key")
    assert journal.kept() == b"key"
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "steps").iterdir()} == {0}
    journal.forget()
    assert list((tmp_path / "steps").iterdir()) == []
    (tmp_path / "steps").rmdir()
    journal.keep(b"nowhere")
    assert journal.kept() == b""


@pytest.mark.parametrize("silent_from", range(6))
def test_whoever_dies_at_any_stage_costs_nobody_else_or_everybody(world, tmp_path, silent_from):
    protocol = world.protocol
    check_deaths(world, tmp_path / "node", {"node-1": silent_from}, spared=protocol.survivors(5) < 5)
    for trustee in world.session.trustees:
        dead = {trustee: silent_from}
        check_deaths(world, tmp_path / trustee, dead, spared=protocol.spares([trustee]))


def check_deaths(world, folder, dead, *, spared):
    folder.mkdir()
    run = world.relayed(FarAway(world, folder, dead))
    try:
        opened = run.run()
    except Abort:
        assert not spared
        return
    (members,) = opened.members
    assert set(NODES) - set(members) <= {"node-1"}
    assert opened.rows.tolist() == [sum(VECTORS[node] for node in members).tolist()]


def test_an_error_is_a_silence_with_a_reason(tmp_path):
    world = World("plain")

    class Refusing(FarAway):
        def answer(self, party, question):
            return Unanswered("no room") if party == "node-2" else super().answer(party, question)

    run = world.relayed(Refusing(world, tmp_path))
    assert run.run().rows.tolist() == [[0, 12, 24, 36]]
    assert [(stop.party, stop.reason) for stop in run.transcript.stops] == [("node-2", "no room")]


def test_what_is_no_reply_leaves_its_sender_out(tmp_path):
    world = World("plain")

    class Babbling(FarAway):
        def answer(self, party, question):
            return b"\xc1" if party == "node-2" else super().answer(party, question)

    run = world.relayed(Babbling(world, tmp_path))
    assert run.run().members == (("node-0", "node-1", "node-3", "node-4"),)


def test_whoever_is_absent_from_the_start_is_not_asked(tmp_path):
    world = World("plain")
    carrier = FarAway(world, tmp_path)
    opened = world.relayed(carrier).run(present=NODES[1:])
    assert opened.members == (tuple(NODES[1:]),)
    assert carrier.asked == [("start", NODES[1:])]


def test_an_answer_is_repeated_byte_for_byte_and_no_other_question_takes_its_place(world, tmp_path):
    carrier = FarAway(world, tmp_path)
    question = msgspec.msgpack.encode(Step(0))
    first = msgspec.msgpack.decode(carrier.answer("node-0", question))
    again = msgspec.msgpack.decode(carrier.answer("node-0", question))
    assert first[:-1] == again[:-1]  # the last is CPU time
    with pytest.raises(Abort, match="step 0 was something else before"):
        carrier.answer("node-0", msgspec.msgpack.encode(Step(0, (b"x",))))
    with pytest.raises(Abort, match="step 2 came before step 1"):
        carrier.answer("node-0", msgspec.msgpack.encode(Step(2)))


HYBRID = ["oneshot", "threshold_paillier", "verified"]


def lived(name, tmp_path):
    """A whole run, and every question of it that drew something that cannot be drawn again."""
    world = World(name)
    said = {}

    class Kept(FarAway):
        def answer(self, party, question):
            answer = super().answer(party, question)
            number = msgspec.msgpack.decode(question, type=Step).number
            said[party, number] = question, msgspec.msgpack.decode(answer)[:-1]
            return answer

    assert world.relayed(Kept(world, tmp_path)).run().rows.tolist() == [TOTAL]
    taped = {
        (party, number): content
        for party, number in said
        if (content := Journal(tmp_path / party).recorded(number)) is not None
    }
    return world, said, taped


@pytest.mark.parametrize("name", HYBRID)
def test_whoever_is_replayed_says_every_step_again_byte_for_byte(name, tmp_path):
    world, said, taped = lived(name, tmp_path)
    assert taped
    again = FarAway(world, tmp_path)
    for (party, _), (question, answer) in said.items():
        assert msgspec.msgpack.decode(again.answer(party, question))[:-1] == answer
    assert taped == {at: Journal(tmp_path / at[0]).recorded(at[1]) for at in taped}


@pytest.mark.parametrize("name", HYBRID)
def test_whoever_is_killed_before_a_reply_left_draws_anew_and_the_run_goes_on(name, tmp_path):
    """Between writing a step and writing what was drawn in it: nobody has seen that."""
    world = World(name)

    class Killed(FarAway):
        def answer(self, party, question):
            number = msgspec.msgpack.decode(question, type=Step).number
            first = super().answer(party, question)
            path = self.tmp_path / party / f"tape-{number:04d}"
            if not path.exists():
                return first
            path.unlink()
            self.killed = True
            assert super().answer(party, question)[:-9] != first[:-9]
            return super().answer(party, question)

    carrier = Killed(world, tmp_path)
    assert world.relayed(carrier).run().rows.tolist() == [TOTAL]
    assert carrier.killed


def refusal(carrier, party, question):
    try:
        reply = msgspec.msgpack.decode(carrier.answer(party, question), type=Reply)
    except Abort as abort:
        return str(abort)
    assert reply.frames == ()
    return reply.stopped


@pytest.mark.parametrize("name", HYBRID)
@pytest.mark.parametrize("how", ["changed", "short", "of another step", "gone"])
def test_a_tape_that_is_not_whole_is_refused(name, how, tmp_path):
    world, said, taped = lived(name, tmp_path)
    for (party, number), content in taped.items():
        last = max(step for who, step in said if who == party)
        path = tmp_path / party / f"tape-{number:04d}"
        if how == "gone":
            path.unlink()
        elif how == "changed":
            path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        elif how == "short":
            path.write_bytes(written(number, read(number, content)[:-1]))
        else:
            path.write_bytes(written(number + 1, read(number, content)))
        if how == "gone" and number == last:
            continue  # as if it had been killed before: nothing that follows it was said
        again = FarAway(world, tmp_path)
        for asked in {number, last}:
            assert "tape" in refusal(again, party, said[party, asked][0])


def test_of_two_processes_that_draw_at_once_one_is_believed(tmp_path, monkeypatch):
    world, said, taped = lived("oneshot", tmp_path)
    (party, number), content = next(iter(taped.items()))
    recorded, blind = Journal.recorded, [True]
    monkeypatch.setattr(
        Journal, "recorded", lambda self, at: None if blind and blind.pop() else recorded(self, at)
    )
    question, answer = said[party, number]
    assert msgspec.msgpack.decode(FarAway(world, tmp_path).answer(party, question))[:-1] == answer
    assert recorded(Journal(tmp_path / party), number) == content


def test_a_tape_goes_with_the_steps(tmp_path):
    journal = Journal(tmp_path)
    journal.write(0, b"step")
    assert journal.record(0, b"drawn") == journal.record(0, b"again") == b"drawn"
    assert {path.stat().st_mode & 0o077 for path in tmp_path.iterdir()} == {0}
    journal.forget()
    assert list(tmp_path.iterdir()) == []


def test_a_relay_that_speaks_for_others_is_blamed():
    world = World("plain")
    vector = Plain().node("node-1", VECTORS["node-1"], world.session, seeded(1)("x")).start()[0]
    signed = world.post("node-1").seal(vector)
    assert world.post(AGGREGATOR).open(signed) == vector
    forged = Post(
        "node-1", Identity(bytes(32)), world.roster, world.session, world.protocol.codec(world.session)
    )
    for data in (forged.seal(vector), signed[:-1], b"", signed[:-1] + bytes([signed[-1] ^ 1])):
        with pytest.raises(FaultyParty) as caught:
            world.post(AGGREGATOR).open(data)
        assert caught.value.party == RELAY
    with pytest.raises(FaultyParty, match="node-1 has not signed for node-2"):
        world.post("node-2").open(signed)
    assert isinstance(vector.body, Vector)


def test_signatures_are_of_one_session():
    world, other = World("plain"), World("plain")
    other.session = other.protocol.session(one_group(NODES), 4, Capacity(1000, 5), bytes([1] * 16))
    vector = world.party("node-1").start()[0]
    with pytest.raises(FaultyParty):
        other.post(AGGREGATOR).open(world.post("node-1").seal(vector))


def test_a_party_that_stopped_stays_stopped(tmp_path):

    world = World("plain")
    party = world.party(AGGREGATOR)
    life = LastingParty(lambda: world.party(AGGREGATOR), world.post(AGGREGATOR), Journal(tmp_path))
    assert "no group could be opened" in life.answer(Step(0, deadline=True)).stopped
    signed = world.post("node-1").seal(world.party("node-1").start()[0])
    reply = life.answer(Step(1, (signed,)))
    assert "no group could be opened" in reply.stopped
    assert reply.frames == ()
    assert party.output is None


@pytest.mark.parametrize("name", ["plain", "masking", "secagg", "oneshot", "ring"])
def test_rounds_are_those_of_the_same_run_in_one_process(name, tmp_path):
    world = World(name)
    parties = world.protocol.parties(VECTORS, world.session, seeded(1))
    here = LocalRun(parties, world.protocol.codec(world.session), world.session)
    here.run()
    run = world.relayed(FarAway(world, tmp_path))
    run.run()
    assert run.transcript.rounds == here.transcript.rounds
