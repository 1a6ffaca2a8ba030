"""What a search for an attack ended with."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How a search ended. Only a search that was exact and ended is infeasible."""

    BROKEN = "broken"
    INFEASIBLE = "infeasible"
    UNDECIDED = "undecided"


EXIT_CODE = {Verdict.INFEASIBLE: 0, Verdict.BROKEN: 1, Verdict.UNDECIDED: 3}


@dataclass(frozen=True)
class Finding:
    """Whether a server that lies, with so many corrupt parties, opens more than the sum of one list.

    Attributes
    ----------
    verdict
        See `Verdict`.
    searched
        What was searched, in words: which lies, and which not.
    transcript
        The attack, a line for each step; empty unless broken.
    replayed
        Whether the attack was played against the real parties and opened what it says; `None` if none was
        played.
    planned
        Whether the planner accepts these parameters with so many corrupt parties.
    """

    verdict: Verdict
    searched: str
    transcript: tuple[str, ...] = ()
    replayed: bool | None = None
    planned: bool = False
