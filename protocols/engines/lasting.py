"""A party that outlives the process it runs in: its life is replayed from a journal.

A party's replies follow from its inputs, its entropy and what it has been asked. So nothing of its
state is stored: inputs, the seed of its entropy and the questions are, and a process that finds them
builds the party anew, asks everything again, and goes on. A question that is asked twice gets the same
reply, byte for byte; another question in its place is refused. What a party draws that its entropy cannot
give again is kept on a tape before the reply leaves, and read from there.
"""

import time
from collections.abc import Callable

import msgspec

from protocols.engines.journal import Journal
from protocols.engines.post import Post
from protocols.errors import Abort, FaultyParty
from protocols.party import Envelope, Party
from protocols.tape import Imagining, Recording, Replaying, Tape, read, written


class Step(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, tag="step", gc=False):
    """What a party is asked, in order: to start, to go on without the silent, to handle signed frames."""

    number: int
    frames: tuple[bytes, ...] = ()
    deadline: bool = False


class Reply(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, tag="reply", gc=False):
    """What a party answers: signed frames with their recipients, and what it says of the run.

    `blames` are who, why, and who else it may have been. `stopped` is why it ended the run for itself; empty
    while it goes on. `cpu` is in seconds.
    """

    frames: tuple[tuple[str, bytes], ...] = ()
    blames: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    stopped: str = ""
    finished: bool = False
    cpu: float = 0.0


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Step)


class LastingParty:
    """One party in one session.

    Parameters
    ----------
    make
        Builds the party as it was at its birth: same inputs, same entropy.
    post
        Its signed post.
    journal
        What it was asked so far.
    """

    def __init__(self, make: Callable[[], Party], post: Post, journal: Journal) -> None:
        self._make = make
        self._post = post
        self._journal = journal

    def answer(self, step: Step) -> Reply:
        """The reply to a step, which is in the journal before any other party can know the reply.

        Raises
        ------
        Abort
            If the step is not the next one, nor one that was answered before.
        OSError
            If the journal cannot be written; nothing was said.
        """
        self._journal.write(step.number, _encoder.encode(step))
        party, reply = self._lived(step)
        tape = party.tape
        if isinstance(tape, Recording) and tape.draws:
            mine = written(step.number, tape.draws)
            if self._journal.record(step.number, mine) != mine:  # another process was asked the same
                party, reply = self._lived(step)
        if not (reply.stopped or reply.finished or self._journal.kept()) and (costly := party.costly()):
            self._journal.keep(costly)
        return reply

    def would_answer(self, step: Step) -> Reply:
        """The reply to a step that is in the journal: what another party would have said in its place."""
        return self._lived(step, imagined=True)[1]

    def _lived(self, step: Step, *, imagined: bool = False) -> tuple[Party, Reply]:
        """The party after all steps up to this one, and its reply to it."""
        party = self._make()
        if kept := self._journal.kept():
            party.recall(kept)
        for earlier in map(_decoder.decode, self._journal.steps()[: step.number]):
            reply = self._taped(party, earlier, self._tape(earlier, imagined=imagined))
            if reply.stopped:
                return party, Reply(stopped=reply.stopped)
        return party, self._taped(party, step, self._tape(step, imagined=imagined))

    def _tape(self, step: Step, *, imagined: bool) -> Tape:
        """What a party draws from in a step: something new only in the last one, before its reply left."""
        content = self._journal.recorded(step.number)
        draws = () if content is None else read(step.number, content)
        if imagined:
            return Imagining(draws)
        fresh = content is None and step.number + 1 == len(self._journal.steps())
        return Recording() if fresh else Replaying(draws)

    def _taped(self, party: Party, step: Step, tape: Tape) -> Reply:
        party.tape = tape
        reply = self._take(party, step)
        if isinstance(tape, Replaying) and not reply.stopped:
            tape.finish()
        return reply

    def _take(self, party: Party, step: Step) -> Reply:
        said: list[Envelope] = []
        blames: list[FaultyParty] = []
        stopped = ""
        begin = time.process_time()
        try:
            if step.number == 0:
                said += party.start()
            if step.deadline:
                said += party.deadline()
            for data in step.frames:
                try:
                    said += party.handle(self._post.open(data))
                except FaultyParty as fault:
                    blames.append(fault)
        except FaultyParty as fault:
            blames.append(fault)
        except Abort as abort:
            stopped = str(abort)
        blames += party.late_faults
        party.late_faults.clear()
        return Reply(
            frames=tuple((envelope.recipient, self._post.seal(envelope)) for envelope in said),
            blames=tuple((fault.party, fault.reason, fault.others) for fault in blames),
            stopped=stopped,
            finished=party.output is not None,
            cpu=time.process_time() - begin,
        )
