"""Well-formed messages that say something else."""

from collections.abc import Mapping
from typing import ClassVar

from attacks.deviation import Cast, Deviation
from attacks.toolkit.messages import longest_changed
from protocols.party import Envelope


class Altered(Deviation):
    """Adds one to the first byte of the longest field of every message."""

    roles = ("node", "trustee")
    not_covered: ClassVar[Mapping[str, str]] = {
        "plain": "a vector within bounds is its node's own business",
        "ideal": "a vector within bounds is its node's own business; the functionality is trusted",
        "ring": "what is added to a running total is added to the sum",
        "mixer": "shares that add up to a vector within bounds; mixers are trusted to add",
    }

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        return [longest_changed(envelope, lambda field: bytes([(field[0] + 1) % 256]) + field[1:])]
