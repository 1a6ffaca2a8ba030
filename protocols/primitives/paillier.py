"""Paillier's cryptosystem on the keys of `phe`, with arithmetic of its own and checks that `phe` lacks.

Source: Paillier, *Public-key cryptosystems based on composite degree residuosity classes* (EUROCRYPT
1999), with generator 1 + n and decryption by the Chinese remainder theorem (section 7). Primes are safe
primes, which the short randomisers and the threshold variant need.

A decryption is never safe by itself: a party that learns the decryption of a multiple of n learns p + q and
so the key. Hence every ciphertext passes through `ciphertexts_from_bytes` or `check_ciphertexts`, and
`decrypt` checks again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import gmpy2
from gmpy2 import mpz
from phe import PaillierPrivateKey, PaillierPublicKey
from phe.util import HAVE_GMP

from protocols.entropy import Entropy
from protocols.primitives.safe_primes import safe_prime

if not HAVE_GMP:
    # without it phe falls back to Python's integers, silently and eight times slower
    raise ImportError("phe does not see gmpy2, which securenb requires")

Ciphertexts = list[mpz]
"""Units modulo n²."""


@dataclass(frozen=True)
class PublicKey:
    """What it takes to encrypt.

    Attributes
    ----------
    n
        The modulus, a product of two safe primes.
    base
        h^n mod n² for h = -x² mod n and a random x: what short randomisers are powers of.
    """

    n: mpz
    base: mpz

    @classmethod
    def from_bytes(cls, n: bytes, base: bytes, bits: int) -> "PublicKey":
        """The key that a party sent; its maker is trusted with the factorisation, which cannot be checked.

        Raises
        ------
        ValueError
            If the modulus does not have exactly `bits` bits or is even, or the base is no unit.
        """
        key = cls(mpz(int.from_bytes(n, "big")), mpz(int.from_bytes(base, "big")))
        if key.n.bit_length() != bits or not key.n % 2 or len(n) != bits // 8:
            raise ValueError(f"the modulus is not an odd number of {bits} bits")
        if len(base) != key.ciphertext_bytes:
            raise ValueError(f"the base has {len(base)} bytes, expected {key.ciphertext_bytes}")
        check_ciphertexts(key, [key.base])
        return key

    def to_bytes(self) -> tuple[bytes, bytes]:
        """Modulus and base, big-endian, of bits / 8 and bits / 4 bytes."""
        return self.n.to_bytes(self.bits // 8, "big"), self.base.to_bytes(self.ciphertext_bytes, "big")

    @property
    def bits(self) -> int:
        """Bits of the modulus."""
        return int(self.n.bit_length())

    @property
    def ciphertext_bytes(self) -> int:
        """Bytes of one ciphertext."""
        return self.bits // 4

    @cached_property
    def n_squared(self) -> mpz:
        """The modulus of ciphertexts."""
        return self.n * self.n

    @property
    def phe(self) -> PaillierPublicKey:
        """The same key for `phe`."""
        return PaillierPublicKey(int(self.n))


def generate(bits: int, entropy: Entropy) -> tuple[PublicKey, PaillierPrivateKey]:
    """A fresh key pair.

    Parameters
    ----------
    bits
        Bits of the modulus, a multiple of 16, at least 128. Below 2048 a key is insecure.
    entropy
        Where the primes come from.

    Raises
    ------
    ValueError
        If `bits` is not such a number.
    """
    if bits < 128 or bits % 16:
        raise ValueError(f"a modulus has a multiple of 16 bits, at least 128, got {bits}")
    p = safe_prime(bits // 2, entropy)
    q = p
    while q == p:
        q = safe_prime(bits // 2, entropy)
    n = p * q
    x = random_unit(n, entropy)
    public = PublicKey(n, gmpy2.powmod(-x * x % n, n, n * n))
    return public, PaillierPrivateKey(public.phe, int(p), int(q))


def key_pair_to_bytes(public: PublicKey, private: PaillierPrivateKey) -> bytes:
    """Both primes and the base, big-endian, of bits / 16, bits / 16 and bits / 4 bytes."""
    primes = (int(prime).to_bytes(public.bits // 16, "big") for prime in (private.p, private.q))
    return b"".join((*primes, public.base.to_bytes(public.ciphertext_bytes, "big")))


def key_pair_from_bytes(data: bytes) -> tuple[PublicKey, PaillierPrivateKey]:
    """The key pair that `key_pair_to_bytes` wrote; nothing is checked."""
    size = len(data) // 6
    p, q, base = (
        mpz(int.from_bytes(part, "big")) for part in (data[:size], data[size : 2 * size], data[2 * size :])
    )
    public = PublicKey(p * q, base)
    return public, PaillierPrivateKey(public.phe, int(p), int(q))


def random_below(bound: mpz, entropy: Entropy) -> mpz:
    """A number from 0 to below `bound`; its distance from uniform is below 2^-64."""
    return mpz(int.from_bytes(entropy((bound.bit_length() + 7) // 8 + 8), "big")) % bound


def random_unit(n: mpz, entropy: Entropy) -> mpz:
    """A number below n and coprime to it; its distance from uniform is below 2^-64."""
    while True:
        drawn = random_below(n, entropy)
        if gmpy2.gcd(drawn, n) == 1:
            return drawn


def encrypt(key: PublicKey, plaintexts: Sequence[mpz], randomisers: Sequence[mpz]) -> Ciphertexts:
    """(1 + n)^m · r for each plaintext m (an integer, negative ones modulo n) and randomiser r.

    A randomiser is an n-th power modulo n² (`primitives/randomisers.py`) and is used once.

    Raises
    ------
    ValueError
        If there are not as many randomisers as plaintexts.
    """
    if len(plaintexts) != len(randomisers):
        raise ValueError(f"{len(plaintexts)} plaintexts need as many randomisers, got {len(randomisers)}")
    n, modulus = key.n, key.n_squared
    return [(1 + m % n * n) * r % modulus for m, r in zip(plaintexts, randomisers, strict=True)]


def product(key: PublicKey, vectors: Iterable[Ciphertexts]) -> Ciphertexts:
    """Ciphertexts of the sums: the products, position by position, of at least one vector."""
    modulus = key.n_squared
    iterator = iter(vectors)
    products = list(next(iterator))
    for vector in iterator:
        for index, ciphertext in enumerate(vector):
            products[index] = products[index] * ciphertext % modulus
    return products


def check_ciphertexts(key: PublicKey, ciphertexts: Sequence[mpz]) -> None:
    """Raise `ValueError` unless all are units modulo n² below n²; one gcd for all of them.

    A product is coprime to n just when all its factors are; only if it is not, each is tried.
    """
    modulus = key.n_squared
    together = mpz(1)
    for index, ciphertext in enumerate(ciphertexts):
        if not 0 < ciphertext < modulus:
            raise ValueError(f"ciphertext {index} is not between 0 and n²")
        together = together * ciphertext % key.n
    if gmpy2.gcd(together, key.n) == 1:
        return
    bad = next(i for i, ciphertext in enumerate(ciphertexts) if gmpy2.gcd(ciphertext, key.n) != 1)
    raise ValueError(f"ciphertext {bad} has a factor in common with n")


def ciphertexts_from_bytes(key: PublicKey, data: bytes, count: int) -> Ciphertexts:
    """The `count` ciphertexts that someone sent, checked; `ValueError` if one is malformed."""
    size = key.ciphertext_bytes
    if len(data) != count * size:
        raise ValueError(f"{len(data)} bytes are not {count} ciphertexts of {size}")
    ciphertexts = [mpz(int.from_bytes(data[at : at + size], "big")) for at in range(0, len(data), size)]
    check_ciphertexts(key, ciphertexts)
    return ciphertexts


def ciphertexts_to_bytes(key: PublicKey, ciphertexts: Sequence[mpz]) -> bytes:
    """Big-endian, bits / 4 bytes each."""
    size = key.ciphertext_bytes
    return b"".join([ciphertext.to_bytes(size, "big") for ciphertext in ciphertexts])


def decrypt(key: PublicKey, private: PaillierPrivateKey, ciphertexts: Sequence[mpz]) -> list[mpz]:
    """Plaintexts modulo n; to be range-checked and unpacked before any other party sees them.

    Powers with secret exponents are taken in constant time.

    Raises
    ------
    ValueError
        If a ciphertext is malformed; nothing is decrypted then.
    """
    check_ciphertexts(key, ciphertexts)
    p, q = mpz(private.p), mpz(private.q)
    plaintexts = []
    for ciphertext in ciphertexts:
        at_p = (gmpy2.powmod_sec(ciphertext, p - 1, p * p) - 1) // p * private.hp % p
        at_q = (gmpy2.powmod_sec(ciphertext, q - 1, q * q) - 1) // q * private.hq % q
        plaintexts.append(at_p + (at_q - at_p) * private.p_inverse % q * p)
    return plaintexts
