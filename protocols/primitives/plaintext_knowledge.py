"""A proof that who sends ciphertexts knows what is in them, so that another's, or a power of it, is refused.

Source: the protocol of Cramer, Damgård and Nielsen, *Multiparty computation from threshold homomorphic
encryption* (EUROCRYPT 2001), made non-interactive by hashing. Where we deviate: one proof is for all
ciphertexts of a vector, through a random combination of them; and it proves openings with a short power
of the key's base, responding with integers that hide the exponents statistically.
"""

from collections.abc import Callable, Sequence

import gmpy2
from gmpy2 import mpz

from protocols.canonical import digest
from protocols.entropy import Entropy
from protocols.primitives.paillier import PublicKey, random_below
from protocols.primitives.powers import powers_of, product_of_powers

DIGEST_BYTES = 32
WEIGHT_BITS = 128
HIDING_BITS = 128


def _exponent_bytes(key: PublicKey, count: int) -> int:
    """Bytes of the exponent that hides the combination of `count` short exponents."""
    return (key.bits // 2 + WEIGHT_BITS + count.bit_length() + HIDING_BITS) // 8 + 1


def proof_bytes(key: PublicKey, count: int) -> int:
    """Bytes of a proof for `count` ciphertexts."""
    return DIGEST_BYTES + key.bits // 8 + _exponent_bytes(key, count) + 1


def verifying_power(key: PublicKey, count: int, proofs: int) -> Callable[[mpz], mpz]:
    """What raises `key.base` to the exponents in `proofs` proofs for `count` ciphertexts each."""
    return powers_of(key.base, key.n_squared, 8 * (_exponent_bytes(key, count) + 1), proofs)


def prove_knowledge(
    key: PublicKey,
    ciphertexts: Sequence[mpz],
    plaintexts: Sequence[mpz],
    exponents: Sequence[mpz],
    context: bytes,
    entropy: Entropy,
) -> bytes:
    """A proof, bound to `context`, that its maker knows the plaintexts.

    Parameters
    ----------
    exponents
        Of the short randomisers that the ciphertexts were made with.
    """
    n, modulus, count = key.n, key.n_squared, len(ciphertexts)
    plain = random_below(n, entropy)
    exponent = mpz(int.from_bytes(entropy(_exponent_bytes(key, count)), "big"))
    commitment = (1 + plain * n) * gmpy2.powmod(key.base, exponent, modulus) % modulus
    seed = _seed(key, ciphertexts, context, commitment)
    for weight, message, power in zip(_weights(seed, count), plaintexts, exponents, strict=True):
        plain += weight * message
        exponent += weight * power
    answer = (
        (plain % n).to_bytes(key.bits // 8, "big"),
        exponent.to_bytes(_exponent_bytes(key, count) + 1, "big"),
    )
    return b"".join((seed, *answer))


def verify_knowledge(
    key: PublicKey,
    ciphertexts: Sequence[mpz],
    context: bytes,
    proof: bytes,
    power: Callable[[mpz], mpz],
) -> bool:
    """Whether `proof` shows that the sender of `ciphertexts`, which are units, knows what is in them.

    Parameters
    ----------
    power
        See `verifying_power`.
    """
    n, modulus, count = key.n, key.n_squared, len(ciphertexts)
    if len(proof) != proof_bytes(key, count):
        return False
    seed, answer = proof[:DIGEST_BYTES], proof[DIGEST_BYTES:]
    plain = mpz(int.from_bytes(answer[: key.bits // 8], "big"))
    exponent = mpz(int.from_bytes(answer[key.bits // 8 :], "big"))
    combined = product_of_powers(ciphertexts, _weights(seed, count), WEIGHT_BITS, modulus)
    commitment = (1 + plain * n) * power(exponent) * gmpy2.invert(combined, modulus) % modulus
    return seed == _seed(key, ciphertexts, context, commitment)


def _seed(key: PublicKey, ciphertexts: Sequence[mpz], context: bytes, commitment: mpz) -> bytes:
    values = [int(value) for value in (key.n, key.base, commitment, *ciphertexts)]
    return digest("securenb plaintext knowledge", context, values)


def _weights(seed: bytes, count: int) -> list[int]:
    return [
        int.from_bytes(digest("securenb plaintext weight", seed, index)[: WEIGHT_BITS // 8], "big")
        for index in range(count)
    ]
