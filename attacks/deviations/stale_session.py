"""Words recorded in another session."""

from attacks.deviation import Cast, Deviation
from attacks.toolkit.messages import Raw, changed
from protocols.party import Envelope


class StaleSession(Deviation):
    """Replays its words of another session before those of this one."""

    roles = ("node", "trustee", "aggregator")

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        now = cast.session
        other = cast.protocol.session(now.groups, now.length, now.capacity, bytes(16), now.context)
        frame = cast.protocol.codec(other).encode(envelope.sender, envelope.recipient, envelope.body)
        return [changed(envelope, Raw(frame)), envelope]
