import dataclasses
from itertools import combinations

import pytest
from gmpy2 import mpz
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.entropy import seeded
from protocols.primitives.paillier import encrypt, product
from protocols.primitives.randomisers import short_randomisers
from protocols.primitives.shared_decryption import (
    Proof,
    combine,
    deal,
    partial_decryptions,
    prove,
    verify,
)

ENTROPY = seeded(3)("dealer")
KEY, SHARES = deal(256, 5, 3, ENTROPY)
N = KEY.public.n
CONTEXT = b"session, group"


def seal(values):
    return encrypt(KEY.public, [mpz(v) for v in values], short_randomisers(KEY.public, len(values), ENTROPY))


CIPHERTEXTS = seal([5, -7, 0])
PARTIALS = [partial_decryptions(KEY, share, CIPHERTEXTS) for share in SHARES]


@pytest.mark.parametrize(("holders", "quorum"), [(1, 1), (2, 2), (3, 2), (5, 3), (9, 4)])
def test_any_quorum_decrypts(holders, quorum):
    key, shares = deal(128, holders, quorum, seeded(holders)("dealer"))
    sealed = encrypt(key.public, [mpz(-3)], short_randomisers(key.public, 1, ENTROPY))
    partials = [partial_decryptions(key, share, sealed) for share in shares]
    for size in range(1, holders + 1):
        for chosen in combinations(range(holders), size):
            answers = {holder: partials[holder] for holder in chosen}
            if size >= quorum:
                assert combine(key, answers) == [key.public.n - 3]
            else:
                with pytest.raises(ValueError, match="do not fit together"):
                    combine(key, answers)


@settings(deadline=None)
@given(st.lists(st.integers(-(1 << 250), 1 << 250), min_size=1, max_size=3), st.permutations(range(5)))
def test_sums_are_decrypted_by_whoever_answers_first(values, order):
    together = product(KEY.public, [seal(values), seal([1] * len(values))])
    answers = {holder: partial_decryptions(KEY, SHARES[holder], together) for holder in order[:3]}
    assert combine(KEY, answers) == [(value + 1) % N for value in values]


def test_checks_are_what_the_shares_make_of_the_base():
    for share, check in zip(SHARES, KEY.checks, strict=True):
        assert partial_decryptions(KEY, share, [KEY.base]) == [check * check % KEY.public.n_squared]


def proven(holder=1, ciphertexts=CIPHERTEXTS, partials=None, context=CONTEXT, share=None):
    partials = PARTIALS[holder] if partials is None else partials
    share = SHARES[holder] if share is None else share
    return prove(KEY, holder, share, ciphertexts, partials, context, ENTROPY)


def test_right_partial_decryptions_are_proven():
    for holder in range(5):
        assert verify(KEY, holder, CIPHERTEXTS, PARTIALS[holder], CONTEXT, proven(holder))
    assert proven() != proven()


def changed(partials, at, factor):
    altered = list(partials)
    altered[at] = altered[at] * factor % KEY.public.n_squared
    return altered


WRONG = {
    "a plaintext added": changed(PARTIALS[1], 2, 1 + N),
    "a plaintext added to the first": changed(PARTIALS[1], 0, 1 + 5 * N),
    "another holder's": PARTIALS[2],
    "one of another holder": [*PARTIALS[1][:2], PARTIALS[2][2]],
    "in another order": PARTIALS[1][::-1],
    "the ciphertexts": CIPHERTEXTS,
    "ones": [mpz(1)] * 3,
    "two errors that cancel": changed(changed(PARTIALS[1], 0, 1 + N), 1, 1 - N),
}


@pytest.mark.parametrize("partials", WRONG.values(), ids=WRONG)
def test_wrong_partial_decryptions_cannot_be_proven(partials):
    assert not verify(KEY, 1, CIPHERTEXTS, partials, CONTEXT, proven())
    assert not verify(KEY, 1, CIPHERTEXTS, partials, CONTEXT, proven(partials=partials))
    assert not verify(KEY, 1, CIPHERTEXTS, partials, CONTEXT, proven(partials=partials, share=SHARES[2]))


def test_a_wrong_partial_decryption_may_still_fit_together_so_the_proof_is_needed():
    answers = {0: PARTIALS[0], 1: WRONG["a plaintext added"], 2: PARTIALS[2]}
    assert combine(KEY, answers)[:2] == [5, N - 7]
    assert combine(KEY, answers)[2] != 0


def test_a_proof_is_for_one_context_holder_and_statement():
    proof = proven()
    others = seal([5, -7, 0])
    assert not verify(KEY, 1, CIPHERTEXTS, PARTIALS[1], b"another session", proof)
    assert not verify(KEY, 0, CIPHERTEXTS, PARTIALS[1], CONTEXT, proof)
    assert not verify(KEY, 1, others, PARTIALS[1], CONTEXT, proof)
    assert not verify(KEY, 1, CIPHERTEXTS[:2], PARTIALS[1][:2], CONTEXT, proof)
    assert not verify(KEY, 1, CIPHERTEXTS, PARTIALS[1][:2], CONTEXT, proof)


def test_altered_proofs_are_refused():
    proof = proven()
    flipped = bytes([proof.challenge[0] ^ 1]) + proof.challenge[1:]
    for bad in (
        dataclasses.replace(proof, challenge=flipped),
        dataclasses.replace(proof, challenge=b""),
        dataclasses.replace(proof, challenge=proof.challenge + b"\0"),
        dataclasses.replace(proof, response=proof.response + 1),
        dataclasses.replace(proof, response=mpz(0)),
        dataclasses.replace(proof, response=-proof.response),
        dataclasses.replace(proof, response=mpz(1) << 8 * KEY.response_bytes),
        Proof(bytes(32), mpz(0)),
    ):
        assert not verify(KEY, 1, CIPHERTEXTS, PARTIALS[1], CONTEXT, bad)


def test_responses_fit_into_their_bytes():
    for holder in range(5):
        proof = proven(holder)
        assert proof.response < 1 << 8 * KEY.response_bytes
        assert len(proof.challenge) == 32


@pytest.mark.parametrize(("holders", "quorum"), [(3, 0), (3, 4), (0, 0), (0, 1)])
def test_impossible_quorums_are_refused(holders, quorum):
    with pytest.raises(ValueError, match=f"{holders} holders, got {quorum}"):
        deal(128, holders, quorum, ENTROPY)


def test_the_same_entropy_deals_the_same():
    assert deal(128, 3, 2, seeded(1)("d")) == deal(128, 3, 2, seeded(1)("d"))
    assert deal(128, 3, 2, seeded(1)("d")) != deal(128, 3, 2, seeded(2)("d"))
