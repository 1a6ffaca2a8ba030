"""A site: its records stay here; a party speaks for it, once a session, after its own checks."""

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np

from protocols.credentials import Credentials
from protocols.engines.journal import Journal
from protocols.engines.lasting import LastingParty, Reply, Step
from protocols.engines.post import Post
from protocols.entropy import seeded
from protocols.errors import Abort
from protocols.one_list import ConfirmingCommittee
from protocols.party import Party
from protocols.primitives.identity import IDENTITY_SEED_BYTES, Identity, Roster
from protocols.releases import Releases
from protocols.ring import Integers
from protocols.schemes._double_masking.protocol import DoubleMasking
from protocols.session import Session
from securenb.data.node import Node
from securenb.data.reader import read_records
from securenb.deploy.charge import UNSAID, SessionCharge, Withheld, give_back, other, withheld
from securenb.deploy.keys import read_identity, read_roster
from securenb.deploy.limits import Limits, read_limits
from securenb.deploy.log import Log
from securenb.deploy.plan import Opening
from securenb.federation.federation import Federation
from securenb.privacy.budget import Budget
from securenb.privacy.journal import LedgerFile
from securenb.schema.schema import Schema
from securenb.schema.toml import read_schema

DATA = "data"
"""The file that names the CSV file with the site's records."""


class Question(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What reaches a site: a step in a session; with the first one, the plan."""

    session_id: bytes
    step: bytes
    opening: Opening | None = None


class _Birth(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What a party is built from, again and again."""

    opening: Opening
    seed: bytes
    vector: bytes


_questions = msgspec.msgpack.Decoder(Question)
_steps = msgspec.msgpack.Decoder(Step)
_births = msgspec.msgpack.Decoder(_Birth)


@dataclass(frozen=True)
class Site:
    """A party's folder.

    Parameters
    ----------
    folder
        What `securenb deploy init` made for it.
    """

    folder: Path

    @cached_property
    def limits(self) -> Limits:
        """What the site agrees to."""
        with withheld():
            return read_limits(self.folder / "site.toml")

    @cached_property
    def schema(self) -> Schema:
        """What its statistics are about."""
        with withheld():
            return read_schema(self.folder / "schema.toml")

    @staticmethod
    def schema_of(path: Path) -> Schema:
        """The schema in another file."""
        return read_schema(path)

    @cached_property
    def identity(self) -> Identity:
        """Its signing key."""
        with withheld():
            return read_identity(self.folder / "identity.key")

    @cached_property
    def roster(self) -> Roster:
        """All parties' public keys."""
        with withheld():
            return read_roster(self.folder / "roster.toml")

    @cached_property
    def log(self) -> Log:
        """What happened here."""
        return Log(self.folder / "log.jsonl")

    @property
    def ledger(self) -> LedgerFile:
        """What was released about the site's people."""
        return LedgerFile(self.folder / "ledger.jsonl")

    def answer(self, question: bytes) -> bytes:
        """The reply to a question; whatever goes wrong is said in one line.

        What a plan asks for and the limits forbid is said in words. What depends on records, on the ledger or
        on files is one fixed sentence; the reason stands in the site's own log.
        """
        try:
            reply = self._answer(question)
        except Withheld as refusal:
            reply = Reply(stopped=UNSAID)
            self._mention("refused", why=str(refusal))
        except (ValueError, Abort) as refusal:
            reply = Reply(stopped=f"refuses: {refusal}")
            self._mention("refused", why=str(refusal))
        except OSError as error:
            reply = Reply(stopped=f"stopped: it cannot write to its disk ({os.strerror(error.errno or 0)})")
            self._mention("stopped", why=os.strerror(error.errno or 0))
        except Exception as error:
            reply = Reply(stopped=f"failed with {type(error).__name__}; its own log says no more")
            self._mention("failed", what=type(error).__name__)
        return msgspec.msgpack.encode(reply)

    def _mention(self, event: str, **fields: str) -> None:
        """Log something if there is room for it: nothing was done, so nothing depends on it."""
        with suppress(OSError):
            self.log.write(event, **fields)

    def _answer(self, question: bytes) -> Reply:
        try:
            asked = _questions.decode(question)
            step = _steps.decode(asked.step)
        except (msgspec.DecodeError, msgspec.ValidationError):
            raise ValueError("what came is no question of this release of the software") from None
        name = asked.session_id.hex()
        births = Journal(self.folder / "sessions" / name / "birth")
        if not births.steps():
            if asked.opening is None:
                raise ValueError(f"session {name} is over, or was never opened here")
            births.write(0, msgspec.msgpack.encode(self._born(asked.opening, asked.session_id)))
        birth = _births.decode(births.steps()[0])
        if asked.opening not in (None, birth.opening):
            raise ValueError(f"session {name} was opened with another plan")
        plan = birth.opening.checked(self.roster)
        federation = plan.federation(self.schema)
        session = plan.session(federation)
        me = self.limits.party
        post = Post(me, self.identity, self.roster, session, federation.protocol.codec(session))
        steps = Journal(self.folder / "sessions" / name / "steps")
        vector = np.frombuffer(birth.vector, dtype="<i8").astype(np.int64)
        reply = LastingParty(self._maker(birth, vector, federation, session), post, steps).answer(step)
        charge = SessionCharge(self.ledger, name)
        if birth.vector:
            twin = self._maker(birth, other(federation.layout, vector), federation, session)
            charge.settle(reply, lambda: LastingParty(twin, post, steps).would_answer(step))
        self.log.write(
            "answered",
            session=name,
            step=step.number,
            heard=len(step.frames),
            said=len(reply.frames),
            bytes=sum(len(data) for _, data in reply.frames),
            cpu=round(reply.cpu, 4),
        )
        for party, reason, others in reply.blames:
            self.log.write("blamed", session=name, party=" or ".join((party, *others)), why=reason)
        if reply.stopped or reply.finished:
            self.log.write("stopped" if reply.stopped else "finished", session=name, why=reply.stopped)
            # birth first: what is left of the steps cannot be led down another path without it
            births.forget()
            steps.forget()
            if charge.state == "reserved":
                self.ledger.give_back(name)
        return reply

    def _born(self, opening: Opening, session_id: bytes) -> _Birth:
        """Check everything, claim the session, set its cost aside, and only then look at records.

        Whatever they do to what is said from here on is paid for: if nothing can be made of them, at once.
        """
        plan = opening.checked(self.roster)
        if plan.session_id != session_id:
            raise ValueError("the plan is of another session")
        self.limits.check_protocol(plan)  # first: the coordinator's parameters may ask for anything
        federation = plan.federation(self.schema)
        session = plan.session(federation)
        self.limits.check(plan, federation, session)
        name = session_id.hex()
        self.forget_others()
        self._releases().claim(self.limits.party, session)
        vector = None
        if self.limits.party in session.group_of:
            with withheld():
                assert self.limits.budget is not None
                what, budget = f"session {name} under {plan.protocol}", Budget.parse(self.limits.budget)
                self.ledger.reserve(what, name, federation.charged(session.groups), budget)
                try:
                    vector = self.vector(federation, session)
                except Exception:
                    self.ledger.commit(name)
                    raise
        self.log.write(
            "opened",
            session=name,
            plan=hashlib.sha256(opening.plan).hexdigest(),  # what a receipt of the coordinator's must name
            protocol=plan.protocol,
            epsilon=plan.epsilon,
            nodes=len(session.nodes),
        )
        data = b"" if vector is None else vector.astype("<i8").tobytes()
        return _Birth(opening, os.urandom(IDENTITY_SEED_BYTES), data)

    def _releases(self) -> Releases:
        """The sessions that it took part in; `ValueError` if it has forgotten them."""
        folder = self.folder / "releases"
        if not folder.exists():
            if self.ledger.payments() or any(line["event"] == "opened" for line in self.log.lines()):
                raise ValueError(
                    "its folder `releases`, which remembers the sessions that it took part in, is gone; "
                    "put it back from a copy, or join as a new site with new keys"
                )
            folder.mkdir()
        return Releases(folder)

    def vector(self, federation: Federation, session: Session) -> Integers:
        """The site's statistics with its share of noise."""
        me = self.limits.party
        size = len(session.groups[session.group_of[me]])
        vector = federation.contribution(self.node(), size)
        federation.protocol.check_vectors({me: vector}, session)
        return vector

    def node(self) -> Node:
        """The site with its records.

        Raises
        ------
        ValueError
            If they cannot be read, without a word of what is in them; or are more than the site may hold.
        """
        pointer = self.folder / DATA
        if not pointer.exists():
            raise ValueError("the site has joined without records")
        try:
            records, _ = read_records(Path(pointer.read_text(encoding="utf-8")), self.schema)
        except ValueError:
            raise ValueError("the site cannot read its records; `join` there says why") from None
        if len(records) > self.limits.record_cap:
            raise ValueError(
                f"the site holds {len(records)} records; record_cap in site.toml is {self.limits.record_cap}"
            )
        return Node(self.limits.party, records)

    def forget_others(self) -> None:
        """Delete what is left of earlier sessions, and may be secret; give back what they have not spent."""
        sessions = self.folder / "sessions"
        for folder in (*sessions.glob("*/birth"), *sessions.glob("*/steps")):
            Journal(folder).forget()
        give_back(self.ledger)

    def _maker(
        self, birth: _Birth, vector: Integers, federation: Federation, session: Session
    ) -> Callable[[], Party]:
        me = self.limits.party
        seed = federation.seed
        # a secret seed of 256 bits makes streams as good as the operating system's
        entropy_for = seeded(int.from_bytes(birth.seed, "big") if seed is None else seed)

        def make() -> Party:
            protocol = federation.protocol
            # fresh releases: a replay repeats its own claim, and the session was claimed at its birth
            credentials = Credentials(self.identity, self.roster, Releases())
            if me not in session.group_of:
                if isinstance(protocol, ConfirmingCommittee):
                    return protocol.trustee(me, session, entropy_for(me), credentials)
                return protocol.trustee(me, session, entropy_for(me))
            if isinstance(protocol, DoubleMasking):
                return protocol.node(me, vector, session, entropy_for(me), credentials)
            return protocol.node(me, vector, session, entropy_for(me))

        return make
