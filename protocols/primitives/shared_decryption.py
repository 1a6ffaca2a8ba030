"""A Paillier key dealt to holders, any `quorum` of whom decrypt together and prove that they did.

Source: Fouque, Poupard and Stern, *Sharing decryption in the context of voting or lotteries* (Financial
Cryptography 2000), in the form of Damgård and Jurik (PKC 2001) for s = 1; the dealer knows the factors
of n and is trusted to forget them. Where we deviate: a holder proves all its partial
decryptions of one request at once, by a random product of them (the small-exponents test of Bellare,
Garay and Rabin, EUROCRYPT 1998). That is sound because the squares modulo n² have no element of small
order when n is a product of safe primes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import factorial, prod

import gmpy2
from gmpy2 import mpz

from protocols.canonical import digest
from protocols.entropy import Entropy
from protocols.primitives.paillier import Ciphertexts, PublicKey, generate, random_below, random_unit
from protocols.primitives.powers import product_of_powers

CHALLENGE_BYTES = 32
WEIGHT_BYTES = 16
HIDING_BITS = 128
"""A response is within 2^-128 of a distribution that does not depend on the share."""


@dataclass(frozen=True)
class SharedKey:
    """What is public of a dealt key.

    Attributes
    ----------
    public
        What nodes encrypt under.
    base
        A random square modulo n².
    checks
        For each holder, the base to the power of its share times the factorial of the holders.
    """

    public: PublicKey
    base: mpz
    checks: tuple[mpz, ...]

    @property
    def factor(self) -> int:
        """The factorial that clears the denominators of interpolation."""
        return factorial(len(self.checks))

    @property
    def response_bytes(self) -> int:
        """Bytes of a response: one more than of the number that hides the share in it."""
        bits = 2 * self.public.bits + self.factor.bit_length() + 8 * CHALLENGE_BYTES + HIDING_BITS
        return bits // 8 + 2


@dataclass(frozen=True)
class Proof:
    """That some partial decryptions were made with the share that a check belongs to.

    Attributes
    ----------
    challenge
        32 bytes.
    response
        A non-negative integer.
    """

    challenge: bytes
    response: mpz


def deal(bits: int, holders: int, quorum: int, entropy: Entropy) -> tuple[SharedKey, list[mpz]]:
    """A fresh key and one share for each holder; the factors are not kept.

    Raises
    ------
    ValueError
        If `quorum` is not between 1 and `holders`, or `bits` fits no key.
    """
    if not 1 <= quorum <= holders:
        raise ValueError(f"the quorum must be between 1 and the {holders} holders, got {quorum}")
    public, private = generate(bits, entropy)
    n = public.n
    order = mpz((private.p - 1) // 2) * ((private.q - 1) // 2)
    modulus = n * order
    # 0 modulo the order of n-th powers, 1 modulo n
    secret = order * gmpy2.invert(order, n)
    polynomial = [secret, *(random_below(modulus, entropy) for _ in range(quorum - 1))]
    shares = [_evaluated(polynomial, x, modulus) for x in range(1, holders + 1)]
    root = random_unit(public.n_squared, entropy)
    base = root * root % public.n_squared
    factor = factorial(holders)
    checks = tuple(gmpy2.powmod_sec(base, factor * share, public.n_squared) for share in shares)
    return SharedKey(public, base, checks), shares


def _evaluated(polynomial: Sequence[mpz], x: int, modulus: mpz) -> mpz:
    value = mpz(0)
    for coefficient in reversed(polynomial):
        value = (value * x + coefficient) % modulus
    return value


def partial_decryptions(key: SharedKey, share: mpz, ciphertexts: Sequence[mpz]) -> Ciphertexts:
    """The ciphertexts to the power of twice the share times the factorial; the caller has checked them."""
    exponent, modulus = 2 * key.factor * share, key.public.n_squared
    return [gmpy2.powmod_sec(ciphertext, exponent, modulus) for ciphertext in ciphertexts]


def prove(
    key: SharedKey,
    holder: int,
    share: mpz,
    ciphertexts: Sequence[mpz],
    partials: Sequence[mpz],
    context: bytes,
    entropy: Entropy,
) -> Proof:
    """A proof, bound to `context`, that `partials` were made of `ciphertexts` with the share of `holder`.

    Parameters
    ----------
    holder
        Its index, from 0.
    """
    modulus, factor = key.public.n_squared, key.factor
    statement = _statement(key, holder, ciphertexts, partials, context)
    together, _ = _weighted(key, statement, ciphertexts, partials)
    nonce = mpz(int.from_bytes(entropy(key.response_bytes - 1), "big"))
    commitments = [gmpy2.powmod_sec(base, nonce, modulus) for base in (together, key.base)]
    challenge = _challenge(statement, commitments)
    return Proof(challenge, nonce + int.from_bytes(challenge, "big") * factor * share)


def verify(
    key: SharedKey,
    holder: int,
    ciphertexts: Sequence[mpz],
    partials: Sequence[mpz],
    context: bytes,
    proof: Proof,
) -> bool:
    """Whether `proof` shows that `partials` are right; they and `ciphertexts` are units modulo n²."""
    modulus = key.public.n_squared
    if len(partials) != len(ciphertexts) or not 0 <= proof.response < 1 << (8 * key.response_bytes):
        return False
    statement = _statement(key, holder, ciphertexts, partials, context)
    challenge = int.from_bytes(proof.challenge, "big")
    commitments = [
        gmpy2.powmod(base, proof.response, modulus) * gmpy2.powmod(image, -challenge, modulus) % modulus
        for base, image in (
            _weighted(key, statement, ciphertexts, partials),
            (key.base, key.checks[holder]),
        )
    ]
    return proof.challenge == _challenge(statement, commitments)


def _statement(
    key: SharedKey, holder: int, ciphertexts: Sequence[mpz], partials: Sequence[mpz], context: bytes
) -> bytes:
    return digest(
        "securenb partial decryption",
        context,
        [int(key.public.n), int(key.base), int(key.checks[holder]), holder],
        [int(ciphertext) for ciphertext in ciphertexts],
        [int(partial) for partial in partials],
    )


def _weighted(
    key: SharedKey, statement: bytes, ciphertexts: Sequence[mpz], partials: Sequence[mpz]
) -> tuple[mpz, mpz]:
    """One product of fourth powers of the ciphertexts, and of squares of the partials, weighted alike."""
    digests = [digest("securenb weight", statement, index) for index in range(len(ciphertexts))]
    weights = [int.from_bytes(each[:WEIGHT_BYTES], "big") for each in digests]
    modulus, bits = key.public.n_squared, 8 * WEIGHT_BYTES
    base = product_of_powers(ciphertexts, weights, bits, modulus)
    image = product_of_powers(partials, weights, bits, modulus)
    return gmpy2.powmod(base, 4, modulus), gmpy2.powmod(image, 2, modulus)


def _challenge(statement: bytes, commitments: Sequence[mpz]) -> bytes:
    return digest("securenb challenge", statement, [int(commitment) for commitment in commitments])


def combine(key: SharedKey, partials: Mapping[int, Sequence[mpz]]) -> list[mpz]:
    """Plaintexts modulo n from the partial decryptions of at least a quorum of holders, by index from 0.

    Raises
    ------
    ValueError
        If they do not fit together: the holders are too few, or one is wrong and has proven nothing.
    """
    n, modulus, factor = key.public.n, key.public.n_squared, key.factor
    points = [holder + 1 for holder in partials]
    exponents = {}
    for x in points:
        others = [y for y in points if y != x]
        exponents[x - 1] = 2 * factor * prod(others) // prod(y - x for y in others)
    scale = gmpy2.invert(mpz(4 * factor * factor), n)
    plaintexts = []
    for column in zip(*([(h, c) for c in each] for h, each in partials.items()), strict=True):
        power = mpz(1)
        for holder, partial in column:
            power = power * gmpy2.powmod(partial, exponents[holder], modulus) % modulus
        if power % n != 1:
            raise ValueError("the partial decryptions do not fit together")
        plaintexts.append((power - 1) // n * scale % n)
    return plaintexts
