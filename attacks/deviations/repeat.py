"""Every word said twice."""

from attacks.deviation import Cast, Deviation
from protocols.party import Envelope


class Repeat(Deviation):
    """Says everything twice."""

    roles = ("node", "trustee", "aggregator")

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        return [envelope, envelope]
