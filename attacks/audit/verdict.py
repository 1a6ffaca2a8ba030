"""What a layer of the audit found, in words that promise no more than was tested."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

Outcome = Literal["PASS", "FAIL", "INCONCLUSIVE"]

NOT_COVERED = (
    "side channels and timing, a person at two nodes, more colluding nodes than planned, malicious nodes "
    "that add no noise"
)


@dataclass(frozen=True)
class Finding:
    """What one layer says.

    Attributes
    ----------
    layer
        L0 ledger, L1 replay, L2 statistical, L3 canaries.
    outcome
        PASS: no violation found. FAIL: a violation, with its witness. INCONCLUSIVE: not tested, and why.
    evidence
        One line each.
    """

    layer: str
    outcome: Outcome
    evidence: tuple[str, ...]


def overall(findings: Sequence[Finding]) -> Outcome:
    """FAIL if any layer fails, else INCONCLUSIVE if any could not tell or none was run, else PASS."""
    outcomes = {finding.outcome for finding in findings}
    if "FAIL" in outcomes:
        return "FAIL"
    return "PASS" if outcomes == {"PASS"} else "INCONCLUSIVE"


def as_json(findings: Sequence[Finding], **about: object) -> dict[str, object]:
    """One document for machines."""
    return {
        **about,
        "outcome": overall(findings),
        "not_covered": NOT_COVERED,
        "findings": [asdict(finding) for finding in findings],
    }


def in_words(findings: Sequence[Finding]) -> str:
    """The same for people."""
    lines = [
        f"{finding.outcome} {finding.layer}: {line}" for finding in findings for line in finding.evidence
    ]
    return "\n".join([*lines, f"{overall(findings)}; not covered: {NOT_COVERED}"])
