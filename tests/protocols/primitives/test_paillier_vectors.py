"""Known answers of packing, encryption and shared decryption, and what must be refused."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from gmpy2 import mpz
from phe import PaillierPrivateKey

from protocols.primitives.packing import Slots
from protocols.primitives.paillier import PublicKey, check_ciphertexts, decrypt, encrypt, product
from protocols.primitives.randomisers import short_powers
from protocols.primitives.shared_decryption import SharedKey, combine, partial_decryptions
from protocols.ring import Capacity

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "paillier.json").read_text())


def numbers(texts, base=16):
    return [mpz(text, base) for text in texts]


P, Q, N, BASE = numbers(VECTORS["key"].values())
KEY = PublicKey(N, BASE)
PRIVATE = PaillierPrivateKey(KEY.phe, int(P), int(Q))
SHARED = VECTORS["shared"]


def plain(texts):
    return [number % N for number in numbers(texts, 10)]


@pytest.mark.parametrize("case", VECTORS["encryption"])
def test_encryption(case):
    sealed = encrypt(KEY, numbers(case["plaintexts"], 10), short_powers(KEY, numbers(case["exponents"])))
    assert sealed == numbers(case["ciphertexts"])
    assert decrypt(KEY, PRIVATE, sealed) == plain(case["plaintexts"])


def test_product():
    case = VECTORS["product"]
    together = product(KEY, [numbers(vector) for vector in case["vectors"]])
    assert together == numbers(case["product"])
    assert decrypt(KEY, PRIVATE, together) == plain(case["sums"])


@pytest.mark.parametrize("why", VECTORS["bad_ciphertexts"])
def test_bad_ciphertexts_are_refused(why):
    bad = mpz(VECTORS["bad_ciphertexts"][why], 16)
    with pytest.raises(ValueError, match="ciphertext 1 "):
        check_ciphertexts(KEY, [mpz(1), bad])
    with pytest.raises(ValueError, match="ciphertext 0 "):
        decrypt(KEY, PRIVATE, [bad])


def slots_of(case, length):
    return Slots(length, Capacity(case["bound"], case["nodes"], case["tail"]), case["bits"])


@pytest.mark.parametrize("case", VECTORS["packing"], ids=lambda case: f"{case['width']} bits a slot")
def test_packing(case):
    slots = slots_of(case, len(case["sum"]))
    assert (slots.width, slots.per_plaintext) == (case["width"], case["slots"])
    packed = [slots.pack(np.array(vector)) for vector in case["vectors"]]
    assert packed == [numbers(plaintexts, 10) for plaintexts in case["plaintexts"]]
    modulus = (mpz(1) << case["bits"]) - 1
    sums = [sum(column) % modulus for column in zip(*packed, strict=True)]
    assert slots.unpack(sums, modulus, len(packed)).tolist() == case["sum"]


def test_slots_wider_than_the_ring_cannot_be_asked_for():
    with pytest.raises(ValueError, match="sums could wrap"):
        Capacity(bound=1537228672809129301, nodes=3, tail=4611686018427387903)


@pytest.mark.parametrize("case", VECTORS["bad_plaintexts"]["cases"], ids=lambda case: case["why"])
def test_bad_plaintexts_are_refused(case):
    slots = slots_of(VECTORS["bad_plaintexts"], VECTORS["bad_plaintexts"]["length"])
    with pytest.raises(ValueError, match="counter|overfull"):
        slots.unpack([mpz(case["plaintext"]) % N], N, case["count"])


def test_shared_decryption():
    key = SharedKey(KEY, mpz(SHARED["base"], 16), tuple(numbers(SHARED["checks"])))
    ciphertexts = numbers(SHARED["ciphertexts"])
    partials = [partial_decryptions(key, share, ciphertexts) for share in numbers(SHARED["shares"])]
    assert partials == [numbers(each) for each in SHARED["partials"]]
    for holder, share in enumerate(numbers(SHARED["shares"])):
        assert partial_decryptions(key, share, [key.base])[0] == key.checks[holder] ** 2 % KEY.n_squared
    for chosen in combinations(range(3), SHARED["quorum"]):
        assert combine(key, {i: partials[i] for i in chosen}) == plain(SHARED["plaintexts"])
