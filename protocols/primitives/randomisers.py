"""The n-th powers that hide plaintexts: uniform ones, short ones from a table, and a pool made ahead.

A randomiser costs nearly all of an encryption. A *uniform* one is r^n for a random unit r and needs no
assumption beyond Paillier's own. A *short* one is a power of one public n-th power with an exponent of
half the modulus's bits (Damgård, Jurik and Nielsen, *A generalization of Paillier's public-key system
with applications to electronic voting*, Int. J. Inf. Secur. 9, 2010): it needs safe primes, and the
further assumption that such short powers cannot be told from powers with a full exponent. For many at
once the powers come from a table (Lim and Lee, *More flexible exponentiation with precomputation*,
CRYPTO 1994).
"""

from collections.abc import Iterable

import gmpy2
import numpy as np
from gmpy2 import mpz

from protocols.entropy import Entropy
from protocols.primitives.paillier import PublicKey, random_unit

TABLE_ENTRIES = 1 << 13
"""The largest table: 6 MiB for a modulus of 3072 bits."""


def uniform_randomisers(key: PublicKey, count: int, entropy: Entropy) -> list[mpz]:
    """`count` randomisers r^n mod n² of random units r."""
    return [gmpy2.powmod(random_unit(key.n, entropy), key.n, key.n_squared) for _ in range(count)]


def short_randomisers(key: PublicKey, count: int, entropy: Entropy) -> list[mpz]:
    """`count` powers of `key.base` with random exponents of half the modulus's bits.

    With a table exactly when it pays for that many, building it included.
    """
    bits = key.bits // 2
    exponents = [mpz(int.from_bytes(entropy(bits // 8), "big")) for _ in range(count)]
    shape = cheapest_table(bits, count)
    if shape is None:
        return [gmpy2.powmod(key.base, exponent, key.n_squared) for exponent in exponents]
    table = PowerTable(key.base, key.n_squared, bits, *shape)
    return [table.power(exponent) for exponent in exponents]


def cheapest_table(bits: int, count: int) -> tuple[int, int] | None:
    """Rows and columns of the table with the fewest multiplications for `count` powers.

    `None` if `count` plain powers need no more: GMP's cost about one of our multiplications a bit.

    Examples
    --------
    >>> cheapest_table(1536, 1) is None
    True
    >>> cheapest_table(1536, 170)
    (10, 4)
    """
    best, shape = bits * count, None
    for rows in range(2, 12):
        block = -(-bits // rows)
        for columns in range(1, min(block, TABLE_ENTRIES >> rows) + 1):
            cost = bits + (columns << rows) + count * (block + -(-block // columns))
            if cost < best:
                best, shape = cost, (rows, columns)
    return shape


class PowerTable:
    """Powers of one base, by a table of products of its 2^i-th powers.

    An exponent is cut into `rows` blocks, each of these into `columns` pieces. One entry for each
    column and each subset of the rows holds the product of what the pieces' lowest bits stand for; a
    power is one product for each bit of a block and one square for each bit of a piece.

    Parameters
    ----------
    base, modulus
        What is raised, modulo what.
    bits
        The most bits of an exponent.
    rows, columns
        The table has columns · 2^rows entries.
    """

    def __init__(self, base: mpz, modulus: mpz, bits: int, rows: int, columns: int) -> None:
        self._modulus = modulus
        self._bits = bits
        self._rows = rows
        self._piece = -(-bits // (rows * columns))
        self._columns = columns
        self._entries = [[mpz(1)] for _ in range(columns)]
        power = base
        for _ in range(rows):
            for entries in self._entries:
                entries += [entry * power % modulus for entry in entries]
                for _ in range(self._piece):
                    power = power * power % modulus

    def power(self, exponent: mpz) -> mpz:
        """base^exponent; `ValueError` if the exponent is negative or too long."""
        if exponent < 0 or exponent.bit_length() > self._bits:
            raise ValueError(f"the table is for exponents of up to {self._bits} bits")
        length = self._rows * self._columns * self._piece
        data = np.frombuffer(exponent.to_bytes(-(-length // 8), "little"), np.uint8)
        digits = np.unpackbits(data, bitorder="little")[:length].reshape(self._rows, self._columns, -1)
        subsets = np.tensordot(1 << np.arange(self._rows), digits.astype(np.int64), 1).T[::-1].tolist()
        modulus, result = self._modulus, mpz(1)
        for by_column in subsets:
            result = result * result % modulus
            for entries, subset in zip(self._entries, by_column, strict=True):
                result = result * entries[subset] % modulus
        return result


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
