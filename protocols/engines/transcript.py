"""What happened in one run: bytes, messages, CPU time and blame for every party."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from protocols.errors import FaultyParty
from protocols.party import AGGREGATOR, PartyId

ROLES = ("node", "aggregator", "trustee")
"""What a party can be."""


@dataclass
class Tally:
    """What one party did.

    Attributes
    ----------
    sent, received
        Bytes of the frames that it sent and that reached it.
    sent_messages, received_messages
        How many frames.
    spoken
        How many frames it sent each time that it spoke: what it said at one go, to any recipients.
    cpu
        Seconds of processor time inside the party's own code; transport and encoding are not in it.
    """

    sent: int = 0
    received: int = 0
    sent_messages: int = 0
    received_messages: int = 0
    cpu: float = 0.0
    spoken: list[int] = field(default_factory=list)

    @property
    def turns(self) -> int:
        """How often it spoke."""
        return len(self.spoken)


@dataclass(frozen=True)
class Blame:
    """`by` saw `party`, or one of `others` instead, break the protocol; the message was ignored."""

    by: PartyId
    party: PartyId
    reason: str
    others: tuple[PartyId, ...] = ()

    @classmethod
    def of(cls, by: PartyId, fault: FaultyParty) -> "Blame":
        """What `by` noticed."""
        return cls(by, fault.party, fault.reason, fault.others)

    @property
    def suspects(self) -> tuple[PartyId, ...]:
        """Those of whom one did it."""
        return (self.party, *self.others)

    @property
    def whom(self) -> str:
        """Who is blamed, in words."""
        return " or ".join(self.suspects)


@dataclass(frozen=True)
class Stop:
    """`party` ended the run for itself without releasing anything."""

    party: PartyId
    reason: str


@dataclass(frozen=True)
class Frame:
    """One frame as it was sent; kept only for the parties whose view was asked for."""

    sender: PartyId
    recipient: PartyId
    data: bytes


@dataclass(frozen=True)
class Stage:
    """One exchange of an engine on many machines: who was asked at once, and how long that took.

    Attributes
    ----------
    name
        Which messages were delivered; `start`, or `deadline`.
    asked, answered
        How many parties.
    seconds
        From the first question to the last answer, or to the end of waiting.
    cpu
        The largest processor time inside one party's own code, in seconds: what the engine can not save.
    carried
        Bytes of questions and answers, with everything that the engine adds to frames.
    """

    name: str
    asked: int
    answered: int
    seconds: float
    cpu: float
    carried: int


@dataclass(repr=False)
class Transcript:
    """The record of one run."""

    trustees: frozenset[PartyId] = frozenset()
    tallies: dict[PartyId, Tally] = field(default_factory=lambda: defaultdict(Tally))
    kinds: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Frames by (role of the sender, role of the recipient, message)."""
    kind_bytes: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    blames: list[Blame] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    deadlines: int = 0
    rounds: int = 0
    """The longest chain of messages of which each was sent on hearing the one before: there and back is two.
    A deadline waits for everything before it."""
    stages: list[Stage] = field(default_factory=list)
    """Exchanges between machines; none in one process."""

    def role(self, party: PartyId) -> str:
        """`aggregator`, `trustee` or `node`."""
        if party == AGGREGATOR:
            return party
        return "trustee" if party in self.trustees else "node"

    def of_role(self, role: str) -> list[Tally]:
        """The tallies of every party with that role."""
        return [tally for party, tally in self.tallies.items() if self.role(party) == role]

    def mean(self, role: str, figure: str) -> float:
        """Mean of one figure (a field of `Tally`) over the parties with that role; 0 if there are none."""
        tallies = self.of_role(role)
        return sum(getattr(tally, figure) for tally in tallies) / len(tallies) if tallies else 0.0

    def table(self) -> list[dict[str, str | int | float]]:
        """One row for each party: its role, bytes, frames, turns and seconds of processor time."""
        return [
            {
                "party": party,
                "role": self.role(party),
                "sent": tally.sent,
                "received": tally.received,
                "sent_messages": tally.sent_messages,
                "received_messages": tally.received_messages,
                "turns": tally.turns,
                "cpu": tally.cpu,
            }
            for party, tally in self.tallies.items()
        ]

    def __repr__(self) -> str:
        messages = sum(tally.sent_messages for tally in self.tallies.values())
        sent = sum(tally.sent for tally in self.tallies.values())
        told = f"{len(self.tallies)} parties, {self.rounds} rounds, {messages:,} messages, {sent:,} B"
        trouble = [f"{len(self.blames)} blamed"] * bool(self.blames)
        trouble += [f"{len(self.stops)} stopped"] * bool(self.stops)
        return f"<Transcript: {', '.join([told, *trouble])}>"

    def summary(self) -> str:
        """A line for each role: parties, bytes and messages up and down, CPU time; then what happened."""
        lines = [self._line(role) for role in ROLES if self.of_role(role)]
        if self.rounds:
            lines.append(f"rounds     {self.rounds} messages waited for one another")
        lines += [
            f"stage      {stage.name}: {stage.answered} of {stage.asked} answered in {stage.seconds:,.1f} s, "
            f"{stage.carried:,} B, of it the slowest party's own work {1e3 * stage.cpu:,.0f} ms"
            for stage in self.stages
        ]
        lines += [f"blamed     {blame.whom} (by {blame.by}): {blame.reason}" for blame in self.blames]
        lines += [f"stopped    {stop.party}: {stop.reason}" for stop in self.stops]
        return "\n".join(lines)

    def _line(self, role: str) -> str:
        return (
            f"{role:<10} ×{len(self.of_role(role)):<6} "
            f"up {self.mean(role, 'sent'):>12,.0f} B in {self.mean(role, 'sent_messages'):,.1f}   "
            f"down {self.mean(role, 'received'):>12,.0f} B in {self.mean(role, 'received_messages'):,.1f}   "
            f"cpu {1e3 * self.mean(role, 'cpu'):,.2f} ms"
        )
