"""Words to those who did not ask."""

from attacks.deviation import Cast, Deviation
from protocols.party import AGGREGATOR, Envelope


class Uninvited(Deviation):
    """Says each of its words to all whom they are not for."""

    roles = ("node", "trustee")

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        parties = {*cast.session.nodes, *cast.session.trustees, AGGREGATOR}
        others = sorted(parties - {envelope.sender, envelope.recipient})
        return [envelope, *(Envelope(envelope.sender, other, envelope.body) for other in others)]
