"""Every bug that releases have been caught with is planted, and found at the levels that should find it."""

from dataclasses import dataclass, fields, replace
from fractions import Fraction

import numpy as np
import pytest
from small_release import SCHEMA, federation, nodes, target

from attacks.audit.federation_target import FederationTarget
from attacks.audit.finding import worst
from attacks.audit.run import run_audit
from protocols.opened import Opened
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.privacy.distributions import Polya
from securenb.privacy.mechanism import Charge
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace

ADD, REPLACE = "add-remove", "replace-one"


def verdicts(subject, adjacency=ADD, levels=("L0", "L1", "L2"), trials=60_000):
    audit = run_audit(subject, adjacency, levels, seed=3, trials=trials)
    return {level: worst([f for f in audit.findings if f.level == level]) for level in levels}, audit


def failing(audit, level):
    return [finding for finding in audit.findings if finding.level == level and finding.verdict == "FAIL"]


class LocalSensitivity(FederationTarget):
    """Scales the noise of sums to what the node holds."""

    def release(self, records, noise):
        values = Node("node", records).statistics(SCHEMA).vector().copy()
        mechanism = self.federation.mechanism
        for line in self.lines():
            scale = mechanism.scale(SCHEMA, line.block)
            if line.block.kind in ("sum", "squares"):
                most = np.abs(records.codes[:, 1] - 4).max(initial=0)
                scale = scale * (Fraction(int(most), 4) or Fraction(1, 100))
            values[line.columns] += noise.polya(scale, Fraction(1), len(line.columns))
        return values


def test_noise_scaled_to_the_data_is_seen_in_a_replay():
    found, audit = verdicts(target(LocalSensitivity), levels=("L1",))
    assert found["L1"] == "FAIL"
    assert any("noise depends on the data" in finding.evidence for finding in failing(audit, "L1"))


@dataclass(frozen=True)
class HalfScale(DiscreteLaplace):
    """Adds half the noise that it charges for."""

    def noise(self, schema, block, among, shares=1):
        return Polya(self.scale(schema, block) / 2, Fraction(shares, among))

    def charge(self, schema, among, shares=None):
        return Charge(self.epsilon, 2 * self.epsilon)


def test_half_the_noise_is_seen_in_the_ledger_and_in_a_replay():
    found, _ = verdicts(target(mechanism=HalfScale(Fraction(1))), levels=("L0", "L1"))
    assert found == {"L0": "FAIL", "L1": "FAIL"}


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(1, 4)])
def test_half_the_noise_behind_a_sound_ledger_is_seen_in_a_replay_and_in_the_statistics(epsilon):
    sound = target(mechanism=DiscreteLaplace(epsilon))

    class Behind(FederationTarget):
        def lines(self):
            return sound.lines()

        def capacity(self):
            return sound.capacity()

    found, _ = verdicts(target(Behind, mechanism=HalfScale(epsilon)), trials=200_000)
    assert found == {"L0": "PASS", "L1": "FAIL", "L2": "FAIL"}


class MissingCell(FederationTarget):
    """Forgets the noise of one cell."""

    def release(self, records, noise):
        values = super().release(records, noise)
        values[2] = Node("node", records).statistics(SCHEMA).vector()[2]
        return values


def test_a_cell_without_noise_is_seen_in_a_replay_and_in_the_statistics():
    found, audit = verdicts(target(MissingCell))
    assert (found["L0"], found["L1"]) == ("PASS", "FAIL")
    assert "coordinate 2 is released without noise" in failing(audit, "L1")[0].evidence


class EmptyClass(FederationTarget):
    """Adds no noise to a class that the node does not hold."""

    def release(self, records, noise):
        table = super().release(records, noise).reshape(2, -1).copy()
        table[np.bincount(records.labels, minlength=2) == 0] = 0
        return table.ravel()


def test_an_empty_class_without_noise_is_seen_in_a_replay():
    found, audit = verdicts(target(EmptyClass), levels=("L0", "L1"))
    assert found == {"L0": "PASS", "L1": "FAIL"}
    assert any("released without noise" in finding.evidence for finding in failing(audit, "L1"))


@dataclass(frozen=True)
class FloatNoise:
    scale: float


class FloatLaplace(FederationTarget):
    """Adds a floating-point Laplace variable, as numpy draws it."""

    def lines(self):
        return [replace(line, law=FloatNoise(float(line.law.scale))) for line in super().lines()]

    def release(self, records, noise):
        exact = Node("node", records).statistics(SCHEMA).vector().astype(float)
        return exact + np.random.default_rng(1).laplace(size=len(exact))

    def sample(self, records, columns, trials, rng):
        exact = Node("node", records).statistics(SCHEMA).vector()[columns]
        scales = np.concatenate([[float(line.law.scale)] * len(line.columns) for line in super().lines()])
        return exact + rng.laplace(0.0, scales[columns], size=(trials, len(columns)))


def test_floating_point_noise_is_seen_in_the_ledger_and_in_a_replay():
    found, audit = verdicts(target(FloatLaplace), levels=("L0", "L1"))
    assert found == {"L0": "FAIL", "L1": "FAIL"}
    assert any("is not integer-valued" in finding.evidence for finding in failing(audit, "L0"))


class FloatCount(FloatLaplace):
    """An audit of one count, 0 against 1."""

    def sample(self, records, columns, trials, rng):
        one = int(len(records.labels) > 20)
        return one + rng.laplace(0.0, 20.0, size=(trials, len(columns)))


def test_the_low_bits_of_floating_point_noise_are_seen_in_the_statistics():
    found, audit = verdicts(target(FloatCount), levels=("L2",))
    assert found["L2"] == "FAIL"
    assert any("whole multiples" in finding.evidence for finding in failing(audit, "L2"))


class CountsOnAll(Federation):
    """Sizes noise shares by all nodes, though a third of them may drop out."""

    @property
    def noise(self):
        plan = super().noise

        class Careless(type(plan)):
            def honest(self, size):
                return size

        return Careless(**{each.name: getattr(plan, each.name) for each in fields(plan) if each.init})


def test_noise_that_counts_on_nodes_that_may_drop_out_is_seen_in_the_ledger():
    found, audit = verdicts(target(kind=FederationTarget, count=9), levels=("L0",))
    assert found["L0"] == "PASS"
    careless = FederationTarget(federation(CountsOnAll), nodes(9), "group")
    found, audit = verdicts(careless, levels=("L0",))
    assert found["L0"] == "FAIL"
    assert "9 shares make a dose, 7 honest ones are guaranteed" in failing(audit, "L0")[0].evidence


@dataclass(frozen=True)
class ForgotTwo(DiscreteLaplace):
    """Charges replacing a record like adding one."""

    def charge(self, schema, among, shares=None):
        return Charge(self.epsilon, self.epsilon)


def test_a_forgotten_factor_two_is_seen_under_replace_one_at_every_level():
    found, _ = verdicts(target(mechanism=ForgotTwo(Fraction(1))), REPLACE, ("L0", "L1", "L3"), 60_000)
    assert found == {"L0": "FAIL", "L1": "FAIL", "L3": "FAIL"}
    # whichever adjacency is asked about: the ledger's charges are recomputed under both
    assert verdicts(target(mechanism=ForgotTwo(Fraction(1))), levels=("L0",))[0]["L0"] == "FAIL"


class Twice(Federation):
    """Opens every row of a session twice."""

    def open(self, contributions, *arguments, **choices):
        once = super().open(contributions, *arguments, **choices)
        rows = np.concatenate([once.opened.rows] * 2)
        return replace(once, opened=Opened(rows, once.opened.members * 2, once.opened.lost))


def test_a_second_release_of_a_session_is_seen_in_the_ledger():
    found, audit = verdicts(FederationTarget(federation(Twice), nodes(), "group"), levels=("L0",))
    assert found["L0"] == "FAIL"
    assert "no node is charged for row 1 of 9 nodes" in failing(audit, "L0")[0].evidence
