"""Silence from the first word on."""

from attacks.deviation import Cast, Deviation
from protocols.party import Envelope


class Silent(Deviation):
    """Says nothing at all."""

    roles = ("node", "trustee")

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        return []
