"""A ledger on disk: what was released about one population of people, across runs and crashes.

Lines keep what happened, not what it came to: epsilon is composed when the file is read, see
`securenb.privacy.budget`. A line is on disk before anything is released, so a crash can lose a release that
was paid for, never a payment.

A charge is *reserved* before records are touched; *committed* before the first byte leaves that depends on
them, and then never given back, whatever becomes of the round; or *returned*, from reserved alone, by the
site that destroyed what it would have sent.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, get_args

from securenb.privacy.budget import Budget, Orders, fixed_epsilon
from securenb.privacy.chain import Chain, opened
from securenb.privacy.cost import Cost, Either, Pure, together
from securenb.privacy.event import Event
from securenb.privacy.ledger import Ledger, shown
from securenb.privacy.sensitivity import Adjacency

State = Literal["reserved", "committed", "returned"]

ENDS: dict[State, tuple[State, ...]] = {
    "reserved": ("committed", "returned"),
    "committed": (),
    "returned": (),
}
"""What may become of a charge in each state."""


@dataclass(frozen=True)
class Payment:
    """One charge.

    Attributes
    ----------
    what
        For people: which run.
    name
        What it is called by who commits it or gives it back.
    state
        Whether it counts: all do but those that were returned.
    paths
        What a record may have met: one release, or several in sequence, by one of these paths.
    epsilon, delta
        All that is known of a line of the first releases of this software, which has no paths.
    """

    what: str
    name: str
    state: State
    paths: tuple[tuple[Event, ...], ...]
    epsilon: Fraction = Fraction(0)
    delta: float = 0.0

    def cost(self, adjacency: Adjacency) -> Cost:
        """The costliest path; of an old line its epsilon."""
        if not self.paths:
            return Pure(self.epsilon if adjacency == "add-remove" else 2 * self.epsilon)
        return Either(tuple(together([event.cost(adjacency) for event in path]) for path in self.paths))


@dataclass(frozen=True)
class Account:
    """All payments of a file, and the orders that it composes at; none before the first line of these."""

    payments: tuple[Payment, ...]
    orders: Orders | None

    def epsilon(self, delta: float, more: Sequence[Payment] = ()) -> Fraction | None:
        """What was spent (add/remove) at `delta`, with `more`; `None` if nothing bounds it.

        Old lines add up, epsilons and deltas; all that follows them is one more step, at what they leave
        of delta. That too is a filter (Rogers, Roth, Ullman and Vadhan 2016, theorem 3.6).
        """
        counted = [payment for payment in (*self.payments, *more) if payment.state != "returned"]
        old = [payment for payment in counted if not payment.paths]
        before = sum((payment.epsilon for payment in old), Fraction(0))
        lost = sum(payment.delta for payment in old)
        if lost > delta:
            return None
        costs = [payment.cost("add-remove") for payment in counted if payment.paths]
        after = Fraction(0) if self.orders is None else self.orders.epsilon(costs, delta - lost)
        return None if after is None else before + after

    def fixed_epsilon(self, delta: float) -> float | None:
        """Had all rounds been fixed in advance, see `securenb.privacy.budget.fixed_epsilon`."""
        counted = [payment for payment in self.payments if payment.state != "returned"]
        if any(payment.delta for payment in counted):
            return None
        return fixed_epsilon([payment.cost("add-remove") for payment in counted], delta)

    @property
    def delta(self) -> float:
        """The deltas of old lines, added up."""
        return sum(payment.delta for payment in self.payments)


class LedgerFile:
    """The payments of one population. Whatever runs on those people must use the same file.

    Parameters
    ----------
    path
        Made by the first payment.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def payments(self) -> tuple[Payment, ...]:
        """All payments, oldest first; a `ValueError` if the file was edited."""
        return self.account().payments

    def account(self) -> Account:
        """All payments and how they compose; a `ValueError` if the file was edited."""
        with opened(self._path) as chain:
            return _account(chain)

    def head(self) -> str:
        """The hash of the last line: it fixes all lines before."""
        with opened(self._path) as chain:
            return chain.head

    def pay(self, what: str, ledger: Ledger, budget: Budget) -> Payment:
        """`reserve` and `commit` at once, for what is released in the same breath."""
        return self._charge(what, None, ledger, budget, "committed")

    def reserve(self, what: str, name: str, ledger: Ledger, budget: Budget) -> Payment:
        """Set aside what a run may cost, before records are touched.

        Parameters
        ----------
        name
            What the charge is called later; unique in the file.
        ledger
            What the run may cost, at most.
        budget
            What all runs together may cost.

        Raises
        ------
        ValueError
            If that exceeds the budget, with what was requested, spent and remains; if the run is not private,
            or only up to a delta that the budget has not; or if the file was edited. Nothing is charged then.
        OSError
            If it cannot be stored. Nothing is charged then.
        """
        return self._charge(what, name, ledger, budget, "reserved")

    def commit(self, name: str) -> None:
        """Say that what depends on records is about to leave; once it has, saying so again does nothing.

        Raises
        ------
        ValueError
            If there is no such charge, or it was returned.
        OSError
            If it cannot be stored; then nothing may leave.
        """
        self._move(name, "committed")

    def give_back(self, name: str) -> None:
        """Say that what would have been sent is destroyed, for good.

        Raises
        ------
        ValueError
            If there is no such charge, or it was committed.
        OSError
            If it cannot be stored.
        """
        self._move(name, "returned")

    def _charge(self, what: str, name: str | None, ledger: Ledger, budget: Budget, state: State) -> Payment:
        paths = ledger.paths()
        with self._accounts() as (chain, account):
            payment = Payment(what, name or f"line {len(chain.entries) + 1}", state, paths)
            if any(payment.name == earlier.name for earlier in account.payments):
                raise ValueError(f"{payment.name} was charged already in {self._path}")
            orders = account.orders or Orders.best_for(budget)
            account = replace(account, orders=orders)
            self._same_unit(account, payment)
            self._check(account, payment, budget)
            entry = _encoded(payment)
            if not any(earlier["kind"] == "orders" for earlier in chain.entries):
                chain.append(
                    {"kind": "orders", "parts": [[order, str(part)] for order, part in orders.parts]}
                )
            chain.append(entry)
        return payment

    def _check(self, account: Account, payment: Payment, budget: Budget) -> None:
        alone = Account((), account.orders).epsilon(budget.delta, [payment])
        spent, total = account.epsilon(budget.delta), account.epsilon(budget.delta, [payment])
        if alone is None or spent is None or total is None:
            if account.delta > budget.delta and spent is None:
                raise ValueError(
                    f"{self._path} has charges up to delta {account.delta:g}, and the budget is {budget}"
                )
            what = "the run" if alone is None else str(self._path)
            raise ValueError(
                f"{what} costs epsilon only up to a delta, and the budget {budget} has none: write it as "
                f"EPS,DELTA, for example {budget},1e-06"
            )
        if total > budget.epsilon:
            at = f" at delta {budget.delta:g}" if budget.delta else ""
            raise ValueError(
                f"privacy budget exceeded{at}: epsilon {shown(alone)} requested, {shown(spent)} of "
                f"{shown(budget.epsilon)} spent, {shown(max(budget.epsilon - spent, Fraction(0)))} remaining "
                f"in {self._path}"
            )

    def _same_unit(self, account: Account, payment: Payment) -> None:
        caps = [
            [event.cap for path in each.paths for event in path] or [1]
            for each in (*account.payments, payment)
        ]
        before, now = {cap for part in caps[:-1] for cap in part}, set(caps[-1])
        if before and before != now:
            raise ValueError(
                f"{self._path} protects {_unit(min(before))}, and this run is charged for {_unit(max(now))}: "
                "one ledger has one unit"
            )

    def _move(self, name: str, state: State) -> None:
        with self._accounts() as (chain, account):
            found = [payment for payment in account.payments if payment.name == name]
            if not found:
                raise ValueError(f"no charge is called {name} in {self._path}")
            if found[0].state == state:
                return
            if state not in ENDS[found[0].state]:
                raise ValueError(f"{name} is {found[0].state} in {self._path}, and stays so")
            chain.append({"kind": "state", "name": name, "state": state})

    @contextmanager
    def _accounts(self) -> Iterator[tuple[Chain, Account]]:
        with opened(self._path) as chain:
            yield chain, _account(chain)


def _unit(cap: int) -> str:
    return "single records" if cap == 1 else f"whole nodes of at most {cap} records"


def _encoded(payment: Payment) -> dict[str, Any]:
    """Events that several paths share are written once."""
    events = list(dict.fromkeys(event for path in payment.paths for event in path))
    return {
        "kind": "charge",
        "what": payment.what,
        "name": payment.name,
        "state": payment.state,
        "events": [event.encoded() for event in events],
        "paths": [[events.index(event) for event in path] for path in payment.paths],
    }


def _account(chain: Chain) -> Account:
    """What the entries say; the `ValueError` of an edited line for one that this software would not write."""
    payments: dict[str, Payment] = {}
    orders: Orders | None = None
    for number, entry in enumerate(chain.entries, start=1):
        try:
            match entry["kind"]:
                case "sum" if orders is None:
                    name = f"line {number}"
                    epsilon, delta = Fraction(entry["epsilon"]), float(entry["delta"])
                    payments[name] = Payment(entry["what"], name, "committed", (), epsilon, delta)
                case "orders" if orders is None:
                    orders = Orders(tuple((order, Fraction(part)) for order, part in entry["parts"]))
                case "charge" if orders is not None:
                    payment = _decoded(entry)
                    payments[payment.name] = payment
                case "state":
                    before = payments[entry["name"]]
                    if entry["state"] not in ENDS[before.state]:
                        raise chain.edited(number)
                    payments[before.name] = replace(before, state=entry["state"])
                case _:
                    raise chain.edited(number)
        except (ValueError, KeyError, TypeError, IndexError, ZeroDivisionError):
            raise chain.edited(number) from None
    return Account(tuple(payments.values()), orders)


def _decoded(entry: dict[str, Any]) -> Payment:
    events = [Event.decoded(values) for values in entry["events"]]
    paths = tuple(tuple(events[index] for index in path) for path in entry["paths"])
    if entry["state"] not in get_args(State) or not paths:
        raise ValueError
    return Payment(entry["what"], entry["name"], entry["state"], paths)
