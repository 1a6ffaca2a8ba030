"""A holder that contradicts the others about what a node gave it."""

from attacks.deviation import Cast, Rewriting
from protocols.messages import SeedTags
from protocols.primitives.seed_boxes import TAG_BYTES
from protocols.wire import Message


class FalseReport(Rewriting):
    """Reports other seeds of the first node than the node gave it."""

    roles = ("trustee",)

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        if not isinstance(body, SeedTags) or len(body.tags) < TAG_BYTES:
            return None
        return SeedTags(body.nodes, bytes(TAG_BYTES) + body.tags[TAG_BYTES:])
