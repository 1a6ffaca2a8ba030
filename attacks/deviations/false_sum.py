"""A sum that is another."""

from collections.abc import Mapping
from typing import ClassVar

from attacks.deviation import Cast, Rewriting
from attacks.toolkit.messages import byte_fields, with_bytes
from protocols.messages import Partials, PartSums, Sums, VerifiedSums
from protocols.schemes import gossip, paillier, ring
from protocols.wire import Message

SUMS = (Sums, PartSums, VerifiedSums, Partials, paillier.Sums, ring.Sum, gossip.Sum)


class FalseSum(Rewriting):
    """Adds one to the first coordinate of every sum, or part of a sum, that it hands over."""

    roles = ("node", "trustee")
    not_covered: ClassVar[Mapping[str, str]] = {
        "ideal": "the functionality is trusted",
        "mixer": "the mixers are trusted to add; only impossible sums are noticed",
        "paillier": "the key holder is trusted to decrypt",
        "verified": "helpers are trusted to add what they verified",
    }

    def rewritten(self, body: Message, cast: Cast) -> Message | None:
        """See `Rewriting.rewritten`."""
        if not isinstance(body, SUMS):
            return None
        path, words = next((path, found) for path, found in byte_fields(body) if found)
        wrong: Message = with_bytes(body, path, bytes([(words[0] + 1) % 256]) + words[1:])
        return wrong
