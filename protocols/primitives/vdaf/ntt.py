"""Polynomials given by their values at roots of unity: doubling, completing, evaluating.

The values are at 1, ω, ω², … in this order, ω a primitive n-th root of unity, n a power of two, and
always lie along the last axis; leading axes are a batch.
"""

from functools import lru_cache

import numpy as np

from protocols.primitives.vdaf.field import Elements, Field, twiddles


def next_power(n: int) -> int:
    """The smallest power of two that is at least `n` ≥ 1."""
    return 1 << (n - 1).bit_length()


def _transform(field: Field, values: Elements, *, inverse: bool) -> Elements:
    """Number-theoretic transform by decimation in time, all butterflies of a level at once."""
    n = values.shape[-1]
    parts = values[..., np.newaxis]
    for length in (1 << level for level in range(n.bit_length() - 1)):
        half = parts.shape[-2] // 2
        even = parts[..., :half, :]
        odd = parts[..., half:, :]
        if length > 1:
            odd = field.mul(odd, twiddles(field, 2 * length, length, inverse))
        parts = np.concatenate([field.add(even, odd), field.sub(even, odd)], axis=-1)
    return parts[..., 0, :]


def values_of(field: Field, coefficients: Elements) -> Elements:
    """Values of polynomials (..., n) of degree below n."""
    return _transform(field, coefficients, inverse=False)


def coefficients_of(field: Field, values: Elements) -> Elements:
    """Inverse of `values_of`."""
    scale = field.elements([pow(values.shape[-1], -1, field.modulus)])
    return field.mul(_transform(field, values, inverse=True), scale)


def doubled(field: Field, values: Elements) -> Elements:
    """The same polynomials' values at the 2n-th roots (..., 2n)."""
    n = values.shape[-1]
    shifted = field.mul(coefficients_of(field, values), twiddles(field, 2 * n, n, inverse=False))
    both = np.stack([values, values_of(field, shifted)], axis=-1)
    return both.reshape(*values.shape[:-1], 2 * n)


def completed(field: Field, values: Elements) -> Elements:
    """All n = `next_power(m)` values of a polynomial of degree below m from its first m."""
    known = len(values)
    if known == next_power(known):
        return values
    return np.concatenate([values, field.dot(_completion(field, known), values)])


@lru_cache(maxsize=64)
def _completion(field: Field, known: int) -> Elements:
    """Lagrange's coefficients (n − m, m) of the missing values in the known ones."""
    p, n = field.modulus, next_power(known)
    points = field.integers(twiddles(field, n, n, inverse=False))
    missing = points[known:]

    def slope(point: int) -> int:
        """The product of all differences of `point` to the other known points."""
        # over all n points it is n / point; the missing ones are divided out
        value = n * pow(point, -1, p)
        for other in missing:
            if other != point:
                value = value * pow(point - other, -1, p) % p
        return value

    slopes = {point: slope(point) for point in points}
    rows = [
        [slopes[x] * pow((x - point) * slopes[point], -1, p) % p for point in points[:known]] for x in missing
    ]
    return np.stack([field.elements(row) for row in rows])


def evaluated(field: Field, values: Elements, at: int) -> Elements:
    """Values (...) at one point of polynomials given by their values (..., n)."""
    # Lagrange's basis polynomials, all at once: the inverse transform of the powers of the point
    basis = coefficients_of(field, field.powers(at, values.shape[-1]))
    return field.dot(values, basis)
