"""The contract of a mechanism as checks: whole doses, planned tails, and the epsilon that was asked for."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from protocols.contract import BrokenContract, Promise, check_all, expect, refused
from securenb.checks.rule import SCHEMA
from securenb.privacy.cost import epsilon_at
from securenb.privacy.mechanism import Mechanism
from securenb.privacy.samplers import FastNoise

DELTA = 1e-6
SAMPLES = 2000


@dataclass(frozen=True)
class Made:
    """A mechanism that can be made for any epsilon.

    Attributes
    ----------
    of
        Makes it.
    name
        For people.
    """

    of: Callable[[float | str], Mechanism]
    name: str
    kind: type[Mechanism]


def _noise(seed: int) -> FastNoise:
    return FastNoise(np.random.default_rng(seed))


def adds_noise_to_every_cell(made: Made) -> None:
    """Every cell gets noise, empty ones included; the same stream gives the same, another another."""
    mechanism = made.of("0.1")
    shares = np.array([mechanism.share(SCHEMA, 1, _noise(seed)) for seed in range(200)])
    expect(shares.shape == (200, SCHEMA.length) and shares.dtype == np.int64, f"shares are {shares.dtype}")
    again = mechanism.share(SCHEMA, 1, _noise(0))
    expect(np.array_equal(shares[0], again), "the same stream gives other noise the second time")
    still = np.flatnonzero(shares.std(axis=0) == 0)
    expect(not len(still), f"coordinates {still.tolist()} never get any noise")


def shares_make_one_dose(made: Made) -> None:
    """As many shares as a dose counts on have the variance of one dose, and no bias."""
    mechanism, noise = made.of(1), _noise(7)
    if not mechanism.divides:
        with refused("two shares of a dose that does not divide", "no shares"):
            mechanism.share(SCHEMA, 2, noise)
        return
    doses = np.array([mechanism.share(SCHEMA, 1, noise) for _ in range(SAMPLES)])
    for among in (2, 5):
        parts = [
            np.sum([mechanism.share(SCHEMA, among, noise) for _ in range(among)], axis=0)
            for _ in range(SAMPLES)
        ]
        together = np.array(parts)
        ratio = together.var(axis=0) / doses.var(axis=0)
        # the variance of 2000 samples of kurtosis up to 6 has relative error 0.05; six of them for a ratio
        off = float(np.abs(ratio - 1).max())
        expect(off < 6 * 0.05 * 2**0.5, f"{among} shares have {ratio.round(2)} times the variance of a dose")
        bias = np.abs(together.mean(axis=0)) / (together.std(axis=0) / SAMPLES**0.5)
        expect(bias.max() < 6, f"{among} shares have a mean of {together.mean(axis=0).round(1)}")


def draws_the_law_that_it_states(made: Made) -> None:
    """What is drawn has the variance of the law that the ledger charges."""
    mechanism, noise = made.of(1), _noise(9)
    among = 3 if mechanism.divides else 1
    drawn = np.array([mechanism.share(SCHEMA, among, noise) for _ in range(SAMPLES)])
    table = drawn.var(axis=0).reshape(len(SCHEMA.classes), SCHEMA.width)
    for block in SCHEMA.blocks:
        law = mechanism.noise(SCHEMA, block, among)
        expect(law is not None, f"it states no noise for {block}")
        stated = 0.0 if law is None else law.spread()
        ratio = float(table[:, block.columns].mean()) / stated
        expect(abs(ratio - 1) < 6 * 0.1, f"{block} gets {ratio:.2f} times the variance of the stated law")


def stays_within_the_tail(made: Made) -> None:
    """Sums of shares stay within the tail that the planner counts on."""
    mechanism, noise = made.of(1), _noise(2)
    among = 3 if mechanism.divides else 1
    tail = mechanism.tail(SCHEMA, among, 9)
    for _ in range(300):
        total = np.sum([mechanism.share(SCHEMA, among, noise) for _ in range(9)], axis=0)
        expect(
            (np.abs(total) <= tail).all(), f"nine shares add up to {np.abs(total).max()}, the tail is {tail}"
        )


def costs_what_was_asked(made: Made) -> None:
    """A dose costs at most the epsilon that it was made for, and hardly less; a part of it costs more."""
    for epsilon in ("0.01", "1", "10"):
        for among in (1, 6) if made.of(epsilon).divides else (1,):
            asked, charge = Fraction(epsilon), made.of(epsilon).charge(SCHEMA, among)
            paid = charge.add_remove
            case = f"made for {epsilon} among {among} it costs {None if paid is None else float(paid)}"
            if paid is None or charge.replace_one is None:
                raise BrokenContract(case)
            expect(asked * Fraction(99, 100) <= paid <= asked, case)
            both = charge.replace_one / paid
            expect(1 <= both <= 3, f"{case}; replacing a record costs {float(both):.3g} times that")
    mechanism = made.of(1)
    if mechanism.divides:
        costs = [mechanism.charge(SCHEMA, 8, count).add_remove or Fraction(0) for count in (1, 4, 7, 8, 12)]
        falling = costs[0] > costs[1] > costs[2] > costs[3] >= costs[4]
        expect(falling, f"with 1, 4, 7, 8 and 12 of 8 shares a row costs {[float(cost) for cost in costs]}")
    costs_of = [mechanism.cost(SCHEMA, "add-remove", 1, 1, cap) for cap in (1, 10)]
    one, ten = (Fraction(0) if c is None else epsilon_at(c, mechanism.delta) or Fraction(0) for c in costs_of)
    expect(ten >= 10 * one * Fraction(99, 100), f"ten records at once cost {float(ten)}, one {float(one)}")


def refuses_what_it_cannot_promise(made: Made) -> None:
    """An epsilon that is no positive number, a delta without use and a dose of no shares are refused."""
    for epsilon in (0, -1, float("nan"), float("inf"), "much"):
        with refused(f"epsilon {epsilon}", "epsilon"):
            made.of(epsilon)
    deltas = (0.0, 1.0, -1e-6, None) if made.kind.needs_delta else (DELTA,)
    for delta in deltas:
        with refused(f"delta {delta}", "delta"):
            made.kind.from_epsilon(1, delta)
    with refused("a dose of no shares"):
        made.of(1).share(SCHEMA, 0, _noise(1))


def says_what_it_adds(made: Made) -> None:
    """It is documented."""
    expect(inspect.getdoc(made.kind), "the class has no docstring")


PROMISES: tuple[Promise[Made], ...] = (
    adds_noise_to_every_cell,
    shares_make_one_dose,
    draws_the_law_that_it_states,
    stays_within_the_tail,
    costs_what_was_asked,
    refuses_what_it_cannot_promise,
    says_what_it_adds,
)


def of_kind(kind: type[Mechanism]) -> Made:
    """A class of mechanisms, made for any epsilon up to a small delta."""
    delta = DELTA if kind.needs_delta else None
    return Made(lambda epsilon: kind.from_epsilon(epsilon, delta), kind.__name__, kind)


def check_mechanism(mechanism: type[Mechanism]) -> tuple[str, ...]:
    """Try the contract on a class of mechanisms; the promises that it kept, in words.

    Raises
    ------
    BrokenContract
        With a case for each promise that is broken.
    """
    return check_all(of_kind(mechanism), PROMISES)
