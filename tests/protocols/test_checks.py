"""The checks of a protocol's contract hold for ours, and catch a fault of every kind."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from protocols.checks import PROMISES, check_protocol
from protocols.contract import BrokenContract, check_all, expect, refused, said
from protocols.opened import Opened, opened_sums
from protocols.protocol import PROTOCOLS
from protocols.schemes import plain
from protocols.schemes.plain import Plain
from protocols.session import Session


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_our_protocols_keep_the_contract(name):
    assert check_protocol(PROTOCOLS[name]) == tuple(map(said, PROMISES))


def with_aggregator(change):
    """Plain, with another aggregator."""

    @dataclass(frozen=True)
    class Mutant(Plain):
        """A mutant."""

        def aggregator(self, session, entropy):
            return change(self, session)

    return Mutant


class OffByOne(plain._Aggregator):
    def deadline(self):
        super().deadline()
        self.output.rows[0, 0] += 1
        return []


class ForgetsOne(plain._Aggregator):
    def deadline(self):
        got = dict(self._vectors.received)
        got.pop(self._session.nodes[3], None)
        self.output = opened_sums(self._session, got, lambda size: 1)
        return []


class TakesTwice(plain._Aggregator):
    def handle(self, envelope):
        if envelope.sender in self._vectors.received:
            return []  # without a word of blame
        return super().handle(envelope)


class OpensTooFew(plain._Aggregator):
    def deadline(self):
        self.output = opened_sums(self._session, self._vectors.received, lambda size: 1)
        return []


class OpensZeros(plain._Aggregator):
    def deadline(self):
        groups = self._session.groups
        rows = np.zeros((len(groups), self._session.length), np.int64)
        self.output = Opened(rows, groups)
        return []


class WaitsForEver(plain._Aggregator):
    def deadline(self):
        if not self._vectors.complete:
            return []
        return super().deadline()


class Changing(plain._Node):
    def start(self):
        said = super().start()
        self._vector += 1
        return said


@dataclass(frozen=True)
class ChangesVectors(Plain):
    """A mutant."""

    def node(self, me, vector, session, entropy):
        return Changing(me, vector)


@dataclass(frozen=True)
class HidesAParameter(Plain):
    """A mutant."""

    strict: bool = False

    def __repr__(self):
        return "HidesAParameter()"


@dataclass(frozen=True)
class TakesAnySession(Plain):
    """A mutant."""

    def session(self, groups, length, capacity, session_id, context=b""):
        return Session(session_id, repr(self), groups, length, capacity, context)


@dataclass(frozen=True)
class TakesAnyVector(Plain):
    """A mutant."""

    def check_vectors(self, vectors, session, *, complete=False):
        pass


@dataclass(frozen=True)
class Unsaid(Plain):
    claims = replace(Plain.claims, trust=" ")


@dataclass(frozen=True)
class DrawsNoise(Plain):
    """A mutant."""

    def node(self, me, vector, session, entropy):
        return plain._Node(me, vector + np.int64(entropy(1)[0] % 2))


@dataclass(frozen=True)
class Overflowing(Plain):
    """A mutant."""

    def frame_limit(self, session):
        return 40


def test_plain_and_a_careful_subclass_keep_it():
    kept = check_protocol(Plain)
    assert len(kept) == len(PROMISES) >= 9
    assert check_protocol(with_aggregator(plain._Aggregator)) == kept


@pytest.mark.parametrize(
    ("mutant", "broken"),
    [
        (with_aggregator(OffByOne), "opens the exact sum"),
        (with_aggregator(ForgetsOne), "opens the exact sum"),
        (with_aggregator(TakesTwice), "is blamed on its sender"),
        (with_aggregator(OpensTooFew), "exact sums of enough members"),
        (with_aggregator(OpensZeros), "opens the exact sum"),
        (with_aggregator(WaitsForEver), "may be missing from the beginning"),
        (ChangesVectors, "vectors are left as they were"),
        (HidesAParameter, "different parameters have different digests"),
        (TakesAnySession, "without nodes, with a node twice"),
        (TakesAnyVector, "Vectors that are missing"),
        (Unsaid, "claims what it shows"),
        (DrawsNoise, "Other keys and masks open the same rows"),
        (Overflowing, "is blamed on its sender"),
    ],
)
def test_a_fault_of_every_kind_is_caught(mutant, broken):
    with pytest.raises(BrokenContract) as caught:
        check_protocol(mutant)
    assert broken in str(caught.value)


def test_what_cannot_be_refused_or_expected_is_said():
    with pytest.raises(BrokenContract, match="seven is not refused"), refused("seven"):
        pass
    with pytest.raises(BrokenContract, match="does not name 'x'"), refused("seven", "x"):
        raise ValueError("y")
    with pytest.raises(BrokenContract, match="a case"):
        expect([], "a case")

    def breaks(_subject):
        """It divides."""
        return 1 / 0

    with pytest.raises(BrokenContract, match="int breaks its contract\n- It divides: ZeroDivisionError"):
        check_all(3, [breaks])
