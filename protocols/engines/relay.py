"""Runs the aggregator here and all other parties far away: stages of questions to many machines at once.

The relay sees signed frames and passes them on. Parties that do not answer in time are left out from
then on, as if they had fallen silent; what they say later is not delivered.
"""

import time
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

import msgspec

from protocols.engines.lasting import Reply, Step
from protocols.engines.local import MAX_DEADLINES, PATIENCE
from protocols.engines.post import Post
from protocols.engines.transcript import Blame, Stage, Stop, Transcript
from protocols.errors import Abort, FaultyParty
from protocols.opened import Opened
from protocols.party import AGGREGATOR, Envelope, Party, PartyId
from protocols.primitives.identity import Roster
from protocols.session import Session

SILENT = "did not answer in time"


class Unanswered(Exception):
    """A party gave no reply; says why."""


class Carrier(ABC):
    """What brings questions to other machines, and answers back."""

    def meet(
        self, expected: Collection[PartyId], roster: Roster, wait: float, met: Callable[[PartyId], None]
    ) -> list[PartyId]:
        """Who of `expected` is there, after at most `wait` seconds; here, all of them.

        Parameters
        ----------
        roster
            A party is who it says it is if its key in the roster signs.
        met
            Told of each party that was found.
        """
        for party in expected:
            met(party)
        return list(expected)

    @abstractmethod
    def exchange(
        self, stage: str, questions: Mapping[PartyId, bytes], longer: Mapping[PartyId, float]
    ) -> Mapping[PartyId, bytes | Unanswered]:
        """Ask all at once; a party that is not in the result did not answer in time.

        Parameters
        ----------
        longer
            Seconds that a party gets beyond those of the stage: it has to make a key first.
        """


class RelayedRun:
    """One run over many machines.

    Parameters
    ----------
    aggregator
        The aggregator's party, which is used up.
    post
        The aggregator's post.
    session
        Names all other parties.
    carrier
        Reaches them.
    watch
        Is told of every stage when it is over.
    makes_keys
        Who makes a key before it first speaks, and the seconds that this may take.
    """

    def __init__(
        self,
        aggregator: Party,
        post: Post,
        session: Session,
        carrier: Carrier,
        watch: Callable[[Stage], None] = lambda _: None,
        makes_keys: Mapping[PartyId, float] = MappingProxyType({}),
    ) -> None:
        self.transcript = Transcript(trustees=frozenset(session.trustees))
        self._aggregator = aggregator
        self._post = post
        self._carrier = carrier
        self._watch = watch
        self._makes_keys = makes_keys
        self._reachable = [*session.trustees, *session.nodes]
        self._unfinished = set(self._reachable)
        self._next: Counter[PartyId] = Counter()
        self._waiting: dict[PartyId, list[tuple[str, int, bytes]]] = defaultdict(list)
        self._heard: Counter[PartyId] = Counter()
        self._stopped: Abort | None = None
        self._replies = msgspec.msgpack.Decoder(Reply)

    def run(self, present: Collection[PartyId] | None = None) -> Opened:
        """Ask stage by stage until the aggregator has finished; what it learned.

        Parameters
        ----------
        present
            Who can be reached at all; by default all.

        Raises
        ------
        Abort
            The aggregator's own, if it ended the run; nothing was released then.
        """
        if present is not None:
            for party in [party for party in self._reachable if party not in present]:
                self._leave_out(party, "was not there at the start")
        self._act(self._aggregator.start)
        self._stage("start", {party: Step(0) for party in self._reachable})
        patience = PATIENCE
        for _ in range(MAX_DEADLINES):
            while any(self._waiting[party] for party in self._reachable) and not self._over:
                self._deliver()
            if self._over:
                break
            self.transcript.deadlines += 1
            self._heard |= dict.fromkeys([AGGREGATOR, *self._reachable], self.transcript.rounds)
            before = self._messages
            self._act(self._aggregator.deadline)
            asked = [party for party in self._reachable if party in self._unfinished]
            if not self._over:
                self._deliver(deadline=asked)
            spoken = self._messages > before or any(self._waiting.values())
            patience = PATIENCE if spoken else patience - 1
            if patience == 0:
                break
        output = self._aggregator.output
        if isinstance(output, Opened):
            return output
        raise self._stopped or Abort("the run ended and the aggregator has no result")

    @property
    def _over(self) -> bool:
        return self._aggregator.output is not None or self._stopped is not None

    @property
    def _messages(self) -> int:
        return sum(tally.sent_messages for tally in self.transcript.tallies.values())

    def _deliver(self, deadline: Collection[PartyId] = ()) -> None:
        """One stage: everything that waits goes to whom it is for."""
        kinds: Counter[str] = Counter()
        steps = {}
        for party in self._reachable:
            frames = self._waiting.pop(party, [])
            if frames or party in deadline:
                kinds.update(kind for kind, _, _ in frames)
                data = tuple(frame for _, _, frame in frames)
                self._heard[party] = max([self._heard[party], *(round_ for _, round_, _ in frames)])
                steps[party] = Step(self._next[party], data, party in deadline)
                tally = self.transcript.tallies[party]
                tally.received += sum(map(len, data))
                tally.received_messages += len(data)
        if steps:
            self._stage(", ".join([*sorted(kinds), *(["deadline"] if deadline else [])]), steps)

    def _stage(self, name: str, steps: Mapping[PartyId, Step]) -> None:
        questions = {party: msgspec.msgpack.encode(step) for party, step in steps.items()}
        self._next.update(questions.keys())
        begin = time.monotonic()
        longer = {
            party: seconds
            for party, seconds in self._makes_keys.items()
            if party in questions and not self.transcript.tallies[party].sent_messages
        }
        answers = self._carrier.exchange(name, questions, longer)
        seconds = time.monotonic() - begin
        slowest = 0.0
        answered = 0
        for party in questions:
            answer = answers.get(party, Unanswered(SILENT))
            try:
                if isinstance(answer, Unanswered):
                    raise answer
                reply = self._replies.decode(answer)
            except Unanswered as silence:
                self._leave_out(party, str(silence))
                continue
            except (msgspec.DecodeError, msgspec.ValidationError) as error:
                self._leave_out(party, f"sent what is no reply ({error})")
                continue
            answered += 1
            slowest = max(slowest, reply.cpu)
            self._take(party, reply)
        carried = sum(map(len, questions.values()))
        carried += sum(len(answer) for answer in answers.values() if isinstance(answer, bytes))
        stage = Stage(name, len(questions), answered, seconds, slowest, carried)
        self.transcript.stages.append(stage)
        self._watch(stage)

    def _leave_out(self, party: PartyId, reason: str) -> None:
        self._reachable.remove(party)
        self._unfinished.discard(party)
        self._waiting.pop(party, None)
        self.transcript.stops.append(Stop(party, reason))

    def _take(self, party: PartyId, reply: Reply) -> None:
        tally = self.transcript.tallies[party]
        tally.cpu += reply.cpu
        if reply.frames:
            tally.spoken.append(len(reply.frames))
        self.transcript.blames += [Blame(party, *blame) for blame in reply.blames]
        if reply.finished:
            self._unfinished.discard(party)
        for recipient, data in reply.frames:
            self._carry(party, recipient, data)
        if reply.stopped:
            self._leave_out(party, reply.stopped)

    def _carry(self, sender: PartyId, recipient: PartyId, data: bytes) -> None:
        tally = self.transcript.tallies[sender]
        tally.sent += len(data)
        tally.sent_messages += 1
        if recipient == AGGREGATOR:
            tally = self.transcript.tallies[AGGREGATOR]
            tally.received += len(data)
            tally.received_messages += 1
            self._heard[AGGREGATOR] = max(self._heard[AGGREGATOR], self._round_of(sender))
            self._act(lambda: self._handle(sender, data))
        elif recipient in self._reachable:
            kind = self._count(sender, recipient, data)
            self._waiting[recipient].append((kind, self._round_of(sender), data))

    def _round_of(self, sender: PartyId) -> int:
        """The round in which `sender` speaks now; see `Transcript.rounds`."""
        round_ = self._heard[sender] + 1
        self.transcript.rounds = max(self.transcript.rounds, round_)
        return round_

    def _handle(self, sender: PartyId, data: bytes) -> list[Envelope]:
        envelope = self._post.open(data)
        self._count(sender, AGGREGATOR, data, type(envelope.body).__name__)
        return self._aggregator.handle(envelope)

    def _count(self, sender: PartyId, recipient: PartyId, data: bytes, name: str = "relayed") -> str:
        """Count a frame by kind; what others say to one another is none of the relay's business."""
        transcript = self.transcript
        kind = transcript.role(sender), transcript.role(recipient), name
        transcript.kinds[kind] += 1
        transcript.kind_bytes[kind] += len(data)
        return name

    def _act(self, question: Callable[[], list[Envelope]]) -> None:
        """Let the aggregator act, unless it has stopped, and post what it says."""
        if self._stopped is not None:
            return
        tally = self.transcript.tallies[AGGREGATOR]
        begin = time.process_time()
        try:
            envelopes = question()
        except FaultyParty as fault:
            self.transcript.blames.append(Blame.of(AGGREGATOR, fault))
            return
        except Abort as abort:
            self.transcript.stops.append(Stop(AGGREGATOR, str(abort)))
            self._stopped = abort
            return
        finally:
            tally.cpu += time.process_time() - begin
            late = self._aggregator.late_faults
            self.transcript.blames += [Blame.of(AGGREGATOR, fault) for fault in late]
            late.clear()
        if envelopes:
            tally.spoken.append(len(envelopes))
        for envelope in envelopes:
            data = self._post.seal(envelope)
            tally.sent += len(data)
            tally.sent_messages += 1
            if envelope.recipient in self._reachable:
                name = type(envelope.body).__name__
                kind = self._count(AGGREGATOR, envelope.recipient, data, name)
                self._waiting[envelope.recipient].append((kind, self._round_of(AGGREGATOR), data))
