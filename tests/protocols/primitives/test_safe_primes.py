import gmpy2
import numpy as np
import pytest

from protocols.entropy import seeded
from protocols.primitives.safe_primes import _primes, _residues, _sieved, safe_prime


@pytest.mark.parametrize("bits", [32, 33, 64, 257, 512, 520])
def test_a_safe_prime_is_one_and_has_its_two_top_bits_set(bits):
    entropy = seeded(bits)("prime")
    for _ in range(4):
        prime = safe_prime(bits, entropy)
        assert gmpy2.is_prime(prime)
        assert gmpy2.is_prime((prime - 1) // 2)
        assert prime.bit_length() == bits
        assert prime >> (bits - 2) == 3


def test_the_same_entropy_gives_the_same_prime_and_the_next_draw_another():
    first, second = seeded(1)("prime"), seeded(1)("prime")
    assert safe_prime(128, first) == safe_prime(128, second)
    assert safe_prime(128, first) != safe_prime(128, seeded(2)("prime"))
    assert len({safe_prime(128, first) for _ in range(20)}) == 20


def test_too_few_bits_are_refused():
    with pytest.raises(ValueError, match="got 31"):
        safe_prime(31, seeded(1)("prime"))


def test_the_sieve_keeps_exactly_what_has_no_small_factor():
    start, width, limit = gmpy2.mpz((1 << 90) + 1), 3000, 600
    start += (5 - start) % 6
    kept = _sieved(start, width, limit)
    primes = [p for p in range(5, limit) if gmpy2.is_prime(p)]
    for offset in range(width):
        half = start + 6 * offset
        clean = all(half % p and (2 * half + 1) % p for p in primes)
        assert kept[offset] == clean, offset


def test_residues_are_remainders():
    primes = _primes(1 << 12)
    assert primes[:3].tolist() == [5, 7, 11]
    assert np.array_equal(primes, [p for p in range(5, 1 << 12) if gmpy2.is_prime(p)])
    number = gmpy2.mpz(7) ** 300 + 12345
    assert _residues(number, primes).tolist() == [int(number % p) for p in primes.tolist()]
