"""What was asked for up to a delta, recomputed by Google's accountant from the laws in our ledger."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from attacks.audit.asked_level import audit_asked
from attacks.audit.federation_target import FederationTarget
from protocols.schemes.ideal import Ideal
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.privacy.mechanisms.discrete_gaussian import DiscreteGaussian
from securenb.privacy.mechanisms.skellam import Skellam
from securenb.robust.rules.sum import Sum
from securenb.schema.features import Categorical, Numeric
from securenb.schema.records import Records
from securenb.schema.schema import Schema

pytest.importorskip("dp_accounting", reason="dp-accounting is not installed (extra `oracle`)")

SCHEMA = Schema(("a", "b"), (Categorical("colour", ("x", "y", "z")), Numeric("size", 0, 10, steps=8)))
NOTHING = Records(np.zeros((0, 2), dtype=np.int32), np.zeros(0, dtype=np.int32))


def asked(mechanism, epsilon):
    federation = Federation(SCHEMA, Ideal(), mechanism, Sum(), seed=1)
    nodes = [Node(f"node-{index}", NOTHING) for index in range(9)]
    return audit_asked(FederationTarget(federation, nodes, epsilon=Fraction(epsilon)))


@pytest.mark.parametrize(("epsilon", "delta"), [("1", 1e-6), ("4", 1e-6), ("1/4", 1e-4), ("1", 1e-12)])
@pytest.mark.parametrize("kind", [Skellam, DiscreteGaussian])
def test_our_charges_are_no_less_and_little_more_than_theirs(kind, epsilon, delta):
    found = asked(kind.from_epsilon(Fraction(epsilon), delta), epsilon)
    assert found.verdict == "PASS"
    assert 0.88 * Fraction(epsilon) < found.bound <= Fraction(epsilon)  # Rényi bounds are not tight


@dataclass(frozen=True)
class HalfSkellam(Skellam):
    """Half the standard deviation of the noise that it promises."""

    def noise(self, schema, block, among, shares=1):
        law = super().noise(schema, block, among, shares)
        return type(law)(law.variance / 4)


@dataclass(frozen=True)
class LessThanHalf(DiscreteGaussian):
    """Seven tenths of it."""

    def noise(self, schema, block, among, shares=1):
        law = super().noise(schema, block, among, shares)
        return type(law)(law.variance / 2, law.terms)


@pytest.mark.parametrize(("kind", "times"), [(HalfSkellam, 2), (LessThanHalf, 2**0.5)])
def test_too_little_noise_costs_more_than_was_asked_for(kind, times):
    found = asked(kind.from_epsilon(1, 1e-6), 1)
    assert found.verdict == "FAIL"
    assert 0.9 * times < found.bound < 1.2 * times


def test_noise_too_wide_for_doubles_is_said_not_to_be_recomputed():
    found = asked(Skellam.from_epsilon(Fraction(1, 50), 1e-5), "1/50")
    assert (found.verdict, found.evidence) == ("PASS", "not recomputed: no table of such noise")
