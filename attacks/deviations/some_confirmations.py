"""A confirmation that reaches only some: from a holder that dies, or through a relay that chooses."""

from attacks.deviation import Cast, Deviation
from protocols.messages import Confirmed
from protocols.party import Envelope


class SomeConfirmations(Deviation):
    """Confirms its list of members to all holders but one."""

    roles = ("trustee",)

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        if isinstance(envelope.body, Confirmed) and envelope.recipient == cast.session.trustees[1]:
            return []
        return [envelope]
