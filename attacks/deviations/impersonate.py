"""Words in another party's name."""

from attacks.deviation import Cast, Deviation
from attacks.toolkit.messages import Raw, changed
from protocols.party import Envelope


class Impersonate(Deviation):
    """Says each of its words first as if another node said it."""

    roles = ("node", "trustee")

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        other = next(node for node in cast.session.nodes if node != envelope.sender)
        frame = cast.codec.encode(other, envelope.recipient, envelope.body)
        return [changed(envelope, Raw(frame)), envelope]
