"""The rules that a session must keep before any party takes part, by the names with which it is refused.

Numbers are those of the checklist in docs/protocols/secagg.md. What a rule demands stands where it is
checked; here stands what it is called, so that every protocol, site and command calls it the same.
"""

from enum import Enum


class SessionRule(Enum):
    """What a session is refused for."""

    IDENTITIES = "rule 4, identities"
    """Each party that must sign is in the roster of all, and has the key."""

    THRESHOLD = "rule 5, threshold"
    """So many shares are needed that no two separate sets of holders have enough of them."""

    ENOUGH_NODES = "rule 5, enough nodes"
    """A group has at least as many nodes as it takes to open it."""

    SAME_PARAMETERS = "rule 5, same parameters"
    """A party runs its own protocol with its own parameters, whatever it is told."""

    SMALLEST_GROUP = "rule 6, smallest group"
    """No sum is opened that is close to a single vector."""

    WHOLE_GROUP = "rule 7, whole group"
    """Where one silent node costs its group, no lower threshold is promised."""

    NO_WRAP = "rule 11, no wrap-around"
    """The ring is larger than any sum."""

    SAME_SCHEMA = "rule 14, same schema"
    """All vectors mean the same."""

    SIZING = "rule 16, sizing"
    """Neighbours and threshold answer the stated rates."""

    ONE_RELEASE = "rule 17, one release"
    """A session is told by its id and releases once."""

    NOISE_SHARES = "rule 18, noise shares"
    """At least one honest contributor is guaranteed to add noise to whatever is opened."""

    def broken(self, reason: str) -> str:
        """The one line that says which rule is broken, and by what."""
        return f"{self.value}: {reason}"


class RefusedSession(ValueError):
    """A session that breaks a rule; no party takes part in it."""

    def __init__(self, rule: SessionRule, reason: str) -> None:
        super().__init__(rule.broken(reason))
        self.rule = rule


def check_schema(theirs: bytes, ours: bytes) -> None:
    """Raise `RefusedSession` unless both digests are of the same schema."""
    if theirs != ours:
        raise RefusedSession(
            SessionRule.SAME_SCHEMA, f"it is about schema {theirs.hex()[:16]}, ours is {ours.hex()[:16]}"
        )
