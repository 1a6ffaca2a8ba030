"""A place in another group than the one that was drawn."""

from attacks.deviation import Cast, Deviation
from attacks.toolkit.messages import Raw, changed
from protocols.party import Envelope


class Regrouped(Deviation):
    """Speaks as if the groups had been drawn as it likes: itself first."""

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        now = cast.session
        groups = tuple(tuple(sorted(group, key=lambda node: node != envelope.sender)) for group in now.groups)
        wished = cast.protocol.session(groups, now.length, now.capacity, now.id, now.context)
        frame = cast.protocol.codec(wished).encode(envelope.sender, envelope.recipient, envelope.body)
        return [changed(envelope, Raw(frame))]
