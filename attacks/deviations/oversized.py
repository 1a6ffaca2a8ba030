"""Frames that are too large to be read."""

from attacks.deviation import Cast, Deviation
from attacks.toolkit.messages import Raw, changed
from protocols.party import Envelope


class Oversized(Deviation):
    """Sends a frame beyond the limit before each of its words."""

    roles = ("node", "trustee", "aggregator")

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        return [changed(envelope, Raw(bytes(cast.codec.limit + 1))), envelope]
