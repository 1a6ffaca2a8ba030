"""Well-formed messages of the wrong size."""

from attacks.deviation import Cast, Deviation
from attacks.toolkit.messages import longest_changed
from protocols.party import Envelope
from protocols.ring import WORD_BYTES


class ShortField(Deviation):
    """Leaves a word out of the longest field of every message."""

    roles = ("node", "trustee", "aggregator")

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        return [longest_changed(envelope, lambda field: field[:-WORD_BYTES])]
