"""The n-th powers that hide plaintexts: uniform ones, short ones, and a pool made ahead.

A randomiser costs nearly all of an encryption. A *uniform* one is r^n for a random unit r and needs no
assumption beyond Paillier's own. A *short* one is a power of one public n-th power with an exponent of
half the modulus's bits (Damgård, Jurik and Nielsen, *A generalization of Paillier's public-key system
with applications to electronic voting*, Int. J. Inf. Secur. 9, 2010): it needs safe primes, and the
further assumption that such short powers cannot be told from powers with a full exponent.
"""

from collections.abc import Iterable, Sequence

import gmpy2
from gmpy2 import mpz

from protocols.entropy import Entropy
from protocols.primitives.paillier import PublicKey, random_unit
from protocols.primitives.powers import powers_of


def uniform_randomisers(key: PublicKey, count: int, entropy: Entropy) -> list[mpz]:
    """`count` randomisers r^n mod n² of random units r."""
    return [gmpy2.powmod(random_unit(key.n, entropy), key.n, key.n_squared) for _ in range(count)]


def short_randomisers(key: PublicKey, count: int, entropy: Entropy) -> list[mpz]:
    """`count` powers of `key.base` with fresh short exponents."""
    return short_powers(key, short_exponents(key, count, entropy))


def short_exponents(key: PublicKey, count: int, entropy: Entropy) -> list[mpz]:
    """`count` random exponents of half the modulus's bits, for who has to prove something of them."""
    return [mpz(int.from_bytes(entropy(key.bits // 16), "big")) for _ in range(count)]


def short_powers(key: PublicKey, exponents: Sequence[mpz]) -> list[mpz]:
    """The powers of `key.base` with short exponents."""
    power = powers_of(key.base, key.n_squared, key.bits // 2, len(exponents))
    return [power(exponent) for exponent in exponents]


class Pool:
    """Randomisers made ahead of time, in idle moments: each is handed out once.

    Encrypting with them costs two multiplications a ciphertext.
    """

    def __init__(self, randomisers: Iterable[mpz]) -> None:
        self._randomisers = list(randomisers)

    def __len__(self) -> int:
        return len(self._randomisers)

    def take(self, count: int) -> list[mpz]:
        """`count` of them; `ValueError` if fewer are left."""
        if count > len(self):
            raise ValueError(f"the pool holds {len(self)} randomisers, {count} are needed")
        left = len(self) - count
        taken, self._randomisers = self._randomisers[left:], self._randomisers[:left]
        return taken
