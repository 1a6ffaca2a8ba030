"""Fully linear proofs that a shared vector passes a validity circuit.

Source: draft-irtf-cfrg-vdaf-20, section 7.3 (BBCGGI19, theorem 4.3). Polynomials are given by their
values at roots of unity throughout. We restrict circuits to one gadget whose inputs are affine in the
vector; every standard circuit is of this form, and it lets a whole circuit be evaluated at once.
"""

from abc import ABC, abstractmethod

import numpy as np

from protocols.primitives.vdaf.field import Elements, Field
from protocols.primitives.vdaf.gadget import Gadget
from protocols.primitives.vdaf.ntt import completed, doubled, evaluated, next_power


class Circuit(ABC):
    """What makes an encoded measurement valid, and what of it is summed.

    Attributes
    ----------
    field
        Where it computes.
    gadget, calls
        Its non-linear piece and how often it is used.
    length
        Elements of an encoded measurement.
    outputs
        Elements of what is summed.
    joint
        Elements of joint randomness.
    checks
        Elements of `checked`, all zero for a valid measurement.
    families
        Names and numbers of consecutive checks that are tested as one: a verifier says which family
        fails, and nothing of a valid measurement, where all vanish. The draft's circuits have one.
    """

    field: Field
    gadget: Gadget
    calls: int
    length: int
    outputs: int
    joint: int
    checks: int

    @abstractmethod
    def wires(self, encoded: Elements, joint: Elements, shares: int) -> Elements:
        """The gadget's inputs in every call, (arity, calls), of one of so many additive shares."""

    @abstractmethod
    def checked(self, encoded: Elements, products: Elements, joint: Elements, shares: int) -> Elements:
        """What must vanish, (checks,), given the gadget's outputs (calls,)."""

    @abstractmethod
    def truncate(self, encoded: Elements) -> Elements:
        """The part (outputs,) of an encoded measurement that is summed; linear."""

    @property
    def families(self) -> tuple[tuple[str, int], ...]:
        """All checks together."""
        return (("some check", self.checks),)

    @property
    def points(self) -> int:
        """Values that give a wire polynomial: a seed, then one for each call, padded."""
        return next_power(1 + self.calls)

    @property
    def gadget_values(self) -> int:
        """Values that give the gadget polynomial."""
        return self.gadget.degree * (self.points - 1) + 1

    @property
    def proof_length(self) -> int:
        """Elements of a proof."""
        return self.gadget.arity + self.gadget_values

    @property
    def query_length(self) -> int:
        """Elements of query randomness."""
        return 1 + (self.checks if self.checks > 1 else 0)

    @property
    def verifier_length(self) -> int:
        """Elements of a verifier."""
        return len(self.families) + self.gadget.arity + 1


def _wire_values(
    circuit: Circuit, encoded: Elements, seeds: Elements, joint: Elements, shares: int
) -> Elements:
    """The wire polynomials' values, (arity, points)."""
    values = circuit.field.zeros((circuit.gadget.arity, circuit.points))
    values[:, 0] = seeds
    values[:, 1 : 1 + circuit.calls] = circuit.wires(encoded, joint, shares)
    return values


def prove(circuit: Circuit, encoded: Elements, seeds: Elements, joint: Elements) -> Elements:
    """A proof (proof_length,) about the whole vector; `seeds` (arity,) hide the wires."""
    values = _wire_values(circuit, encoded, seeds, joint, 1)
    while values.shape[-1] < circuit.gadget_values:
        values = doubled(circuit.field, values)
    products = circuit.gadget.evaluate(circuit.field, values)
    return np.concatenate([seeds, products[: circuit.gadget_values]])


def query(
    circuit: Circuit, encoded: Elements, proof: Elements, randomness: Elements, joint: Elements, shares: int
) -> Elements:
    """A share of the verifier (verifier_length,) from a share of the vector and of the proof.

    Raises
    ------
    ValueError
        If the test point, which is ours, would reveal a wire; has probability below 2^-50.
    """
    field, arity = circuit.field, circuit.gadget.arity
    products = completed(field, proof[arity:])
    step = len(products) // circuit.points
    outputs = products[step::step][: circuit.calls]
    checked = circuit.checked(encoded, outputs, joint, shares)
    if circuit.checks > 1:
        starts = np.cumsum([0, *(count for _, count in circuit.families[:-1])], dtype=np.intp)
        checked = field.runs(field.mul(randomness[: circuit.checks], checked), starts)
    at = int(randomness[-1])
    if pow(at, circuit.points, field.modulus) == 1:
        raise ValueError("the test point is a root of unity")
    wires = _wire_values(circuit, encoded, proof[:arity], joint, shares)
    tested = evaluated(field, products, at).reshape(1)
    return np.concatenate([checked, evaluated(field, wires, at), tested])


def decide(circuit: Circuit, verifier: Elements) -> None:
    """Raise `ValueError`, naming what fails, unless the summed verifier is that of a valid vector."""
    families = len(circuit.families)
    tested = circuit.gadget.evaluate(circuit.field, verifier[families:-1, np.newaxis])
    if tested[0] != verifier[-1]:
        raise ValueError("the proof does not hold: it is inconsistent")
    failing = [name for (name, _), value in zip(circuit.families, verifier, strict=False) if value]
    if failing:
        raise ValueError(f"the proof does not hold: {', '.join(failing)}")
