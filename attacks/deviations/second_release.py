"""The sum of all, then the sum of all but one."""

from collections.abc import Mapping
from typing import ClassVar

from attacks.deviation import Cast, Deviation
from protocols.errors import Abort, FaultyParty
from protocols.opened import Opened
from protocols.party import AGGREGATOR, Envelope, Party, PartyId


class _Twofold(Party):
    """Two honest aggregators behind one name; the second is deaf to one node."""

    def __init__(self, deviation: "SecondRelease", first: Party, second: Party, victim: PartyId) -> None:
        super().__init__(AGGREGATOR)
        self._deviation = deviation
        self._first, self._second = first, second
        self._victim = victim
        self._deadlines = 0

    def start(self) -> list[Envelope]:
        """Both start."""
        return self._first.start() + self._noted(self._second.start())

    def handle(self, envelope: Envelope) -> list[Envelope]:
        """Both listen."""
        said: list[Envelope] = []
        if self._first.output is None:
            said = self._first.handle(envelope)
        if envelope.sender != self._victim:
            said += self._again(envelope)
        return said

    def deadline(self) -> list[Envelope]:
        """Both go on; the result is kept back until the second release had its time."""
        self._deadlines += 1
        said = [] if self._first.output is not None else self._first.deadline()
        said += self._again(None)
        if self._deadlines > 2:
            self.output = self._first.output
        return said

    def _again(self, envelope: Envelope | None) -> list[Envelope]:
        """The second aggregator's turn; it takes no notice of what does not fit."""
        if self._second.output is not None:
            return []
        try:
            said = self._second.deadline() if envelope is None else self._second.handle(envelope)
        except (FaultyParty, Abort):
            return []
        one, other = self._first.output, self._second.output
        if isinstance(one, Opened) and isinstance(other, Opened) and one.members != other.members:
            self._deviation.changed = True
            self._deviation.read[self._victim] = one.rows[0] - other.rows[0]
        return self._noted(said)

    def _noted(self, said: list[Envelope]) -> list[Envelope]:
        self._deviation.changed |= bool(said)
        return said


class SecondRelease(Deviation):
    """Opens the sum, and asks once more for the sum without one node; the difference is its vector."""

    roles = ("aggregator",)
    not_covered: ClassVar[Mapping[str, str]] = {"plain": "the aggregator has every vector anyway"}

    def deviant(self, honest: Party, cast: Cast) -> Party:
        """See `Deviation.deviant`."""
        return _Twofold(self, honest, cast.honest(AGGREGATOR), cast.session.nodes[-1])
