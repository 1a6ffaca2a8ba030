"""A vector far beyond what a node may send."""

from attacks.deviation import Cast, Rewriting
from attacks.toolkit.messages import byte_fields, with_bytes
from protocols.ring import WORD_BYTES, from_bytes, to_bytes
from protocols.wire import Message


class Enormous(Rewriting):
    """Adds 2^62 to the first coordinate of the vector that it sends, or of its first share."""

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        words = getattr(body, "words", b"")
        if self.changed or len(words) != WORD_BYTES * cast.session.length:
            return None
        vector = from_bytes(words).copy()
        vector[:1] += 1 << 62  # a slice wraps around without a warning
        ((path, _),) = byte_fields(body)
        return with_bytes(body, path, to_bytes(vector))  # type: ignore[no-any-return]
