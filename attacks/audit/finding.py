"""What an audit finds, in words that promise no more than was shown."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import pandas as pd

from securenb._html import html_table

Level = Literal["file", "L0", "L1", "L2", "L3"]

LEVELS: dict[Level, str] = {
    "L0": "ledger, static and certain",
    "L1": "replay on neighbouring inputs with noise frozen, certain",
    "L2": "statistics query by query, at the stated confidence",
    "L3": "what each adversary sees, at the stated confidence",
}

Verdict = Literal["PASS", "FAIL", "INCONCLUSIVE"]

EXIT_CODES: dict[Verdict, int] = {"PASS": 0, "FAIL": 1, "INCONCLUSIVE": 3}


@dataclass(frozen=True)
class Finding:
    """One check.

    Attributes
    ----------
    level
        Of the audit.
    check
        What was checked.
    verdict
        `INCONCLUSIVE` where the check could not be made.
    evidence
        Numbers, and for a failure the witness.
    bound
        The lower bound on epsilon that was shown, for statistical checks.
    claimed
        The epsilon that it is compared with.
    """

    level: Level
    check: str
    verdict: Verdict
    evidence: str
    bound: float | None = None
    claimed: float | None = None


@dataclass(frozen=True, repr=False)
class Audit:
    """All findings about one target.

    Attributes
    ----------
    target, view, adjacency
        What was audited, what the adversary sees, which data sets are neighbours.
    claimed
        Epsilon of the whole release; `None` if nothing is claimed.
    delta
        Zero for pure epsilon.
    confidence
        Family-wise, of each statistical level.
    findings
        In the order in which they were made.
    not_covered
        What must not be concluded.
    """

    target: str
    view: str
    adjacency: str
    claimed: float | None
    delta: float
    confidence: float
    findings: tuple[Finding, ...]
    not_covered: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """FAIL if any check fails, else INCONCLUSIVE if any could not be made."""
        return worst(self.findings)

    @property
    def bound(self) -> float:
        """The largest lower bound on the whole release, 0 if none was shown."""
        return max((f.bound for f in self.findings if f.bound is not None and f.level == "L3"), default=0.0)

    def answer(self) -> str:
        """May this be published? If not, why; and what was not looked at."""
        claim = "no claim" if self.claimed is None else f"epsilon {self.claimed:.6g}"
        claim += f", delta {self.delta:g}" if self.delta else ""
        unseen = f"Not looked at: {'; '.join(self.not_covered)}."
        if self.verdict == "PASS":
            return f"May this be published at {claim}? Nothing found speaks against it. {unseen}"
        if self.verdict == "INCONCLUSIVE":
            return f"May this be published at {claim}? Not yet: this could not be settled. {unseen}"
        return f"May this be published at {claim}? No: {self._worst().evidence}. {unseen}"

    def _worst(self) -> Finding:
        """The failure to name first: a replay has a witness, and what is certain precedes what is likely."""
        failed = [finding for finding in self.findings if finding.verdict == "FAIL"]
        order = ("file", "L1", "L0", "L2", "L3")
        return min(failed, key=lambda f: (order.index(f.level), "witness" not in f.evidence))

    def conclusion(self) -> str:
        """One sentence."""
        if self.verdict == "FAIL":
            first = self._worst()
            certain = first.level in ("file", "L0", "L1")
            how = "certainly" if certain else f"with {self.confidence:.4g} confidence"
            claim = "private" if self.claimed is None else f"({self.claimed:.6g}, {self.delta:g})-DP"
            return (
                f"FAIL: {how} not {claim} under {self.adjacency} for the view {self.view}; "
                f"{first.level} {first.check}: {first.evidence}"
            )
        gaps = f"not covered: {', '.join(self.not_covered)}"
        if not self.findings:
            return f"INCONCLUSIVE: nothing could be checked; {gaps}"
        if self.verdict == "INCONCLUSIVE":
            first, *others = [finding for finding in self.findings if finding.verdict == "INCONCLUSIVE"]
            more = f" and {len(others)} more checks" if others else ""
            return (
                f"INCONCLUSIVE: could not settle {first.level} {first.check}{more}: {first.evidence}; {gaps}"
            )
        return f"PASS: no violation found; lower bound {self.bound:.3g} ≤ claimed {self.claimed:.6g}; {gaps}"

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each finding."""
        return pd.DataFrame([vars(finding) for finding in self.findings])

    def __repr__(self) -> str:
        return f"<Audit: {self.conclusion().partition('; not covered')[0]}>"

    def _repr_html_(self) -> str:
        lines = [[f.level, f.verdict, f.check, f.evidence] for f in self.findings]
        return html_table(self.conclusion(), ["level", "verdict", "check", "evidence"], lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            **asdict(self),
            "verdict": self.verdict,
            "answer": self.answer(),
            "conclusion": self.conclusion(),
        }


def worst(findings: Sequence[Finding]) -> Verdict:
    """The verdict of several checks together."""
    verdicts = {finding.verdict for finding in findings}
    if "FAIL" in verdicts:
        return "FAIL"
    return "INCONCLUSIVE" if "INCONCLUSIVE" in verdicts or not findings else "PASS"
