"""Prio3: a vector is shared among aggregators with proofs of its validity, verified and summed.

Source: draft-irtf-cfrg-vdaf-20, section 7. The names are the draft's; what travels is bytes in the
draft's encoding, so malformed input is a `ValueError` at the door. Aggregator 0 is the leader, who gets
explicit shares; the others, the helpers, get seeds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from protocols.primitives.vdaf.field import Elements
from protocols.primitives.vdaf.flp import Circuit, decide, prove, query
from protocols.primitives.vdaf.xof import SEED_BYTES, Xof, tag

NONCE_BYTES = 16

_SHARE, _PROOF, _JOINT, _PROVE, _QUERY, _JOINT_SEED, _JOINT_PART = range(1, 8)


@dataclass(frozen=True, eq=False)
class State:
    """What an aggregator keeps between the two steps of verification."""

    output: Elements
    joint_seed: bytes


@dataclass(frozen=True, eq=False)
class Prio3:
    """One instance of Prio3.

    Parameters
    ----------
    algorithm
        The identifier that separates this instance from others (32 bits).
    circuit
        What is valid.
    shares
        How many aggregators, 2 to 255.
    proofs
        How many independent proofs, 1 to 255: soundness errors multiply.
    context
        What the instance is used for; shares made in another context do not verify.
    """

    algorithm: int
    circuit: Circuit
    shares: int = 2
    proofs: int = 1
    context: bytes = b""

    def __post_init__(self) -> None:
        if not 2 <= self.shares <= 255 or not 1 <= self.proofs <= 255:
            raise ValueError(f"needs 2 to 255 shares and 1 to 255 proofs, got {self.shares}, {self.proofs}")

    @property
    def random_bytes(self) -> int:
        """Bytes of randomness that `shard` uses."""
        return SEED_BYTES * (self.shares * (2 if self.circuit.joint else 1))

    def shard(self, encoded: Elements, nonce: bytes, randomness: bytes) -> tuple[bytes, list[bytes]]:
        """The public share and every aggregator's input share of an encoded measurement.

        An invalid measurement can be shared just as well; it will not verify.
        """
        if len(nonce) != NONCE_BYTES or len(randomness) != self.random_bytes:
            raise ValueError(
                f"expected a nonce of {NONCE_BYTES} and randomness of {self.random_bytes} bytes, "
                f"got {len(nonce)} and {len(randomness)}"
            )
        field = self.circuit.field
        seeds = _pieces(randomness)
        blinds = [b""] * self.shares
        helpers = [b""]
        for helper in range(1, self.shares):
            helpers.append(next(seeds))
            if self.circuit.joint:
                blinds[helper] = next(seeds)
        if self.circuit.joint:
            blinds[0] = next(seeds)
        prove_seed = next(seeds)

        leader = encoded
        parts = [b""] * self.shares
        for helper in range(1, self.shares):
            share = self._helper_vector(helper, helpers[helper])
            leader = field.sub(leader, share)
            parts[helper] = self._joint_part(helper, blinds[helper], share, nonce)
        parts[0] = self._joint_part(0, blinds[0], leader, nonce)
        public = b"".join(parts)

        prove_rands = self._expand(
            _PROVE, prove_seed, bytes([self.proofs]), self.circuit.gadget.arity * self.proofs
        )
        joints = self._joints(self._joint_seed(public))
        proofs = np.concatenate(
            [
                prove(self.circuit, encoded, rand, joint)
                for rand, joint in zip(prove_rands.reshape(self.proofs, -1), joints, strict=True)
            ]
        )
        for helper in range(1, self.shares):
            proofs = field.sub(proofs, self._helper_proofs(helper, helpers[helper]))
        shares = [field.encode(leader) + field.encode(proofs) + blinds[0]]
        shares += [helpers[helper] + blinds[helper] for helper in range(1, self.shares)]
        return public, shares

    def verify_init(
        self, verify_key: bytes, aggregator: int, nonce: bytes, public: bytes, share: bytes
    ) -> tuple[State, bytes]:
        """An aggregator's state and verifier share for one report; `ValueError` if it is malformed."""
        vector, proofs, blind = self._opened(aggregator, share)
        seeds = SEED_BYTES * self.shares if self.circuit.joint else 0
        if len(public) != seeds:
            raise ValueError(f"a public share has {seeds} bytes, got {len(public)}")
        part = self._joint_part(aggregator, blind, vector, nonce)
        # one's own part is computed, never believed
        at = aggregator * SEED_BYTES
        joint_seed = self._joint_seed(public[:at] + part + public[at + SEED_BYTES :])
        binder = bytes([self.proofs]) + nonce
        queries = self._expand(_QUERY, verify_key, binder, self.circuit.query_length * self.proofs)
        verifiers = [
            query(self.circuit, vector, proof, randomness, joint, self.shares)
            for proof, randomness, joint in zip(
                proofs.reshape(self.proofs, -1),
                queries.reshape(self.proofs, -1),
                self._joints(joint_seed),
                strict=True,
            )
        ]
        encoded = self.circuit.field.encode(np.concatenate(verifiers))
        return State(self.circuit.truncate(vector), joint_seed), encoded + part

    def verifier_shares_to_message(self, shares: Sequence[bytes]) -> bytes:
        """What the aggregators' verifier shares say together; `ValueError` if a proof fails."""
        field, body = self.circuit.field, self._verifier_body
        total = field.zeros(self.circuit.verifier_length * self.proofs)
        for share in shares:
            if len(share) != self.verifier_bytes:
                raise ValueError(f"a verifier share has {self.verifier_bytes} bytes, got {len(share)}")
            total = field.add(total, field.decode(share[:body]))
        for verifier in total.reshape(self.proofs, -1):
            decide(self.circuit, verifier)
        return self._joint_seed(self.public_of(shares))

    def verify_next(self, state: State, message: bytes) -> Elements:
        """The output share; `ValueError` if the joint randomness was not honest."""
        if message != state.joint_seed:
            raise ValueError("the joint randomness is not what the shares give")
        return state.output

    def public_of(self, shares: Sequence[bytes]) -> bytes:
        """The public share that all aggregators' verifier shares belong to.

        If a report's is another, some aggregator's `verify_next` will fail.
        """
        return b"".join(share[self._verifier_body :] for share in shares)

    @property
    def verifier_bytes(self) -> int:
        """Bytes of a verifier share."""
        return self._verifier_body + (SEED_BYTES if self.circuit.joint else 0)

    @property
    def share_bytes(self) -> int:
        """Bytes of the leader's input share, the longest."""
        elements = self.circuit.length + self.circuit.proof_length * self.proofs
        return elements * self.circuit.field.size + (SEED_BYTES if self.circuit.joint else 0)

    @property
    def _verifier_body(self) -> int:
        return self.circuit.verifier_length * self.proofs * self.circuit.field.size

    def _opened(self, aggregator: int, share: bytes) -> tuple[Elements, Elements, bytes]:
        """Vector, proofs and blind of an input share."""
        blind = SEED_BYTES if self.circuit.joint else 0
        body = SEED_BYTES if aggregator else self.share_bytes - blind
        if len(share) != body + blind:
            raise ValueError(f"an input share has {body + blind} bytes, got {len(share)}")
        if aggregator:
            seed = share[:body]
            vector, proofs = self._helper_vector(aggregator, seed), self._helper_proofs(aggregator, seed)
        else:
            both = self.circuit.field.decode(share[:body])
            vector, proofs = both[: self.circuit.length], both[self.circuit.length :]
        return vector, proofs, share[body:]

    def _expand(self, usage: int, seed: bytes, binder: bytes, count: int) -> Elements:
        stream = Xof(seed, tag(self.algorithm, usage, self.context), binder)
        return stream.elements(self.circuit.field, count)

    def _helper_vector(self, helper: int, seed: bytes) -> Elements:
        return self._expand(_SHARE, seed, bytes([helper]), self.circuit.length)

    def _helper_proofs(self, helper: int, seed: bytes) -> Elements:
        binder = bytes([self.proofs, helper])
        return self._expand(_PROOF, seed, binder, self.circuit.proof_length * self.proofs)

    def _joint_part(self, aggregator: int, blind: bytes, vector: Elements, nonce: bytes) -> bytes:
        if not self.circuit.joint:
            return b""
        binder = bytes([aggregator]) + nonce + self.circuit.field.encode(vector)
        return Xof(blind, tag(self.algorithm, _JOINT_PART, self.context), binder).read(SEED_BYTES)

    def _joint_seed(self, parts: bytes) -> bytes:
        if not self.circuit.joint:
            return b""
        return Xof(bytes(SEED_BYTES), tag(self.algorithm, _JOINT_SEED, self.context), parts).read(SEED_BYTES)

    def _joints(self, seed: bytes) -> Elements:
        """Joint randomness of every proof, (proofs, joint)."""
        if not self.circuit.joint:
            return self.circuit.field.zeros((self.proofs, 0))
        binder = bytes([self.proofs])
        return self._expand(_JOINT, seed, binder, self.circuit.joint * self.proofs).reshape(self.proofs, -1)


def _pieces(randomness: bytes) -> Iterator[bytes]:
    """Seeds cut from random bytes."""
    return (randomness[at : at + SEED_BYTES] for at in range(0, len(randomness), SEED_BYTES))
