"""Frames cut short."""

from attacks.deviation import Cast, Deviation
from attacks.toolkit.messages import Raw, changed
from protocols.party import Envelope


class Truncated(Deviation):
    """Leaves out the last byte of every frame."""

    roles = ("node", "trustee")

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        frame = cast.codec.encode(envelope.sender, envelope.recipient, envelope.body)
        return [changed(envelope, Raw(frame[:-1]))]
