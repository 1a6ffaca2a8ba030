"""A holder that is started again between confirming and answering, and has forgotten that it confirmed."""

from attacks.deviation import Cast, Deviation
from attacks.deviations.split_views import without_last
from attacks.toolkit.messages import Deviant
from protocols.errors import FaultyParty
from protocols.messages import Confirmed, Published, Request
from protocols.party import Envelope, Party


class Restarted(Deviation):
    """Confirms, then as one that was started again and told a shorter list confirms that one as well."""

    roles = ("trustee",)

    def deviant(self, honest: Party, cast: Cast) -> Party:
        """See `Deviation.deviant`."""
        return _Twice(self, honest, cast)


class _Twice(Deviant):
    """Two copies of a holder with the same secrets and no memory in common; the second speaks to confirm."""

    def __init__(self, deviation: Restarted, honest: Party, cast: Cast) -> None:
        super().__init__(honest, lambda envelope: [envelope])
        self._deviation = deviation
        self._cast = cast
        self._again = cast.honest(honest.me)
        self._again.start()

    def handle(self, envelope: Envelope) -> list[Envelope]:
        """See `Party.handle`."""
        said = super().handle(envelope)
        told = envelope.body
        if isinstance(told, Confirmed):
            return said
        if isinstance(told, Request | Published) and (fewer := without_last(told, self._cast)) is not None:
            envelope = Envelope(envelope.sender, envelope.recipient, fewer)
        try:
            repeated = self._again.handle(envelope)
        except FaultyParty:
            return said
        confirmed = [each for each in repeated if isinstance(each.body, Confirmed)]
        self._deviation.changed |= bool(confirmed)
        return said + confirmed
