"""Seeds into longer seeds and field elements: TurboSHAKE128 under domain separation.

Source: draft-irtf-cfrg-vdaf-20, section 6.2 (XofTurboShake128) and 6.2.3 (domain separation tags).
"""

import numpy as np
from Crypto.Hash import TurboSHAKE128

from protocols.primitives.vdaf.field import Elements, Field

SEED_BYTES = 32
VERSION = 18
"""The version byte of drafts 18 to 20, whose outputs are the same."""


def tag(algorithm: int, usage: int, context: bytes) -> bytes:
    """The domain separation tag of one use of the XOF in one VDAF (algorithm class 0)."""
    return bytes([VERSION, 0]) + algorithm.to_bytes(4, "big") + usage.to_bytes(2, "big") + context


class Xof:
    """An endless stream of bytes from a seed, a domain separation tag and a binder."""

    def __init__(self, seed: bytes, domain: bytes, binder: bytes) -> None:
        prefix = len(domain).to_bytes(2, "little") + domain + len(seed).to_bytes(1, "little") + seed
        self._sponge = TurboSHAKE128.new(domain=1, data=prefix)
        self._sponge.update(binder)

    def read(self, size: int) -> bytes:
        """The next `size` bytes."""
        return self._sponge.read(size)

    def elements(self, field: Field, count: int) -> Elements:
        """The next `count` uniform field elements; encodings not below the modulus are skipped."""
        parts = [field.accept(self.read(count * field.size))]
        while (short := count - sum(map(len, parts))) > 0:
            parts.append(field.accept(self.read(short * field.size)))
        return np.concatenate(parts) if len(parts) > 1 else parts[0]
