"""What a check can find, and one line of results."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """The whole vocabulary; there is no score."""

    RIGHT = "right"
    REFUSED = "refused with a reason"
    ABORTED = "aborted"
    WRONG = "wrong silently"
    OPENED = "opened"
    HANGS = "hangs"
    LIMIT = "documented limit"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not applicable"
    BROKEN = "adapter broken"
    WITHHELD = "withheld"


FAILURES = {Outcome.WRONG, Outcome.OPENED, Outcome.HANGS, Outcome.WITHHELD}
UNSETTLED = {Outcome.INCONCLUSIVE, Outcome.BROKEN}


@dataclass(frozen=True)
class Result:
    """One check of one subject.

    Attributes
    ----------
    peer, version, level
        Whose code it is; the level that was driven: framework, class or primitive.
    subject
        A scheme, a release or a rule.
    check, case
        What was checked, and on what.
    adjacency
        For releases.
    size_public
        For releases: whether the number of records is public, in the adapter's words.
    outcome, reason
        What was found, and why.
    bound
        The lower bound on epsilon that was shown, for releases.
    runs
        Of the code that was judged.
    cpu
        Seconds of processor time in its interpreter.
    adapter, date
        The adapter's SHA-256, its first 16 digits, and the day.
    """

    peer: str
    version: str
    level: str
    subject: str
    check: str
    case: str
    adjacency: str
    size_public: str
    outcome: Outcome
    reason: str
    bound: float | None
    runs: int | None
    cpu: float | None
    adapter: str
    date: str

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**asdict(self), "outcome": self.outcome.value}


COLUMNS = tuple(field.name for field in fields(Result))


def exit_code(results: Iterable[Result]) -> int:
    """0 if nothing failed, 1 if anything did, 3 if something could not be settled; as `securenb audit`."""
    outcomes = {result.outcome for result in results}
    if outcomes & FAILURES:
        return 1
    return 3 if outcomes & UNSETTLED or not outcomes else 0
