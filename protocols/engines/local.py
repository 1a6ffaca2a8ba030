"""Runs all parties in one process, over real bytes, with scripted faults.

The engine knows which party a frame came from, as an authenticated channel does. What a party sends is
encoded, may be lost or changed on the way, and is decoded at the recipient: sizes and malformed input
are real. Faults of remote parties are recorded as blame and the run continues.
"""

import time
from collections import deque
from collections.abc import Callable, Collection, Mapping

from protocols.engines.faults import NO_FAULTS, Faults
from protocols.engines.transcript import Blame, Frame, Stop, Transcript
from protocols.errors import Abort, FaultyParty
from protocols.opened import Opened
from protocols.party import AGGREGATOR, Envelope, Party, PartyId
from protocols.session import Session
from protocols.wire import Codec

PATIENCE = 2
"""A run ends when so many deadlines in a row made no party speak: a party may let one pass."""

MAX_DEADLINES = 64
"""More rounds of waiting than any protocol has: a party that speaks at each is a bug."""


class LocalRun:
    """One run in one process.

    Parameters
    ----------
    parties
        All parties, by id. The run uses them up.
    codec
        The wire format of the session.
    session
        Names the trustees, for the transcript.
    faults
        What goes wrong.
    watch
        Parties whose frames, sent and received, are kept in `transcript.frames`.
    """

    def __init__(
        self,
        parties: Mapping[PartyId, Party],
        codec: Codec,
        session: Session,
        faults: Faults = NO_FAULTS,
        watch: Collection[PartyId] = (),
    ) -> None:
        self.parties = parties
        self.transcript = Transcript(trustees=frozenset(session.trustees))
        self._codec = codec
        self._faults = faults
        self._watch = frozenset(watch)
        self._queue: deque[tuple[int, Frame]] = deque()
        self._held: list[tuple[int, Frame]] = []
        self._round = 0
        self._stopped: dict[PartyId, Abort] = {}
        if unknown := faults.silent.keys() - parties.keys():
            raise ValueError(f"faults silence {', '.join(sorted(unknown))}, who is not in the session")
        self._dead = {party for party, frames in faults.silent.items() if frames == 0}

    def run(self) -> Opened:
        """Deliver until the aggregator has finished; what it learned.

        Raises
        ------
        Abort
            The aggregator's own, if it ended the run; nothing was released then.
        """
        self._begin()
        patience = PATIENCE
        for _ in range(MAX_DEADLINES):
            self._deliver_all()
            late, self._held = self._held, []
            if not self._finished():
                self.transcript.deadlines += 1
                self._round = self.transcript.rounds
                for me, party in self.parties.items():
                    if party.output is None:
                        self._ask(me, party.deadline)
            self._queue.extend(late)
            patience = PATIENCE if self._queue else patience - 1
            if not self._queue and (self._finished() or patience == 0):
                return self._result()
        raise RuntimeError(f"the run did not end after {MAX_DEADLINES} deadlines")

    def _begin(self) -> None:
        for me, party in self.parties.items():
            self._ask(me, party.start)

    def _finished(self) -> bool:
        return self.parties[AGGREGATOR].output is not None or AGGREGATOR in self._stopped

    def _result(self) -> Opened:
        output = self.parties[AGGREGATOR].output
        if isinstance(output, Opened):
            return output
        raise self._stopped.get(AGGREGATOR, Abort("the run ended and the aggregator has no result"))

    def _ask(self, me: PartyId, question: Callable[[], list[Envelope]]) -> None:
        """Let a party act, time it, and send what it says."""
        if me in self._dead or me in self._stopped:
            return
        tally = self.transcript.tallies[me]
        begin = time.process_time()
        try:
            envelopes = deque(question())
        except FaultyParty as fault:
            self.transcript.blames.append(Blame.of(me, fault))
            return
        except Abort as abort:
            self.transcript.stops.append(Stop(me, str(abort)))
            self._stopped[me] = abort
            return
        finally:
            tally.cpu += time.process_time() - begin
            late = self.parties[me].late_faults
            self.transcript.blames += [Blame.of(me, fault) for fault in late]
            late.clear()
        if envelopes:
            tally.spoken.append(len(envelopes))
        while envelopes:  # what has been encoded is let go: large groups would hold everything twice
            self._send(me, envelopes.popleft())

    def _send(self, me: PartyId, envelope: Envelope) -> None:
        if me in self._dead:
            return
        data = self._codec.encode(envelope.sender, envelope.recipient, envelope.body)
        transcript = self.transcript
        round_ = self._round + 1
        transcript.rounds = max(transcript.rounds, round_)
        transcript.tallies[me].sent += len(data)
        transcript.tallies[me].sent_messages += 1
        kind = (transcript.role(me), transcript.role(envelope.recipient), type(envelope.body).__name__)
        transcript.kinds[kind] += 1
        transcript.kind_bytes[kind] += len(data)
        if transcript.tallies[me].sent_messages == self._faults.silent.get(me):
            self._dead.add(me)
        now, later = self._faults.carry(Frame(me, envelope.recipient, data))
        self._queue.extend((round_, frame) for frame in now)
        self._held.extend((round_, frame) for frame in later)

    def _deliver_all(self) -> None:
        while self._queue:
            self._queue.rotate(-self._faults.pick(len(self._queue)))
            self._round, frame = self._queue.popleft()
            self._deliver(frame)

    def _deliver(self, frame: Frame) -> None:
        if self._watch and (frame.sender in self._watch or frame.recipient in self._watch):
            self.transcript.frames.append(frame)
        recipient = frame.recipient
        party = self.parties.get(recipient)
        if party is None:
            reason = f"sent a message to {recipient!r}, who is not in the session"
            self.transcript.blames.append(Blame("engine", frame.sender, reason))
            return
        if recipient in self._dead:
            return
        tally = self.transcript.tallies[recipient]
        tally.received += len(frame.data)
        tally.received_messages += 1
        try:
            body = self._codec.decode(frame.sender, recipient, frame.data)
        except FaultyParty as fault:
            self.transcript.blames.append(Blame.of(recipient, fault))
            return
        envelope = Envelope(frame.sender, recipient, body)
        self._ask(recipient, lambda: party.handle(envelope))
