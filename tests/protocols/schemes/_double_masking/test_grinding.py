"""An aggregator draws session after session until the circle suits its accomplices: what that gets it.

Plans at toy sizes of the stated chance, so that the tries can be made.
"""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
import pytest

from protocols.primitives.neighbour_plan import part_of, plan
from protocols.ring import Capacity
from protocols.schemes.secagg_plus import SecAggPlus

SIZE = 150
NODES = tuple(f"node-{i}" for i in range(SIZE))


@dataclass(frozen=True)
class Toy(SecAggPlus):
    """Sized so that one draw is bad with a probability that can be seen."""

    corrupt: float = 0.2
    dropout: float = 0.0
    security_bits: int = 4
    tries_bits: int = 4

    def plan(self, size):
        return plan(
            size,
            self.corrupt,
            self.dropout,
            malicious=True,
            security_bits=self.security_bits,
            tries_bits=self.tries_bits,
        )


def bad_draws(protocol, tries):
    """For each of so many sessions, whether its circle gives the corrupt nodes more than was counted on."""
    session = protocol.session((NODES,), 1, Capacity(1, SIZE), bytes(16))
    planned = protocol.plan(SIZE)
    holders = planned.neighbours + 1
    # the most corrupt neighbours that the threshold withstands, by the conditions of the proof
    most = min(
        (3 * planned.threshold - 2 * holders - 2) // 2, planned.threshold - planned.neighbours // 2 - 2
    )
    corrupt = np.arange(SIZE) < part_of(SIZE, protocol.corrupt)  # chosen before any session
    bad = []
    for number in range(tries):
        graph, _ = protocol.graph(replace(session, id=number.to_bytes(16, "big")), 0)
        circle = corrupt[graph._order[:SIZE]].astype(int)
        around = np.convolve(np.concatenate([circle, circle[: holders - 1]]), np.ones(holders, int), "valid")
        centre = np.roll(circle, -(holders // 2))
        bad.append(bool((around[centre == 0] > most).any()))
    return np.array(bad), planned


@pytest.mark.parametrize(("security_bits", "tries_bits"), [(4, 4), (4, 8)])
def test_grinding_stays_below_the_stated_chance_times_the_tries(security_bits, tries_bits):
    protocol = Toy(security_bits=security_bits, tries_bits=tries_bits)
    tries = 1 << 11
    bad, planned = bad_draws(protocol, tries)
    assert (planned.draw_bits, planned.tries_bits) == (security_bits + tries_bits, tries_bits)
    assert planned.neighbours + 1 < SIZE
    expected = tries / 2**planned.draw_bits
    assert bad.sum() <= expected + 3 * sqrt(expected) + 3
    # a whole season of tries: how often does any of them suit?
    seasons = bad.reshape(-1, 1 << tries_bits).any(axis=1)
    assert seasons.mean() <= 2**-security_bits + 3 * sqrt(2**-security_bits / len(seasons))


def test_a_plan_for_one_draw_is_ground_down():
    """Why the tries are counted: sized for one honest draw, many draws find a bad one."""
    protocol = Toy(security_bits=4, tries_bits=0)
    bad, planned = bad_draws(protocol, 1 << 10)
    assert planned.draw_bits == 4
    assert bad.any()
