"""L3 of any release: an event that neighbouring inputs show with frequencies that the claim forbids.

Runs are made in batches, each larger than all before it. What was seen before is for learning: questions
are made up from one half of it, and the pair, the question and the cut are chosen by the other half. The
fresh batch only counts, so that whatever was tried before costs no confidence. Each batch may be wrong with
a part of alpha.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from attacks.audit.black_box.claim import Claim
from attacks.audit.black_box.outputs import Outputs, usual_width
from attacks.audit.black_box.questions import Question, questions, relations
from attacks.audit.black_box.release import Release
from attacks.audit.finding import Finding
from attacks.audit.lower_bound import Bound, best_cut, clopper_pearson, shows_twice, trials_needed
from securenb.bayes.parameters import Floats

RUNS = 100_000
"""Runs on each input, all batches together."""

SECONDS = 60.0
"""What all batches may take; fewer runs are made of a slow release."""

PILOT = 8_000
"""Runs on each input before a pair is chosen, all pairs together; at least a tenth as many of each pair."""

MOST = 2_000_000
"""Runs on each input that are made where a small epsilon needs many."""

GROWTH = (0.04, 0.16, 0.8)
"""The batches, as parts of all runs."""

WINDOW = 4
"""Successive runs that are looked at together: any two of them that belong together are within a window."""

FEWEST = 100
"""Runs on each input below which there is nothing to say."""


Questions = Callable[[Outputs, Outputs], Iterator[tuple[str, Question]]]
"""Makes up questions from outputs on either input."""


@dataclass(frozen=True, eq=False)
class Event:
    """What is counted: a question at least at a cut, or below it.

    Attributes
    ----------
    value
        The epsilon that it showed, by a cautious estimate, where it was chosen.
    """

    name: str
    question: Question
    cut: float
    flipped: bool
    value: float

    def count(self, outputs: Outputs) -> int:
        """How often it happened."""
        answers = self.question(outputs)
        return int(np.count_nonzero(answers < self.cut if self.flipped else answers >= self.cut))

    def bound(self, first: Outputs, second: Outputs, claim: Claim, alpha: float) -> Bound:
        """What fresh outputs show, wrong with probability at most alpha."""
        counts = self.count(first), self.count(second)
        (rare, of_rare), (common, of_common) = (counts[0], len(first)), (counts[1], len(second))
        if self.flipped:
            (rare, of_rare), (common, of_common) = (common, of_common), (rare, of_rare)
        low = clopper_pearson(common, of_common, alpha / 2)[0]
        high = clopper_pearson(rare, of_rare, alpha / 2)[1]
        sign = "<" if self.flipped else "≥"
        return Bound(claim.bound(low, high), f"{self.name} {sign} {self.cut:.6g}", counts, len(first))


def choose(
    first: Outputs,
    second: Outputs,
    claim: Claim,
    asked: Questions = questions,
) -> Event | None:
    """The most telling event: questions from every other run, the cut from the rest; `None` without any."""
    learned = first[0::2], second[0::2]
    chosen = first[1::2], second[1::2]
    best: Event | None = None
    for name, question in asked(*learned):
        answers: list[Floats] = [question(outputs) for outputs in chosen]
        for flipped in (False, True):
            found = best_cut(answers[0], answers[1], claim, flipped=flipped)
            if found is not None and (best is None or found[0] > best.value):
                best = Event(name, question, found[1], flipped, found[0])
    return best


def audit_release(
    release: Release,
    claim: Claim,
    seed: int,
    alpha: float,
    *,
    runs: int | None = None,
    seconds: float = SECONDS,
    asked: Questions = questions,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[Finding]:
    """One finding for single runs, and one for what successive runs have in common.

    Parameters
    ----------
    alpha
        Probability that any of the bounds is wrong: three quarters for single runs, one for successive ones.
    runs, seconds
        On each input; whichever ends first. By default as many runs as would show twice the claim.
    asked
        What outputs are asked.

    Raises
    ------
    ValueError
        If the release raises in every run, or returns nothing.
    """
    started = time.monotonic()
    if runs is None:
        runs = min(MOST, max(RUNS, math.ceil(1.3 * trials_needed(claim.epsilon, alpha / 4))))
    each = min(max(PILOT // len(release.pairs), PILOT // 10), runs)
    raw = []
    for pair, name in enumerate(release.pairs):
        progress(f"L3 {name}")
        share = seconds / (4 * len(release.pairs))
        raw.append([release.run(pair, side, each, seed, share / 2) for side in (0, 1)])
    width = usual_width([run for both in raw for run in both])
    _refuse_what_never_returns(raw, width)
    pilots = [(Outputs.of(both[0], width), Outputs.of(both[1], width)) for both in raw]
    events = [choose(*pilot, claim, asked) for pilot in pilots]
    values = [-np.inf if event is None else event.value for event in events]
    pair = int(np.argmax(values))
    seen, event = pilots[pair], events[pair]
    single, double = (
        Bound(0.0, "nothing that differs", (0, 0), 0),
        Bound(0.0, "nothing that differs", (0, 0), 0),
    )
    repeated = claim.repeated(WINDOW)
    together: Event | None = None
    counted = 0
    for part in GROWTH:
        left = seconds - (time.monotonic() - started)
        count = min(max(FEWEST, round(part * runs)), 1 << 24)
        if left <= 0 and counted:
            break
        progress(f"L3 {release.pairs[pair]}: {count:,} runs")
        slice_of = max(0.1, left * (0.8 if part == GROWTH[-1] else 0.2)) / 2
        fresh = (
            Outputs.of(release.run(pair, 0, count, seed, slice_of), width),
            Outputs.of(release.run(pair, 1, count, seed, slice_of), width),
        )
        counted = max(counted, min(map(len, fresh)))
        if event is not None:
            found = event.bound(*fresh, claim, alpha / 4)
            single = max(single, found, key=lambda bound: bound.epsilon)
        together = choose(seen[0].windows(WINDOW), seen[1].windows(WINDOW), repeated, relations)
        if together is not None:
            found = together.bound(
                fresh[0].windows(WINDOW), fresh[1].windows(WINDOW), repeated, alpha / (4 * len(GROWTH))
            )
            double = max(double, found, key=lambda bound: bound.epsilon)
        if single.epsilon > claim.epsilon or double.epsilon > repeated.epsilon or part == GROWTH[-1]:
            break
        seen = Outputs.together([seen[0], fresh[0]]), Outputs.together([seen[1], fresh[1]])
        event = choose(*seen, claim, asked)
    yield judged("outputs of a run", single, claim, release.pairs[pair], counted, alpha / 4)
    if double.trials:
        yield judged("outputs of successive runs", double, repeated, release.pairs[pair], None, alpha)


def judged(check: str, bound: Bound, claim: Claim, pair: str, counted: int | None, alpha: float) -> Finding:
    """The finding that a bound makes; `counted` runs were counted, `None` where too few are no matter."""
    failed = bound.epsilon > claim.epsilon
    evidence = f"{bound}; {'witness' if failed else 'tried most'}: {pair}; claimed {claim.epsilon:.4g}"
    verdict = "FAIL" if failed else "PASS"
    if (
        not failed
        and counted is not None
        and not claim.delta
        and not shows_twice(claim.epsilon, 2 * counted, alpha)
    ):
        verdict = "INCONCLUSIVE"
        evidence += "; so few runs would not show twice as much"
    return Finding("L3", check, verdict, evidence, bound.epsilon, claim.epsilon)  # type: ignore[arg-type]


def _refuse_what_never_returns(raw: list[list[Mapping[str, Any]]], width: int) -> None:
    runs = [run for both in raw for run in both]
    if all("returns" not in run["kinds"] for run in runs):
        said = next(run for run in runs if run["said"] or run["kinds"])
        raise ValueError(f"the release {said['kinds'][0]} in every run: {said['said'] or 'it says no more'}")
    if width == 0:
        raise ValueError("the release returns no number in most runs")
