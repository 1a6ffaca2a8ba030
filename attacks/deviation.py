"""The contract of a deviation: a party that breaks the protocol, and what becomes of the run."""

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from attacks.toolkit.messages import Deviant, RawCodec
from protocols.catalogue import Catalogue
from protocols.engines.local import LocalRun
from protocols.engines.transcript import Transcript
from protocols.entropy import EntropyFor
from protocols.errors import Abort
from protocols.opened import Opened
from protocols.party import AGGREGATOR, Envelope, Party, PartyId
from protocols.protocol import Protocol
from protocols.ring import Integers
from protocols.session import Session
from protocols.wire import Codec, Message

Role = Literal["node", "trustee", "aggregator"]


class Outcome(StrEnum):
    """What becomes of a run in which one party deviates; all but the last keep the protocol's promises."""

    HARMLESS = "harmless"
    REFUSED = "refused"
    BLAMED = "blamed"
    LEFT_OUT = "left out"
    ABORTED = "aborted"
    NOT_COVERED = "not covered"


MEANING: Mapping[Outcome, str] = {
    Outcome.HARMLESS: "it was not noticed, and nothing changed",
    Outcome.REFUSED: "the deviating party was blamed, and nothing changed",
    Outcome.BLAMED: "the deviating party was blamed; an exact sum without some node was opened",
    Outcome.LEFT_OUT: "no party was blamed; the exact sum of the others was opened",
    Outcome.ABORTED: "the run ended, and no row was opened",
    Outcome.NOT_COVERED: "a row that is not the sum of its members, or of too few, or a vector that was read",
}


@dataclass(frozen=True)
class Cast:
    """Who plays: everything that a deviating party can know or make.

    Attributes
    ----------
    protocol, session
        Public.
    vectors
        What the nodes were given; a deviation looks only at its own party's.
    entropy
        Gives every party the same keys again, so that a deviating aggregator can be rebuilt differently.
    """

    protocol: Protocol
    session: Session
    vectors: Mapping[PartyId, Integers]
    entropy: EntropyFor

    @cached_property
    def codec(self) -> Codec:
        """Of the session."""
        return self.protocol.codec(self.session)

    def honest(self, who: PartyId, protocol: Protocol | None = None) -> Party:
        """A fresh honest party, of another protocol if one is given."""
        return (protocol or self.protocol).parties(self.vectors, self.session, self.entropy)[who]

    def party_of(self, role: Role) -> PartyId | None:
        """The party that deviates in a role: never the first of its kind; `None` if no party has the role."""
        if role == "aggregator":
            return AGGREGATOR
        parties = self.session.nodes if role == "node" else self.session.trustees
        return parties[min(2, len(parties) - 1)] if parties else None


class Deviation(ABC):  # noqa: B024 - either method may be the one that is overridden
    """One way to break a protocol; an instance is used for one run.

    The docstring's first line is its row in the table of deviations.
    """

    roles: ClassVar[tuple[Role, ...]] = ("node",)
    """Whose party may deviate so."""

    not_covered: ClassVar[Mapping[str, str]] = {}
    """Why a protocol does not answer it, by the protocol's name; ``"*"`` for all."""

    misblamed: ClassVar[Mapping[str, str]] = {}
    """Under which protocols honest parties are blamed for it, and why that cannot be helped."""

    source: ClassVar[str] = ""
    """The paper that the attack is from, and how much of it we know; empty if it is ours."""

    def __init__(self) -> None:
        self.changed = False
        self.read: dict[PartyId, Integers] = {}

    def deviant(self, honest: Party, cast: Cast) -> Party:
        """The party that takes the place of `honest`."""
        return Deviant(honest, lambda envelope: self.noted(envelope, self.says(envelope, cast)))

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """What is sent instead of one honest envelope."""
        return [envelope]

    def noted(self, envelope: Envelope, instead: list[Envelope]) -> list[Envelope]:
        """`instead`, having noted whether it is a deviation at all."""
        self.changed |= instead != [envelope]
        return instead


class Rewriting(Deviation):
    """A deviation that changes one kind of message; it does not apply where there is none of it."""

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """What to say instead of `body`, or `None` to say it."""
        return None

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        body = self.rewritten(envelope.body, cast)
        return [envelope if body is None else Envelope(envelope.sender, envelope.recipient, body)]


@dataclass(frozen=True, eq=False)
class Verdict:
    """What became of one run."""

    outcome: Outcome
    opened: Opened | None
    transcript: Transcript = field(repr=False)
    misblamed: frozenset[PartyId]
    """Honest parties whom other honest parties blamed, without naming the one who did it beside them."""


def judged(deviation: Deviation, role: Role, cast: Cast) -> Verdict | None:
    """Run the protocol with one deviating party; `None` if it had no occasion to deviate.

    One party deviates, the others are honest, and nothing is lost on the way.
    """
    who = cast.party_of(role)
    if who is None:
        return None
    parties = cast.protocol.parties(cast.vectors, cast.session, cast.entropy)
    parties[who] = deviation.deviant(parties[who], cast)
    codec = RawCodec(cast.protocol.messages, cast.session.digest, cast.protocol.frame_limit(cast.session))
    run = LocalRun(parties, codec, cast.session)
    try:
        opened = run.run()
    except Abort:
        opened = None
    if not deviation.changed:
        return None
    suspected = [blame.suspects for blame in run.transcript.blames if blame.by != who]
    outcome = _outcome(deviation, opened, cast, blamed=any(who in each for each in suspected))
    misblamed = frozenset(party for each in suspected if who not in each for party in each)
    return Verdict(outcome, opened, run.transcript, misblamed)


def _outcome(deviation: Deviation, opened: Opened | None, cast: Cast, *, blamed: bool) -> Outcome:
    if any(np.array_equal(vector, cast.vectors[node]) for node, vector in deviation.read.items()):
        return Outcome.NOT_COVERED
    if opened is None:
        return Outcome.ABORTED
    group_of = cast.session.group_of
    for row, members in zip(opened.rows, opened.members, strict=True):
        needed = cast.protocol.survivors(len(cast.session.groups[group_of[members[0]]]))
        exact = np.array_equal(row, sum(cast.vectors[node] for node in members))
        if not exact or len(members) < needed:
            return Outcome.NOT_COVERED
    complete = opened.members == cast.session.groups
    if blamed:
        return Outcome.REFUSED if complete else Outcome.BLAMED
    return Outcome.HARMLESS if complete else Outcome.LEFT_OUT


DEVIATIONS: Catalogue[Deviation] = Catalogue("attacks.deviations", Deviation, "deviation")
