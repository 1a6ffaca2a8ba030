"""A vector that is not what the records say, but could be."""

from collections.abc import Mapping
from typing import ClassVar

from attacks.deviation import Cast, Deviation
from protocols.party import Party


class Skewed(Deviation):
    """Takes part with another vector within the capacity than its records give."""

    not_covered: ClassVar[Mapping[str, str]] = {
        "*": "what a node puts in is for the rules, or a proof of validity, to bound"
    }

    def deviant(self, honest: Party, cast: Cast) -> Party:
        """See `Deviation.deviant`."""
        self.changed = True
        vector = cast.vectors[honest.me]
        other = Cast(cast.protocol, cast.session, {**cast.vectors, honest.me: -vector - 1}, cast.entropy)
        return other.honest(honest.me)
