"""A short key expanded to a uniform vector of residues, added to or subtracted from another in place.

AES-256 in counter mode: the whole key counts, and every residue modulo 2^64 is equally likely. A key is
used for one vector only, so the counter starts at zero.
"""

import sys
from functools import lru_cache

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import CTR

from protocols.ring import WORD_BYTES, Residues

_COUNTER = CTR(bytes(16))


@lru_cache(maxsize=4)
def _zeros(size: int) -> bytes:
    return bytes(size)


def expand(key: bytes, length: int) -> Residues:
    """`length` residues that look uniform without the 32-byte `key`."""
    zeros = _zeros(WORD_BYTES * length)
    words = np.empty(length, np.uint64)
    Cipher(AES256(key), _COUNTER).encryptor().update_into(zeros, words.view(np.uint8).data)
    return words if sys.byteorder == "little" else words.byteswap()


def add_mask(vector: Residues, key: bytes) -> None:
    """Add the mask of `key` to `vector` (d,) in place."""
    vector += expand(key, len(vector))


def subtract_mask(vector: Residues, key: bytes) -> None:
    """Subtract the mask of `key` from `vector` (d,) in place: the inverse of `add_mask`."""
    vector -= expand(key, len(vector))
