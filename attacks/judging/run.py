"""Judges an adapter: controls first, then every check of every subject."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from attacks.judging import control
from attacks.judging.adapter import LEVELS, About, Adapter, BrokenAdapterError
from attacks.judging.check import CHECKS, Check, Effort, Found, Kind
from attacks.judging.disclosure import Seen, shown
from attacks.judging.outcome import Outcome, Result
from attacks.judging.releases import HangError, Private, Through, audited, data
from attacks.judging.rules import ROWS, WIDTH, Rule, same
from attacks.judging.sums import Scheme, judged
from attacks.toolkit.foreign import MEGABYTES

CONTROL = "control"
KINDS: tuple[Kind, ...] = ("sums", "releases", "rules")


def judge(
    path: Path,
    python: str | Path,
    *,
    checks: Sequence[str] | None = None,
    effort: Effort | None = None,
    seconds: float = 30.0,
    megabytes: int = MEGABYTES,
    others: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Result]:
    """Every check of an adapter, as far as it may be shown.

    Parameters
    ----------
    path
        The adapter.
    python
        The interpreter that has the code to be judged.
    checks
        Names of checks, by default all.
    effort
        What checks of releases may take; by default ten seconds each, with a chance of 10^-3 that any alarm
        about this adapter is false.
    seconds, megabytes
        That one answer of the adapter may take.
    others
        Whether the code is others', whatever the adapter says: then faults of secrecy are withheld.

    Raises
    ------
    ValueError
        If there is no such file, interpreter or check.
    """
    chosen = {name: CHECKS[name]() for name in (CHECKS if checks is None else checks)}
    today = datetime.now(UTC).date().isoformat()
    try:
        adapter = Adapter(path, python, seconds=seconds, megabytes=megabytes)
    except BrokenAdapterError as error:
        unread = About(path.stem, "", LEVELS[-1])
        broken = Seen(CONTROL, "correctness", "", "", Found("", Outcome.BROKEN, str(error)), 0.0)
        return shown(unread, "", today, [broken])
    with adapter:
        seen = list(_all(adapter, python, chosen, effort or Effort(), progress))
        about = replace(adapter.about, own=adapter.about.own and not others)
        return shown(about, adapter.digest, today, seen)


def _all(
    adapter: Adapter,
    python: str | Path,
    chosen: dict[str, Check],
    effort: Effort,
    progress: Callable[[str], None],
) -> Iterator[Seen]:
    for kind in KINDS:
        asked = {name: check for name, check in chosen.items() if check.kind == kind}
        if not asked:
            continue
        try:
            subjects = _subjects(adapter, kind)
        except BrokenAdapterError as error:
            yield Seen(CONTROL, "correctness", kind, "", Found("", Outcome.BROKEN, str(error)), 0.0)
            continue
        if not subjects:
            continue
        if kind == "releases":
            progress("controls")
            planted = list(_planted(python, effort))
            yield from (Seen(CONTROL, "correctness", "", "", found, 0.0) for found in planted)
            if any(found.outcome is not Outcome.RIGHT for found in planted):
                continue
            # each release is audited under both adjacencies
            audits = 2 * len(subjects) * len(asked)
            effort = replace(effort, tests=max(effort.tests, audits))
        for subject in subjects:
            yield from _of(subject, adapter, asked, effort, progress)


def _of(
    subject: Any,
    adapter: Adapter,
    asked: dict[str, Check],
    effort: Effort,
    progress: Callable[[str], None],
) -> Iterator[Seen]:
    """The control of a subject, and if that is right its checks."""
    size_public = getattr(subject, "size_public", "")

    def seen(check: str, concerns: Any, found: Found, before: float) -> Seen:
        return Seen(check, concerns, subject.name, size_public, found, adapter.cpu - before)

    before = adapter.cpu
    try:
        control_of = _control(subject, effort)
    except (BrokenAdapterError, HangError) as error:
        control_of = Found("", Outcome.BROKEN, str(error))
    yield seen(CONTROL, "correctness", control_of, before)
    if control_of.outcome is not Outcome.RIGHT:
        return
    for name, check in asked.items():
        progress(f"{subject.name}: {name}")
        before = adapter.cpu
        try:
            for found in check.run(subject, effort):
                yield seen(name, check.concerns, found, before)
                before = adapter.cpu
        except ValueError as error:  # what an audit refuses is no release, and no fault of the peer's
            yield seen(name, check.concerns, Found("", Outcome.BROKEN, str(error)), before)


def _subjects(adapter: Adapter, kind: Kind) -> list[Any]:
    """Schemes, releases or rules."""
    if kind == "sums":
        if adapter.about.schemes and not adapter.has("run"):
            raise BrokenAdapterError("about() has schemes, but there is no run()")
        if adapter.has("run") and not adapter.about.schemes:
            raise BrokenAdapterError("there is run(), but about() has no schemes")
        return [Scheme(adapter, name, declared) for name, declared in adapter.about.schemes.items()]
    if not adapter.has(kind):
        return []
    answer = adapter.ask(kind)
    if answer.ended is not None or not isinstance(answer.given, list):
        raise BrokenAdapterError(f"{kind}() gives a list, got {answer.said or answer.given!r}")
    read: Any = Private.read if kind == "releases" else Rule.read
    return [read(adapter, declared) for declared in answer.given]


def _control(subject: Any, effort: Effort) -> Found:
    """What must hold of any code that an adapter drives rightly."""
    if isinstance(subject, Scheme):
        low, high = max(subject.lowest, 0), max(subject.lowest, 0) + 1
        vectors = [[low, high, low], [high, low, low], [low, low, high]]
        found = judged("the sum of three", subject.run(vectors), vectors)
    elif isinstance(subject, Rule):
        row = np.arange(1.0, WIDTH + 1)
        found = same("rows that are all equal", subject.combine(np.tile(row, (ROWS, 1))), row)
    else:
        found = _moves(subject, effort)
    broken = found.outcome not in (Outcome.RIGHT, Outcome.BROKEN)
    reason = f"{found.outcome}: {found.reason}" if broken else found.reason
    return Found(found.case, Outcome.BROKEN if broken else found.outcome, reason, runs=found.runs)


def _moves(subject: Private, effort: Effort) -> Found:
    """Whether a release has noise of its own, and sees the data: told by what it gives for many and few."""
    few, many = data([0.0] * 4), data([1.0] * 400)
    runs = [subject.runs(side, effort.epsilon, 40) for side in (few, many)]
    case = "4 zeros, and 400 ones"
    if any(run is None for side in runs for run in side):
        return Found(case, Outcome.BROKEN, "it raises on ordinary data", runs=80)
    if sorted(map(repr, runs[0])) == sorted(map(repr, runs[1])):
        return Found(case, Outcome.BROKEN, "it gives the same for both", runs=80)
    return Found(case, Outcome.RIGHT, "it sees the data", runs=80)


def _planted(python: str | Path, effort: Effort) -> Iterator[Found]:
    """The instrument in that interpreter: a right release passes, and one with a third of the noise fails."""
    with Adapter(Path(control.__file__), python) as far:
        for private in _subjects(far, "releases"):
            pairs = {"10 records, and one more": (data([0.5] * 10), data([0.5] * 11))}
            through = Through(private, pairs, effort.epsilon)
            claim = private.claim("add-remove", effort.epsilon)
            found = audited(through, claim, effort, effort.seed, 1e-6)
            wrong = private.name == "planted wrong"
            as_planted = (found.verdict == "FAIL") == wrong
            yield Found(
                f"{private.name} noise",
                Outcome.RIGHT if as_planted else Outcome.BROKEN,
                f"the audit says {found.verdict}",
                "add-remove",
                found.bound,
                through.count,
            )
