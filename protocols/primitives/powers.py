"""Many powers at once: of one base by a table, and products of powers of many bases by buckets.

Sources: Lim and Lee, *More flexible exponentiation with precomputation* (CRYPTO 1994); Pippenger's
buckets as in Bernstein, Doumen, Lange and Oosterwijk, *Faster batch forgery identification* (INDOCRYPT
2012). Nothing here takes constant time: exponents are public, or used once.
"""

from collections.abc import Callable, Sequence

import gmpy2
import numpy as np
from gmpy2 import mpz

TABLE_ENTRIES = 1 << 13
"""The largest table: 6 MiB for residues of 6144 bits."""


def powers_of(base: mpz, modulus: mpz, bits: int, count: int) -> Callable[[mpz], mpz]:
    """What raises `base` to exponents of up to `bits` bits, `count` times at the least cost altogether.

    With a table exactly when it pays for that many, building it included.
    """
    shape = cheapest_table(bits, count)
    if shape is None:
        return lambda exponent: gmpy2.powmod(base, exponent, modulus)
    return PowerTable(base, modulus, bits, *shape).power


def cheapest_table(bits: int, count: int) -> tuple[int, int] | None:
    """Rows and columns of the table with the fewest multiplications for `count` powers.

    `None` if `count` plain powers need no more: GMP's cost about one of our multiplications a bit.

    Examples
    --------
    >>> cheapest_table(1536, 1) is None
    True
    >>> cheapest_table(1536, 170)
    (10, 5)
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


def product_of_powers(bases: Sequence[mpz], exponents: Sequence[int], bits: int, modulus: mpz) -> mpz:
    """The product of the powers of the bases, exponents non-negative and of up to `bits` bits."""
    window = max(1, min(12, len(bases).bit_length() - 2))
    result = mpz(1)
    for low in range(-(-bits // window) * window - window, -1, -window):
        for _ in range(window):
            result = result * result % modulus
        buckets: dict[int, mpz] = {}
        for base, exponent in zip(bases, exponents, strict=True):
            digit = exponent >> low & ((1 << window) - 1)
            if digit:
                buckets[digit] = buckets[digit] * base % modulus if digit in buckets else base
        # Π bucket^digit: each running product is multiplied in once for every digit that it reaches
        running = each = mpz(1)
        for digit in range(max(buckets, default=0), 0, -1):
            if digit in buckets:
                running = running * buckets[digit] % modulus
            each = each * running % modulus
        result = result * each % modulus
    return result
