"""Frames that are no messages."""

from attacks.deviation import Cast, Deviation
from attacks.toolkit.messages import Raw, changed
from protocols.canonical import digest
from protocols.party import Envelope


class Garbage(Deviation):
    """Sends random bytes instead of every frame."""

    roles = ("node", "trustee")

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        frame = cast.codec.encode(envelope.sender, envelope.recipient, envelope.body)
        noise = b"".join(digest("garbage", frame, block) for block in range(len(frame) // 32 + 1))
        return [changed(envelope, Raw(noise[: len(frame)]))]
