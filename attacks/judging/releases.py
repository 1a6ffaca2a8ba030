"""A private release behind an adapter, audited on pairs of neighbours like any other release."""

import array
import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from attacks.audit.black_box.claim import Approximate
from attacks.audit.black_box.driver import Unreadable, numbers
from attacks.audit.black_box.release import Release
from attacks.audit.black_box.search import audit_release
from attacks.audit.finding import Finding
from attacks.judging.adapter import Adapter, BrokenAdapterError
from attacks.judging.check import Check, Effort, Found
from attacks.judging.outcome import Outcome
from securenb.privacy.sensitivity import Adjacency

ADJACENCIES: tuple[Adjacency, ...] = ("add-remove", "replace-one")
FIRST = 1e-3
"""Chance that a first look alarms about a sound release: then there is another with fresh randomness."""
CONFIRMED = 1e-3
"""Chance that any alarm of all tests together is false."""
LONGEST = 1 << 12
"""Runs that are asked for at once."""

Data = Mapping[str, Sequence[float]]
"""`x`: numbers, one a record; `y`: classes 0 and 1; `bounds`: the public bounds of x."""


def data(x: Sequence[float], y: Sequence[int] | None = None) -> Data:
    """Records between the bounds 0 and 1; by default classes alternate."""
    return {
        "x": list(x),
        "y": [at % 2 for at in range(len(x))] if y is None else list(y),
        "bounds": [0.0, 1.0],
    }


@dataclass(frozen=True)
class Private:
    """One release of an adapter.

    Attributes
    ----------
    adjacency
        Which data sets are neighbours in its claim.
    delta
        Of its claim.
    size_public
        Whether the number of records may be known: `yes`, `no`, or `unsaid` in its documents.
    """

    adapter: Adapter
    name: str
    adjacency: Adjacency
    delta: float = 0.0
    size_public: str = "unsaid"

    @classmethod
    def read(cls, adapter: Adapter, declared: Any) -> "Private":
        """From an entry of `releases()`; a `BrokenAdapterError` says what is wrong."""
        known = {"name", "adjacency", "delta", "size_public"}
        if not isinstance(declared, Mapping) or not {"name", "adjacency"} <= set(declared) <= known:
            raise BrokenAdapterError(
                f"releases() gives dictionaries with name, adjacency, and perhaps delta and size_public; "
                f"got {declared!r}"
            )
        found = cls(adapter, **declared)
        if found.adjacency not in ADJACENCIES or found.size_public not in ("yes", "no", "unsaid"):
            raise BrokenAdapterError(
                f"release {found.name!r}: adjacency is {' or '.join(ADJACENCIES)}"
                ", and size_public yes, no or unsaid"
            )
        return found

    def claim(self, adjacency: Adjacency, epsilon: float) -> Approximate | None:
        """What it claims under an adjacency; to replace a record is to remove one and add one."""
        if adjacency == self.adjacency:
            return Approximate(epsilon, self.delta)
        if adjacency == "replace-one" and self.delta == 0:
            return Approximate(2 * epsilon)
        return None

    def runs(self, given: Data, epsilon: float, count: int) -> list[Any]:
        """Fresh runs; one that raised is `None`.

        Raises
        ------
        HangError
            If there is no answer in time.
        BrokenAdapterError
            If there are not as many as were asked for.
        """
        answer = self.adapter.ask("release", name=self.name, data=given, epsilon=epsilon, runs=count)
        if answer.ended is Outcome.HANGS:
            raise HangError(answer.said)
        if answer.ended is not None:
            return [None] * count
        if not isinstance(answer.given, list) or len(answer.given) != count:
            raise BrokenAdapterError(f"release() gives {count} runs, got {str(answer.given)[:80]!r}")
        return answer.given


class HangError(Exception):
    """A release did not end."""


class Through(Release):
    """A release on pairs of neighbours, as the audit wants it."""

    def __init__(self, private: Private, pairs: Mapping[str, tuple[Data, Data]], epsilon: float) -> None:
        self.name, self.pairs = private.name, list(pairs)
        self._private, self._inputs, self._epsilon = private, list(pairs.values()), epsilon
        self.count = 0

    def run(self, pair: int, side: int, count: int, seed: int, seconds: float) -> Mapping[str, Any]:
        """See `Release.run`; randomness is the release's own."""
        kinds = ["returns", "raises"]
        outcomes, lengths, values = array.array("d"), array.array("d"), array.array("d")
        until, batch = time.monotonic() + seconds, 16
        while len(outcomes) < count and (not outcomes or time.monotonic() < until):
            begun = time.monotonic()
            batch = min(batch, count - len(outcomes))
            for given in self._private.runs(self._inputs[pair][side], self._epsilon, batch):
                before = len(values)
                if given is not None:
                    try:
                        numbers(given, values)
                    except Unreadable as error:
                        raise BrokenAdapterError(str(error)) from None
                outcomes.append(float(given is None))
                lengths.append(len(values) - before)
            took = max(time.monotonic() - begun, 1e-4)
            # batches of half a second at most: an audit must be able to end
            batch = max(1, min(LONGEST, int(batch * min(8.0, 0.5 / took))))
        self.count += len(outcomes)
        return {"kinds": kinds, "outcomes": outcomes, "lengths": lengths, "values": values, "said": ""}

    def tape(self, pair: int, side: int, answers: Sequence[float]) -> None:
        """Noise is not recorded: an adapter's code draws where it likes."""


Pairs = Mapping[str, tuple[Data, Data]]


class Neighbours(Check):
    """Audits a release on pairs of neighbours, under both adjacencies."""

    kind = "releases"
    concerns = "privacy"
    refusable: ClassVar[bool] = True
    """Whether refusing one of two inputs is an answer, and no event that tells them apart."""

    @abstractmethod
    def pairs(self, adjacency: Adjacency) -> Pairs:
        """Neighbours by name; none if there are none of the kind."""

    def run(self, subject: Private, effort: Effort) -> Iterator[Found]:
        """See `Check.run`."""
        for adjacency in ADJACENCIES:
            yield replace(self._found(subject, adjacency, effort), adjacency=adjacency)

    def _found(self, subject: Private, adjacency: Adjacency, effort: Effort) -> Found:
        pairs = self.pairs(adjacency)
        case = "; ".join(pairs)
        claim = subject.claim(adjacency, effort.epsilon)
        if not pairs:
            return Found("", Outcome.NOT_APPLICABLE, "there are no such neighbours")
        if claim is None or (adjacency == "add-remove" and subject.size_public == "yes"):
            return Found(case, Outcome.NOT_APPLICABLE, f"it claims nothing under {adjacency}")
        try:
            return self._look(subject, pairs, claim, effort)
        except HangError as error:
            return Found(case, Outcome.HANGS, str(error))

    def _look(self, subject: Private, pairs: Pairs, claim: Approximate, effort: Effort) -> Found:
        case = "; ".join(pairs)
        tried: dict[str, tuple[Data, Data]] = {}
        for name, both in pairs.items():
            refuses = [all(run is None for run in subject.runs(side, effort.epsilon, 5)) for side in both]
            if not any(refuses) or (not all(refuses) and not self.refusable):
                tried[name] = both
        if not tried:
            return Found(case, Outcome.REFUSED, "such data are refused, in every run", runs=10 * len(pairs))
        case = "; ".join(tried)
        through = Through(subject, tried, effort.epsilon)
        found = audited(through, claim, effort, effort.seed, FIRST)
        if found.verdict != "FAIL":
            outcome = Outcome.RIGHT if found.verdict == "PASS" else Outcome.INCONCLUSIVE
            bound = round(min(found.bound or 0.0, claim.epsilon), 3)
            said = f"at least {bound:g} is shown, {claim.epsilon:g} is claimed"
            return Found(case, outcome, said, bound=bound, runs=through.count)
        again = audited(through, claim, effort, effort.seed + 1, CONFIRMED / effort.tests)
        if again.verdict != "FAIL":
            said = "a first look alarmed, a second one did not"
            return Found(case, Outcome.INCONCLUSIVE, said, runs=through.count)
        return Found(
            case, Outcome.WRONG, again.evidence, bound=round(again.bound or 0.0, 3), runs=through.count
        )


def audited(through: Through, claim: Approximate, effort: Effort, seed: int, alpha: float) -> Finding:
    """The worst finding of an audit."""
    found = list(audit_release(through, claim, seed, alpha, runs=effort.runs, seconds=effort.seconds))
    order = ("FAIL", "INCONCLUSIVE", "PASS")
    return min(found, key=lambda finding: (order.index(finding.verdict), finding.check))
