import pytest
from gmpy2 import mpz
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.entropy import seeded
from protocols.primitives.paillier import encrypt, generate
from protocols.primitives.plaintext_knowledge import (
    proof_bytes,
    prove_knowledge,
    verify_knowledge,
    verifying_power,
)
from protocols.primitives.randomisers import short_exponents, short_powers

ENTROPY = seeded(8)("node")
KEY, _ = generate(256, seeded(8)("key holder"))
N, MODULUS = KEY.n, KEY.n_squared
CONTEXT = b"session, node"


def sealed(values):
    """Ciphertexts, plaintexts and exponents."""
    plaintexts, exponents = [mpz(v) for v in values], short_exponents(KEY, len(values), ENTROPY)
    return encrypt(KEY, plaintexts, short_powers(KEY, exponents)), plaintexts, exponents


def proof_of(ciphertexts, plaintexts, exponents, context=CONTEXT):
    return prove_knowledge(KEY, ciphertexts, plaintexts, exponents, context, ENTROPY)


def holds(ciphertexts, proof, context=CONTEXT):
    power = verifying_power(KEY, len(ciphertexts), 1)
    return verify_knowledge(KEY, ciphertexts, context, proof, power)


OWN = sealed([5, -7, 0])
PROOF = proof_of(*OWN)
VICTIMS = sealed([100, 200, 300])


@settings(deadline=None)
@given(st.lists(st.integers(-(1 << 250), 1 << 250), min_size=1, max_size=6), st.sampled_from([1, 50]))
def test_who_knows_what_is_encrypted_can_prove_it(values, proofs):
    mine = sealed(values)
    proof = proof_of(*mine)
    assert len(proof) == proof_bytes(KEY, len(values))
    power = verifying_power(KEY, len(values), proofs)
    assert verify_knowledge(KEY, mine[0], CONTEXT, proof, power)


def test_a_proof_is_for_one_context_and_one_vector():
    assert holds(OWN[0], PROOF)
    assert proof_of(*OWN) != PROOF
    assert not holds(OWN[0], PROOF, b"another node")
    assert not holds(OWN[0][::-1], PROOF)
    assert not holds(OWN[0][:2], PROOF)
    assert not holds(VICTIMS[0], PROOF)


FORGED = {
    "a copy": VICTIMS[0],
    "a power": [c * c % MODULUS for c in VICTIMS[0]],
    "a copy, randomised again": [
        c * r % MODULUS for c, r in zip(VICTIMS[0], short_powers(KEY, OWN[2]), strict=True)
    ],
    "a copy, with its own added": [c * o % MODULUS for c, o in zip(VICTIMS[0], OWN[0], strict=True)],
    "one ciphertext of another": [*OWN[0][:2], VICTIMS[0][2]],
    "a plaintext changed afterwards": [*OWN[0][:2], OWN[0][2] * (1 + N) % MODULUS],
}


@pytest.mark.parametrize("ciphertexts", FORGED.values(), ids=FORGED)
def test_what_somebody_else_encrypted_cannot_be_proven(ciphertexts):
    assert not holds(ciphertexts, PROOF)
    assert not holds(ciphertexts, proof_of(*VICTIMS, context=b"session, victim"))
    # with all that the forger knows: its own plaintexts and exponents
    assert not holds(ciphertexts, proof_of(ciphertexts, OWN[1], OWN[2]))


def test_altered_proofs_are_refused():
    for at in (0, 31, 32, 60, len(PROOF) - 1):
        assert not holds(OWN[0], PROOF[:at] + bytes([PROOF[at] ^ 1]) + PROOF[at + 1 :])
    for wrong in (b"", PROOF[:-1], PROOF + b"\0", bytes(len(PROOF)), b"\xff" * len(PROOF)):
        assert not holds(OWN[0], wrong)
