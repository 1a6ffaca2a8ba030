"""Where keys and masks come from: the operating system in earnest, a named stream in simulations.

Statistical randomness (data, noise in simulations) never comes from here; it is a numpy `Generator`.
"""

import os
from collections.abc import Callable

from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes

from protocols.canonical import Canonical, digest

Entropy = Callable[[int], bytes]
"""`entropy(k)` gives k fresh uniform bytes."""

HEDGED_BYTES = 32
"""What `hedged` draws, once."""

EntropyFor = Callable[[str], Entropy]
"""The entropy of a party, by its id."""


def system(_party: str) -> Entropy:
    """The operating system's generator, the same for all parties."""
    return os.urandom


def seeded(seed: int) -> EntropyFor:
    """Reproducible streams, one for each name: for tests and simulations only.

    The streams of two names are independent (AES-256-CTR under keys derived by SHA-256).
    """

    def entropy_for(party: str) -> Entropy:
        stream: CipherContext | None = None

        def entropy(size: int) -> bytes:
            nonlocal stream
            if stream is None:  # only now: in a large simulation most parties never draw
                key = digest("securenb seeded entropy", seed, party)
                stream = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
            return stream.update(bytes(size))

        return entropy

    return entropy_for


def hedged(entropy: Entropy, *context: Canonical) -> Entropy:
    """Other bytes in every context, even where `entropy` gives the same ones twice.

    A machine that is restored from a copy, or cloned, may draw in one session what it drew in another; masks
    that are equal in two sessions cancel in the difference. Both the entropy and the context have to repeat
    before these bytes do.

    Source: Ristenpart and Yilek 2010, "When Good Randomness Goes Bad: Virtual Machine Reset
    Vulnerabilities and Hedging Deployed Cryptography".
    """
    stream: CipherContext | None = None

    def fresh(size: int) -> bytes:
        nonlocal stream
        if stream is None:
            key = digest("securenb hedged entropy", entropy(HEDGED_BYTES), *context)
            stream = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
        return stream.update(bytes(size))

    return fresh
