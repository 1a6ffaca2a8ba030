"""An audit of any release from beginning to end; what comes out is the same as of our own rounds."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attacks.audit.black_box.claim import Approximate, Claim, Gaussian
from attacks.audit.black_box.inputs import plain_pairs
from attacks.audit.black_box.questions import questions, questions_about_reals
from attacks.audit.black_box.release import LONGEST, Here, Release
from attacks.audit.black_box.replay import audit_replay
from attacks.audit.black_box.search import SECONDS, Questions, audit_release
from attacks.audit.black_box.tables import audit_tables, read_released
from attacks.audit.finding import Audit, Finding, Level

CONFIDENCE = 0.999
"""Of the statistical level, by default: a false alarm in a thousand audits of sound releases, at most."""

NOT_COVERED = (
    "neighbours that were not tried",
    "how the release was made: only what it puts out",
    "how long it takes, what it writes elsewhere",
    "several releases about the same people",
)
"""Of every audit of a foreign release."""


def claim_of(epsilon: float, delta: float = 0.0, *, gaussian: bool = False) -> Claim:
    """What is claimed; a `ValueError` if it is not a claim."""
    return Gaussian(epsilon, delta) if gaussian else Approximate(epsilon, delta)


def audit(
    release: Callable[..., Any] | Release,
    epsilon: float,
    delta: float = 0.0,
    *,
    neighbours: Sequence[Sequence[Any]] | None = None,
    adjacency: str = "add-remove",
    gaussian: bool = False,
    low_bits: bool = True,
    levels: Sequence[Level] = ("L1", "L3"),
    confidence: float = CONFIDENCE,
    runs: int | None = None,
    seconds: float = SECONDS,
    seed: int = 0,
    longest: float = LONGEST,
    progress: Callable[[str], None] = lambda _: None,
) -> Audit:
    """Audit a function that claims to be (epsilon, delta)-differentially private.

    Parameters
    ----------
    release
        `release(data, rng)`, which draws its noise from a numpy generator, or `release(data)`, which finds
        it elsewhere. It returns numbers, text, or lists or dictionaries of them. It is called many times;
        raising is an output, too.
    neighbours
        Pairs (data, neighbour), or triples with a name; by default arrays of numbers between 0 and 1.
    adjacency
        Which data sets are neighbours; only said, and used to make up neighbours.
    gaussian
        Whether the claim is that of Gaussian noise: then its whole trade-off curve is tested.
    low_bits
        Whether floating-point outputs are read to their last bit, as a recipient could.
    levels
        L1 replays recorded requests for noise, L3 looks at outputs alone.
    confidence
        Of L3: an alarm about a sound release is less likely than one minus this.
    runs, seconds
        On each input, and altogether; whichever ends first.
    longest
        Seconds that one run may take.

    Raises
    ------
    ValueError
        If the claim is none, or the release raises in every run, does not end, or returns what is no number.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"the confidence must be between 0 and 1, got {confidence}")
    claim = claim_of(epsilon, delta, gaussian=gaussian)
    subject = (
        release
        if isinstance(release, Release)
        else Here(release, plain_pairs(adjacency) if neighbours is None else neighbours, longest=longest)
    )
    findings: list[Finding] = []
    left_out = list(NOT_COVERED)
    if "L1" in levels:
        replayed = list(audit_replay(subject, claim, seed, progress))
        findings += replayed
        if not replayed:
            left_out.append("level L1: the output is no affine function of recorded numpy noise")
    if "L3" in levels and not any(found.verdict == "FAIL" for found in findings):
        findings += audit_release(
            subject,
            claim,
            seed,
            1 - confidence,
            runs=runs,
            seconds=seconds,
            asked=_asked(low_bits),
            progress=progress,
        )
    elif "L3" in levels:
        left_out.append("level L3: what L1 found is certain")
    return Audit(
        target=subject.name,
        view="everything that it returns",
        adjacency=adjacency,
        claimed=claim.epsilon,
        delta=claim.delta,
        confidence=confidence,
        findings=tuple(findings),
        not_covered=(*left_out, *_not_asked(low_bits)),
        settings={"seed": seed, "levels": list(levels), "runs": runs, "gaussian": gaussian},
    )


def audit_released(
    first: Path,
    second: Path,
    epsilon: float,
    delta: float = 0.0,
    *,
    adjacency: str = "add-remove",
    gaussian: bool = False,
    low_bits: bool = True,
    confidence: float = CONFIDENCE,
) -> Audit:
    """Audit two CSV files: rows are independent runs of one release on two neighbouring inputs.

    Raises
    ------
    ValueError
        See `read_released`.
    """
    claim = claim_of(epsilon, delta, gaussian=gaussian)
    findings = audit_tables(*read_released(first, second), claim, 1 - confidence, _asked(low_bits))
    return Audit(
        target=f"{first.name} and {second.name}",
        view="the released rows",
        adjacency=adjacency,
        claimed=claim.epsilon,
        delta=claim.delta,
        confidence=confidence,
        findings=tuple(findings),
        not_covered=(
            "whether rows are independent runs, as they are taken to be",
            *NOT_COVERED,
            *_not_asked(low_bits),
        ),
        settings={"gaussian": gaussian},
    )


def _asked(low_bits: bool) -> Questions:  # noqa: FBT001
    return questions if low_bits else questions_about_reals


def _not_asked(low_bits: bool) -> tuple[str, ...]:  # noqa: FBT001
    return () if low_bits else ("the low bits of floating-point numbers",)
