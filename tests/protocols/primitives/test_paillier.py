import gmpy2
import pytest
from gmpy2 import mpz
from hypothesis import given, settings
from hypothesis import strategies as st
from phe import EncodedNumber, EncryptedNumber

from protocols.entropy import seeded
from protocols.primitives.paillier import (
    PublicKey,
    check_ciphertexts,
    ciphertexts_from_bytes,
    ciphertexts_to_bytes,
    decrypt,
    encrypt,
    generate,
    key_pair_from_bytes,
    key_pair_to_bytes,
    product,
    random_unit,
)
from protocols.primitives.randomisers import short_randomisers, uniform_randomisers

KEY, PRIVATE = generate(512, seeded(4)("key holder"))
N = int(KEY.n)
P, Q = int(PRIVATE.p), int(PRIVATE.q)
ENTROPY = seeded(5)("node")
MAKERS = [uniform_randomisers, short_randomisers]

MALFORMED = {
    "zero": 0,
    "n": N,
    "a multiple of n": 12345 * N,
    "n² - n": N * N - N,
    "p": P,
    "a multiple of q": 77 * Q,
    "p²": P * P,
    "n²": N * N,
    "above n²": N * N + 1,
    "negative": -5,
}


def seal(values, make=short_randomisers):
    return encrypt(KEY, [mpz(value) for value in values], make(KEY, len(values), ENTROPY))


# keys


def test_a_key_is_a_product_of_two_safe_primes_with_the_bits_asked_for():
    assert KEY.bits == 512
    for prime in (P, Q):
        assert prime.bit_length() == 256
        assert gmpy2.is_prime(prime)
        assert gmpy2.is_prime(prime // 2)
    assert P != Q
    assert P * Q == N


def test_the_base_is_an_nth_power_of_full_order():
    assert gmpy2.powmod(KEY.base, (P - 1) * (Q - 1) // 2, KEY.n_squared) == 1
    for order in ((P - 1) // 2, (Q - 1) // 2, 2):
        assert gmpy2.powmod(KEY.base, (P - 1) * (Q - 1) // 2 // order, KEY.n_squared) != 1
    # -x² has Jacobi symbol 1 but is no square
    assert gmpy2.jacobi(KEY.base % N, N) == 1
    assert gmpy2.legendre(KEY.base % P, P) == -1


def test_the_same_entropy_gives_the_same_key():
    again, _ = generate(512, seeded(4)("key holder"))
    other, _ = generate(512, seeded(5)("key holder"))
    assert again == KEY
    assert other.n != KEY.n


@pytest.mark.parametrize("bits", [0, 112, 520, 1000])
def test_key_sizes_that_do_not_fit_are_refused(bits):
    with pytest.raises(ValueError, match=f"got {bits}"):
        generate(bits, ENTROPY)


def test_a_key_survives_the_wire():
    n, base = KEY.to_bytes()
    assert (len(n), len(base)) == (64, 128)
    assert PublicKey.from_bytes(n, base, 512) == KEY


def test_bad_keys_are_refused():
    n, base = KEY.to_bytes()
    even = (KEY.n - 1).to_bytes(64, "big")
    for bad_n, bad_base, named in [
        (n[1:], base, "512 bits"),
        (b"\0" + n, base, "512 bits"),
        (b"\0" + n[1:], base, "512 bits"),
        (even, base, "512 bits"),
        (n, base[1:], "127 bytes"),
        (n, bytes(128), "not between"),
        (n, bytes(64) + n, "in common"),
        (n, b"\xff" * 128, "not between"),
    ]:
        with pytest.raises(ValueError, match=named):
            PublicKey.from_bytes(bad_n, bad_base, 512)


# arithmetic


@settings(deadline=None)
@given(st.lists(st.integers(-(1 << 510), 1 << 510), min_size=1, max_size=4), st.sampled_from(MAKERS))
def test_what_is_encrypted_is_decrypted_also_by_phe(values, make):
    sealed = seal(values, make)
    assert decrypt(KEY, PRIVATE, sealed) == [value % N for value in values]
    assert [PRIVATE.raw_decrypt(int(c)) for c in sealed] == [value % N for value in values]


@settings(deadline=None)
@given(st.lists(st.integers(-(1 << 500), 1 << 500), min_size=1, max_size=5))
def test_products_are_ciphertexts_of_sums(values):
    together = product(KEY, [seal([value, -value]) for value in values])
    assert decrypt(KEY, PRIVATE, together) == [sum(values) % N, -sum(values) % N]


def test_what_phe_encrypts_is_decrypted_here():
    theirs = KEY.phe.encrypt(-12345)
    assert decrypt(KEY, PRIVATE, [mpz(theirs.ciphertext())]) == [N - 12345]
    ours = EncryptedNumber(KEY.phe, int(seal([41])[0]), exponent=0) + 1
    assert PRIVATE.decrypt(ours) == 42
    assert EncodedNumber(KEY.phe, int(decrypt(KEY, PRIVATE, seal([-3]))[0]), 0).decode() == -3


def test_multiplying_leaves_its_input_alone():
    one = seal([1, 2])
    before = list(one)
    product(KEY, [one, seal([3, 4])])
    assert one == before


def test_equal_plaintexts_have_different_ciphertexts():
    assert len(set(seal([7] * 50))) == 50


def test_too_few_randomisers_are_refused():
    with pytest.raises(ValueError, match="2 plaintexts need as many randomisers, got 1"):
        encrypt(KEY, [mpz(1), mpz(2)], short_randomisers(KEY, 1, ENTROPY))


def test_a_random_unit_is_a_unit_below_n():
    small = mpz(15)
    drawn = {int(random_unit(small, ENTROPY)) for _ in range(300)}
    assert drawn == {1, 2, 4, 7, 8, 11, 13, 14}


# what is malformed


def test_ciphertexts_survive_the_wire():
    sealed = [mpz(1), KEY.n_squared - 1, *seal([5, 6])]
    data = ciphertexts_to_bytes(KEY, sealed)
    assert len(data) == 4 * KEY.ciphertext_bytes
    assert ciphertexts_from_bytes(KEY, data, 4) == sealed


@pytest.mark.parametrize("bad", MALFORMED.values(), ids=MALFORMED)
@pytest.mark.parametrize("at", [0, 3, 6])
def test_a_malformed_ciphertext_is_found_among_good_ones_and_named(bad, at):
    sealed = seal(range(7))
    check_ciphertexts(KEY, sealed)
    sealed[at] = mpz(bad)
    with pytest.raises(ValueError, match=f"ciphertext {at} "):
        check_ciphertexts(KEY, sealed)
    with pytest.raises(ValueError, match=f"ciphertext {at} "):
        decrypt(KEY, PRIVATE, sealed)
    if 0 <= bad < 1 << (8 * KEY.ciphertext_bytes):
        data = b"".join(int(c).to_bytes(KEY.ciphertext_bytes, "big") for c in sealed)
        with pytest.raises(ValueError, match=f"ciphertext {at} "):
            ciphertexts_from_bytes(KEY, data, 7)


def test_a_wrong_number_of_bytes_is_refused():
    data = ciphertexts_to_bytes(KEY, seal([1, 2]))
    for wrong in (b"", data[:-1], data + b"\0", data[: KEY.ciphertext_bytes]):
        with pytest.raises(ValueError, match="are not 2 ciphertexts"):
            ciphertexts_from_bytes(KEY, wrong, 2)


def test_a_bare_decryption_of_a_multiple_of_n_would_give_the_key_away_and_ours_refuses():
    for factor in (0, 1, 12345):
        leaked = PRIVATE.raw_decrypt(factor * N)
        assert gmpy2.invert(leaked, N) == P + Q  # p + q and p · q: the key
        with pytest.raises(ValueError, match="ciphertext 0"):
            decrypt(KEY, PRIVATE, [mpz(factor * N)])


def test_a_key_pair_is_read_back_as_it_was_written():
    for seed in range(20):  # some primes of 128 bits, some bases with leading zeros
        public, private = generate(256, seeded(seed)("key"))
        assert key_pair_from_bytes(key_pair_to_bytes(public, private)) == (public, private)
