"""Ciphertexts that none can be: zero, multiples of the modulus, numbers out of range."""

from collections.abc import Iterator

from attacks.judging.check import Check, Effort, Found
from attacks.judging.sums import Scheme, tampered


class Ciphertexts(Check):
    """They are refused, or leave the sum what it is."""

    kind = "sums"
    concerns = "correctness"

    def run(self, subject: Scheme, effort: Effort) -> Iterator[Found]:
        """See `Check.run`."""
        kinds = ("ciphertext zero", "ciphertext multiple of the modulus", "ciphertext out of range")
        yield from tampered(subject, kinds, effort.rng())
