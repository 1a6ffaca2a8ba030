"""Replicated secret sharing: a sum of parts, each known to all holders but a few; any quorum knows all parts.

Sources: Ito, Saito and Nishizeki 1987, "Secret sharing scheme realizing general access structure";
Cramer, Damgård and Ishai 2005, "Share conversion, pseudorandom secret-sharing and applications", section 3,
for parts that are short keys. It adds in any ring, and each part has as many copies as holders are spare,
plus one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from protocols.session_rules import RefusedSession, SessionRule

MOST_PARTS = 126
"""More parts than this would cost a node more than its vector."""


@dataclass(frozen=True)
class Sharing:
    """Who of `holders` knows which part, so that `quorum` of them know all and fewer miss at least one.

    Raises
    ------
    ValueError
        If the quorum is not a majority of the holders, or there would be too many parts.
    """

    holders: tuple[str, ...]
    quorum: int

    def __post_init__(self) -> None:
        count = len(self.holders)
        if not count < 2 * self.quorum <= 2 * count:
            raise RefusedSession(
                SessionRule.THRESHOLD, f"a quorum is more than half of the {count} holders, got {self.quorum}"
            )
        if len(self.excluded) > MOST_PARTS:
            raise ValueError(
                f"any {self.quorum} of {count} holders take {len(self.excluded)} parts; at most {MOST_PARTS}"
            )

    @cached_property
    def excluded(self) -> tuple[frozenset[str], ...]:
        """For each part, the `quorum` − 1 holders who do not know it."""
        return tuple(map(frozenset, combinations(self.holders, self.quorum - 1)))

    @cached_property
    def parts(self) -> Mapping[str, tuple[int, ...]]:
        """The parts that each holder knows, ascending; every holder knows as many."""
        return {
            holder: tuple(part for part, without in enumerate(self.excluded) if holder not in without)
            for holder in self.holders
        }

    @property
    def parts_each(self) -> int:
        """How many parts one holder knows."""
        return len(self.parts[self.holders[0]])

    def copies(self, given: Mapping[str, Sequence[bytes]]) -> list[dict[str, bytes]]:
        """What the holders give for each part, by holder; `given` has the parts of each, in their order."""
        found: list[dict[str, bytes]] = [{} for _ in self.excluded]
        for holder, values in given.items():
            for part, value in zip(self.parts[holder], values, strict=True):
                found[part][holder] = value
        return found


def majority(copies: Mapping[str, bytes]) -> tuple[bytes | None, list[str]]:
    """What more than half of the holders give, or `None`, and the holders who give something else."""
    ((value, count),) = Counter(copies.values()).most_common(1)
    agreed = value if 2 * count > len(copies) else None
    return agreed, [holder for holder, copy in copies.items() if copy != agreed]
