"""Safe primes, from the caller's entropy: p = 2p' + 1 with p' prime.

A window of candidates is sieved for p and p' together, so that only about one in four hundred of the
numbers that a search without a sieve would have to test is ever tested.
"""

from collections.abc import Iterator
from functools import lru_cache

import gmpy2
import numpy as np
from gmpy2 import mpz
from numpy.typing import NDArray

from protocols.entropy import Entropy

CONFIRMATIONS = 40
"""Rounds of GMP's primality test for what passed a single Fermat test: Baillie-PSW first, then
Miller-Rabin; a composite passes with probability below 4^-15."""

_STEP = 6  # p' ≡ 5 (mod 6), or 2 or 3 would divide p' or p
_LIMB = 32


def safe_prime(bits: int, entropy: Entropy) -> mpz:
    """A safe prime of exactly `bits` bits whose two top bits are set (so that a product keeps its size).

    Every window is drawn afresh and its candidates are tried from the bottom, so primes after a gap are
    a little likelier than others; the loss is far below one bit of the entropy.

    Raises
    ------
    ValueError
        If `bits` is below 32.
    """
    if bits < 32:
        raise ValueError(f"a safe prime needs at least 32 bits, got {bits}")
    large = bits > 512
    limit, width = (1 << 20, 1 << 17) if large else (1 << 12, 1 << 11)
    for start in _starts(bits - 1, width, entropy):
        for offset in np.flatnonzero(_sieved(start, width, limit)).tolist():
            half = start + _STEP * offset
            prime = 2 * half + 1
            if gmpy2.powmod(2, half - 1, half) != 1 or gmpy2.powmod(2, prime - 1, prime) != 1:
                continue
            if gmpy2.is_prime(half, CONFIRMATIONS) and gmpy2.is_prime(prime, CONFIRMATIONS):
                return prime
    raise AssertionError("windows never end")


def _starts(bits: int, width: int, entropy: Entropy) -> Iterator[mpz]:
    """Random first candidates of `bits` bits, ≡ 5 (mod 6), two top bits set, `width` steps below 2^bits."""
    top = mpz(3) << (bits - 2)
    while True:
        drawn = mpz(int.from_bytes(entropy((bits + 7) // 8), "big")) % (mpz(1) << (bits - 2))
        start = top + drawn
        start += (5 - start) % _STEP
        if (start + _STEP * width).bit_length() == bits:
            yield start


def _sieved(start: mpz, width: int, limit: int) -> NDArray[np.bool_]:
    """Which start + 6i, i < width, have no prime factor below `limit`, nor has twice them plus one."""
    primes = _primes(limit)
    residues = _residues(start, primes)
    sixth = np.where(primes % _STEP == 1, primes - (primes - 1) // _STEP, (primes + 1) // _STEP)
    left = np.ones(width, dtype=bool)
    for root in (0, (primes - 1) // 2):  # p' ≡ 0, and p' ≡ -1/2, that is p ≡ 0
        first = (root + primes - residues) * sixth % primes
        few_hits = np.searchsorted(primes, 512)
        for prime, index in zip(primes[:few_hits].tolist(), first[:few_hits].tolist(), strict=True):
            left[index::prime] = False
        index, step = first[few_hits:], primes[few_hits:]
        while index.size:
            inside = index < width
            index, step = index[inside], step[inside]
            left[index] = False
            index = index + step
    return left


def _residues(number: mpz, primes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number modulo each prime (below 2^31)."""
    residues = np.zeros_like(primes)
    for limb in reversed(gmpy2.unpack(number, _LIMB)):
        residues = ((residues << _LIMB) + int(limb)) % primes
    return residues


@lru_cache(maxsize=2)
def _primes(limit: int) -> NDArray[np.int64]:
    """The primes from 5 to below `limit`."""
    flags = np.ones(limit, dtype=bool)
    flags[:2] = False
    for factor in range(2, int(limit**0.5) + 1):
        if flags[factor]:
            flags[factor * factor :: factor] = False
    return np.flatnonzero(flags)[2:].astype(np.int64)
