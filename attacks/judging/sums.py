"""A scheme for secure sums behind an adapter, and what a sum may be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attacks.judging.adapter import Adapter, Answer, BrokenAdapterError
from attacks.judging.check import Found
from attacks.judging.outcome import Outcome

LENGTH = 5
"""Of vectors."""

Vectors = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Summed:
    """What a run gave.

    Attributes
    ----------
    sum
        Whole numbers, one a coordinate.
    members
        Which clients are in it, where the scheme says so.
    sent
        What the server received from each client, in any form that can be compared; `None` if not given.
    opened
        Vectors that an adversary computed from what it saw, where a tamper is an attack.
    """

    sum: list[int]
    members: list[int] | None
    sent: list[Any] | None
    opened: list[Any]


class Scheme:
    """One scheme of an adapter.

    Attributes
    ----------
    lowest, highest
        The values that a client may send.
    stages
        In which a client can fall silent.
    tampers
        Names of what an adapter can do to a run.
    clients
        The most that it can be run with here.
    """

    def __init__(self, adapter: Adapter, name: str, declared: Any) -> None:
        known = {"lowest", "highest", "stages", "tampers", "clients"}
        if not isinstance(declared, Mapping) or not {"lowest", "highest"} <= set(declared) <= known:
            raise BrokenAdapterError(
                f"scheme {name!r} says lowest, highest, and of {sorted(known)} no others"
            )
        self.adapter, self.name = adapter, name
        self.lowest, self.highest = declared["lowest"], declared["highest"]
        if type(self.lowest) is not int or type(self.highest) is not int or self.lowest >= self.highest:
            raise BrokenAdapterError(f"scheme {name!r}: lowest and highest are whole numbers, in this order")
        self.stages: list[str] = list(declared.get("stages", ()))
        self.tampers: list[str] = list(declared.get("tampers", ()))
        self.clients = int(declared.get("clients", 1 << 30))

    def vectors(self, n: int, rng: np.random.Generator) -> list[list[int]]:
        """Vectors of n clients whose sum is between lowest and highest, too."""
        # towards zero, so that n of them stay within
        low, high = -(-self.lowest // n) if self.lowest < 0 else self.lowest, max(self.highest // n, 1)
        return [[between(low, high, rng) for _ in range(LENGTH)] for _ in range(n)]

    def run(
        self,
        vectors: Vectors,
        silent: Mapping[str, Any] | None = None,
        tamper: Mapping[str, Any] | None = None,
    ) -> Answer:
        """One run; the answer gives `Summed`.

        Raises
        ------
        BrokenAdapterError
            If what the adapter returned is none.
        """
        answer = self.adapter.ask("run", scheme=self.name, vectors=vectors, silent=silent, tamper=tamper)
        return answer if answer.ended is not None else Answer(_read(answer.given))


def _read(given: Any) -> Summed:
    whole = given if isinstance(given, Mapping) else {"sum": given}
    numbers = whole.get("sum")
    if not isinstance(numbers, list) or any(type(value) is not int for value in numbers):
        raise BrokenAdapterError(
            f"run() gives whole numbers, or a dictionary with them as `sum`; got {str(given)[:80]!r}"
        )
    members, sent, opened = (whole.get(name) for name in ("members", "sent", "opened"))
    for name, value in (("members", members), ("sent", sent), ("opened", opened)):
        if value is not None and not isinstance(value, list):
            raise BrokenAdapterError(f"`{name}` of run() is a list, got {type(value).__name__}")
    return Summed(numbers, members, sent, opened or [])


def between(low: int, high: int, rng: np.random.Generator) -> int:
    """A whole number of any size, about uniform, both ends included."""
    return low + int.from_bytes(rng.bytes(40), "little") % (high - low + 1)


def total(vectors: Vectors, members: Sequence[int] | None = None) -> list[int]:
    """The sum of some clients' vectors, by default of all."""
    chosen = vectors if members is None else [vectors[at] for at in members]
    return [sum(column) for column in zip(*chosen, strict=True)]


def judged(case: str, answer: Answer, vectors: Vectors, silent: Sequence[int] = ()) -> Found:
    """What a run came to: right if it is the sum of all clients, or of all but those that fell silent.

    A scheme that says who is in its sum is held to that.
    """
    if answer.ended is not None:
        return Found(case, answer.ended, answer.said, runs=1)
    summed: Summed = answer.given
    if any(vector in [list(each) for each in vectors] for vector in summed.opened):
        return Found(case, Outcome.OPENED, "the vector of one client", runs=1)
    loud = [at for at in range(len(vectors)) if at not in silent]
    try:
        allowed = (
            [total(vectors), total(vectors, loud)]
            if summed.members is None
            else [total(vectors, summed.members)]
        )
    except (IndexError, TypeError, ValueError):
        raise BrokenAdapterError(f"`members` are numbers of clients, got {summed.members!r}") from None
    if summed.members is not None and len(set(summed.members)) < len(summed.members):
        return Found(case, Outcome.WRONG, "a client counts twice", runs=1)
    if summed.sum in allowed:
        return Found(case, Outcome.RIGHT, runs=1)
    off = [got - want for got, want in zip(summed.sum, allowed[-1], strict=False)]
    if len(summed.sum) != len(allowed[-1]):
        return Found(case, Outcome.WRONG, f"{len(summed.sum)} numbers for {len(allowed[-1])}", runs=1)
    worst = max(off, key=abs)
    return Found(case, Outcome.WRONG, f"off by up to {_short(worst)}", runs=1)


def _short(value: int) -> str:
    return str(value) if abs(value) < 10**12 else f"about 2^{abs(value).bit_length()}"


def tampered(scheme: Scheme, names: Sequence[str], rng: np.random.Generator) -> list[Found]:
    """Runs of five clients, the second of which is tampered with; one finding a name."""
    found = []
    for name in names:
        if name not in scheme.tampers:
            found.append(Found(name, Outcome.NOT_APPLICABLE, "the adapter has no such stage or message"))
            continue
        vectors = scheme.vectors(5, rng)
        answer = scheme.run(vectors, tamper={"kind": name, "client": 1})
        found.append(judged(name, answer, vectors, silent=[1]))
    return found
