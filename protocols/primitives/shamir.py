"""Shamir's secret sharing of 32-byte secrets, and error correction that finds wrong shares.

Sources: Shamir 1979, "How to share a secret"; Gao 2003, "A new algorithm for decoding Reed-Solomon
codes", algorithm 1. The field is that of the largest prime below 2^256, so secrets and shares are 32
bytes, and the holder at place i (0, 1, …) has the value at i + 1.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import mul

from protocols.entropy import Entropy

PRIME = 2**256 - 189
SECRET_BYTES = 32
SHARE_BYTES = 32

Polynomial = list[int]
"""Coefficients in the field, constant first, without leading zeros."""


def draw_secret(entropy: Entropy) -> bytes:
    """A uniform field element; almost every 32 bytes are one."""
    while True:
        secret = entropy(SECRET_BYTES)
        if int.from_bytes(secret, "big") < PRIME:
            return secret


def element(data: bytes) -> int:
    """The field element that 32 bytes encode; `ValueError` if they encode none."""
    value = int.from_bytes(data, "big")
    if len(data) != SHARE_BYTES or value >= PRIME:
        raise ValueError(f"{len(data)} bytes starting {data[:4].hex()} encode no field element")
    return value


@lru_cache(maxsize=16)
def _powers(threshold: int, holders: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(pow(x, j, PRIME) for j in range(threshold)) for x in range(1, holders + 1))


def split(secret: bytes, threshold: int, holders: int, entropy: Entropy) -> list[bytes]:
    """Shares for `holders` places: any `threshold` of them give the secret, fewer say nothing about it.

    Raises
    ------
    ValueError
        If the threshold is not between 1 and `holders`, or the secret is no field element.
    """
    if not 1 <= threshold <= holders:
        raise ValueError(f"threshold must be between 1 and {holders} holders, got {threshold}")
    random = entropy(SECRET_BYTES * (threshold - 1))
    # reducing 256 uniform bits leaves a bias below 2^-248
    coefficients = [element(secret)]
    coefficients += [
        int.from_bytes(random[at : at + SECRET_BYTES], "big") for at in range(0, len(random), SECRET_BYTES)
    ]
    return [
        (sum(map(mul, coefficients, powers)) % PRIME).to_bytes(SHARE_BYTES, "big")
        for powers in _powers(threshold, holders)
    ]


@lru_cache(maxsize=1024)
def lagrange_at_zero(places: tuple[int, ...]) -> tuple[int, ...]:
    """The coefficients that turn the shares at `places` into the secret."""
    points = [place + 1 for place in places]
    numerators, denominators = [], []
    for x in points:
        top = bottom = 1
        for other in points:
            if other != x:
                top *= other
                bottom *= other - x
        numerators.append(top)
        denominators.append(bottom)
    return tuple(
        top * inverse % PRIME for top, inverse in zip(numerators, inverses(denominators), strict=True)
    )


def inverses(values: Sequence[int]) -> list[int]:
    """Inverses of non-zero field elements for the price of one (Montgomery's trick)."""
    running, partial = 1, []
    for value in values:
        partial.append(running)
        running = running * value % PRIME
    inverse = pow(running, -1, PRIME)
    result = []
    for value, before in zip(reversed(values), reversed(partial), strict=True):
        result.append(inverse * before % PRIME)
        inverse = inverse * value % PRIME
    return result[::-1]


def combine(shares: Mapping[int, bytes], threshold: int) -> bytes:
    """The secret, from the `threshold` shares with the lowest places (places to shares).

    Whether the shares are right is not visible here; the caller checks the secret against a commitment.

    Raises
    ------
    ValueError
        If there are fewer than `threshold` shares, or one is no field element.
    """
    if len(shares) < threshold:
        raise ValueError(f"{threshold} shares are needed, got {len(shares)}")
    places = tuple(sorted(shares)[:threshold])  # in one order, so that coefficients are worked out once
    values = [element(shares[place]) for place in places]
    secret: int = sum(map(mul, lagrange_at_zero(places), values)) % PRIME
    return secret.to_bytes(SECRET_BYTES, "big")


def correct(shares: Mapping[int, bytes], threshold: int) -> tuple[bytes, tuple[int, ...]]:
    """The secret and the places of wrong shares, of which there may be (shares - threshold) // 2.

    Raises
    ------
    ValueError
        If too many shares are wrong to tell which, or fewer than `threshold` were given.
    """
    if len(shares) < threshold:
        raise ValueError(f"{threshold} shares are needed, got {len(shares)}")
    points = [place + 1 for place in shares]
    values = [element(share) for share in shares.values()]
    vanishing, fitted = _interpolate(points, values)
    # the Euclidean algorithm on both, stopped halfway, separates the message from the error locator
    older, newer = vanishing, fitted
    older_factor: Polynomial = []
    newer_factor: Polynomial = [1]
    while 2 * (len(newer) - 1) >= len(points) + threshold:
        quotient, remainder = _divide(older, newer)
        older, newer = newer, remainder
        older_factor, newer_factor = newer_factor, _subtract(older_factor, _times(quotient, newer_factor))
    message, rest = _divide(newer, newer_factor)
    if rest or len(message) > threshold:
        raise ValueError(f"more than {(len(points) - threshold) // 2} of {len(points)} shares are wrong")
    wrong = tuple(
        place for place, x, y in zip(shares, points, values, strict=True) if _value(message, x) != y
    )
    return _value(message, 0).to_bytes(SECRET_BYTES, "big"), wrong


def _interpolate(points: Sequence[int], values: Sequence[int]) -> tuple[Polynomial, Polynomial]:
    """The polynomial that vanishes at all points, and the one that has the given values there."""
    vanishing, fitted = [1], list[int]()
    for x, y in zip(points, values, strict=True):
        scale = (y - _value(fitted, x)) * pow(_value(vanishing, x), -1, PRIME)
        fitted = _subtract(fitted, [-scale * c for c in vanishing])
        vanishing = _times(vanishing, [-x, 1])
    return vanishing, fitted


def _value(polynomial: Polynomial, x: int) -> int:
    result = 0
    for coefficient in reversed(polynomial):
        result = (result * x + coefficient) % PRIME
    return result


def _trimmed(coefficients: list[int]) -> Polynomial:
    reduced = [coefficient % PRIME for coefficient in coefficients]
    while reduced and reduced[-1] == 0:
        reduced.pop()
    return reduced


def _subtract(left: Polynomial, right: Polynomial) -> Polynomial:
    size = max(len(left), len(right))
    padded = [side + [0] * (size - len(side)) for side in (left, right)]
    return _trimmed([a - b for a, b in zip(*padded, strict=True)])


def _times(left: Polynomial, right: Polynomial) -> Polynomial:
    product = [0] * (len(left) + len(right))
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            product[i + j] += a * b
    return _trimmed(product)


def _divide(top: Polynomial, bottom: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Quotient and remainder; `bottom` is not zero."""
    rest, inverse = list(top), pow(bottom[-1], -1, PRIME)
    quotient = [0] * max(len(top) - len(bottom) + 1, 0)
    for at in reversed(range(len(quotient))):
        factor = rest[at + len(bottom) - 1] * inverse % PRIME
        quotient[at] = factor
        for offset, coefficient in enumerate(bottom):
            rest[at + offset] = (rest[at + offset] - factor * coefficient) % PRIME
    return _trimmed(quotient), _trimmed(rest)
