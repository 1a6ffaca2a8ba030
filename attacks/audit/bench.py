"""Audits of the zoo: what is detected, what is alarmed about, and how long it takes."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from attacks.audit.black_box.release import Here
from attacks.audit.black_box.run import audit
from attacks.audit.finding import Level
from attacks.audit.specimen import ZOO

LEVELS: tuple[Level, ...] = ("L1", "L3")

RUNS = 40_000
"""Runs on each input, by default: all of the zoo takes a minute and a half of processor time."""

CLEAR = 1.5
"""A bug costs at least so many times the claim, or it is a matter of luck whether it can be seen."""


@dataclass(frozen=True)
class Outcome:
    """One audit of one mechanism at one level.

    Attributes
    ----------
    verdict
        `-` where the level says nothing.
    bound
        The largest that was shown.
    seconds
        Of processor time.
    """

    mechanism: str
    sound: bool
    claimed: float
    truth: float
    level: str
    seed: int
    verdict: str
    bound: float
    seconds: float
    evidence: str


def audit_zoo(
    names: Sequence[str] | None = None,
    seeds: Sequence[int] = (0,),
    *,
    levels: Sequence[Level] = LEVELS,
    runs: int | None = RUNS,
    confidence: float = 0.999,
    seconds: float = 60.0,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[Outcome]:
    """Every level by itself on every mechanism.

    Parameters
    ----------
    names
        Of the zoo; by default all.
    runs, confidence, seconds
        Of each audit, see `attacks.audit.black_box.run.audit`.
    """
    for name in names or list(ZOO):
        for seed in seeds:
            progress(name)
            for level in levels:
                yield _outcome(name, level, seed, runs, confidence, seconds)


def table(outcomes: Sequence[Outcome]) -> pd.DataFrame:
    """One row a mechanism: detections by level of as many seeds, the mean of bound / claim, seconds."""
    frame = pd.DataFrame([asdict(outcome) for outcome in outcomes])
    frame["found"] = frame["verdict"] == "FAIL"
    rows = []
    for name, those in frame.groupby("mechanism", sort=False):
        row: dict[str, Any] = {
            "mechanism": name,
            "truth / claim": "sound"
            if those["sound"].iloc[0]
            else f"{(those['truth'] / those['claimed']).iloc[0]:.3g}",
        }
        for level, at in those.groupby("level"):
            said = at["verdict"] != "-"
            row[f"{level} found"] = f"{at['found'].sum()} of {len(at)}" if said.any() else "-"
            finite = at[said]["bound"].replace(float("inf"), float("nan"))
            row[f"{level} bound / claim"] = (
                "-"
                if not said.any()
                else "∞"
                if finite.isna().all()
                else f"{(finite / at['claimed']).mean():.2f}"
            )
            row[f"{level} seconds"] = f"{at['seconds'].mean():.1f}"
        rows.append(row)
    return pd.DataFrame(rows)


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Detections of clear bugs, of all bugs, and alarms about sound mechanisms; any level counts."""
    frame = pd.DataFrame([asdict(outcome) for outcome in outcomes])
    each = frame.groupby(["mechanism", "seed"]).agg(
        sound=("sound", "first"),
        times=("truth", "first"),
        claimed=("claimed", "first"),
        found=("verdict", lambda verdicts: (verdicts == "FAIL").any()),
    )
    clear = ~each["sound"] & (each["times"] >= CLEAR * each["claimed"])
    certain = frame[(frame["level"] == "L1") & frame["sound"] & (frame["verdict"] == "FAIL")]
    return {
        "mechanisms": frame["mechanism"].nunique(),
        "clear bugs": f"{int(each.loc[clear, 'found'].sum())} of {int(clear.sum())} audits",
        "all bugs": f"{int(each.loc[~each['sound'], 'found'].sum())} of {int((~each['sound']).sum())} audits",
        "false alarms": f"{int(each.loc[each['sound'], 'found'].sum())} of {int(each['sound'].sum())} audits",
        "false alarms of L1": len(certain),
        "missed": sorted({name for name, _ in each[clear & ~each["found"]].index}),
        "seconds": round(float(frame["seconds"].sum()), 1),
    }


def _outcome(
    name: str, level: Level, seed: int, runs: int | None, confidence: float, seconds: float
) -> Outcome:
    specimen = ZOO[name]()
    started = time.process_time()
    found = audit(
        Here(specimen.release, specimen.pairs(), name),
        specimen.epsilon,
        specimen.delta,
        adjacency=specimen.adjacency,
        gaussian=specimen.gaussian,
        low_bits=not specimen.reals,
        levels=(level,),
        confidence=confidence,
        runs=runs,
        seconds=seconds,
        seed=seed,
    )
    first = max(
        found.findings, key=lambda finding: (finding.verdict == "FAIL", finding.bound or 0.0), default=None
    )
    return Outcome(
        name,
        specimen.sound,
        specimen.epsilon,
        specimen.truth,
        level,
        seed,
        "-" if first is None else first.verdict,
        0.0 if first is None else first.bound or 0.0,
        time.process_time() - started,
        "" if first is None else first.evidence,
    )
