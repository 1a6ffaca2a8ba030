"""A participant to mask with whose shares were held back."""

from attacks.deviation import Cast, Deviation
from attacks.toolkit.messages import changed
from protocols.messages import DeliveredShares, pack_set
from protocols.party import Envelope


class UndeliveredParticipant(Deviation):
    """Holds the last member's shares back from the first, and asks the two to mask with each other."""

    roles = ("aggregator",)

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        group = cast.session.groups[0]
        match envelope.body:
            case DeliveredShares(_, sealed) if envelope.recipient == group[0]:
                size = len(group)
                fewer = sealed[: len(sealed) // (size - 1) * (size - 2)]
                return [changed(envelope, DeliveredShares(pack_set(range(size - 1), size), fewer))]
        return [envelope]
