"""Field and polynomial arithmetic against Python's integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.primitives.vdaf.field import FIELD64, FIELD128
from protocols.primitives.vdaf.ntt import coefficients_of, completed, doubled, evaluated, values_of

FIELDS = pytest.mark.parametrize("field", [FIELD64, FIELD128], ids=["64", "128"])
P64 = FIELD64.modulus
EDGES = [0, 1, 2, 2**32 - 1, 2**32, 2**32 + 1, 2**63, P64 - 2**32, P64 - 2, P64 - 1]


@FIELDS
def test_moduli_are_as_published_and_have_their_roots(field):
    assert field.modulus in (18446744069414584321, 340282366920938462946865773367900766209)
    assert pow(field.generator, field.order, field.modulus) == 1
    assert pow(field.generator, field.order // 2, field.modulus) == field.modulus - 1


def test_arithmetic_is_exact_at_the_edges_of_the_words():
    a = FIELD64.elements([x for x in EDGES for _ in EDGES])
    b = FIELD64.elements([y for _ in EDGES for y in EDGES])
    pairs = [(x, y) for x in EDGES for y in EDGES]
    assert FIELD64.integers(FIELD64.add(a, b)) == [(x + y) % P64 for x, y in pairs]
    assert FIELD64.integers(FIELD64.sub(a, b)) == [(x - y) % P64 for x, y in pairs]
    assert FIELD64.integers(FIELD64.mul(a, b)) == [x * y % P64 for x, y in pairs]


@FIELDS
@given(data=st.data())
def test_arithmetic_is_that_of_the_integers(field, data):
    numbers = st.lists(st.integers(0, field.modulus - 1), min_size=8, max_size=8)
    x, y = data.draw(numbers), data.draw(numbers)
    a, b, p = field.elements(x), field.elements(y), field.modulus
    assert field.integers(field.add(a, b)) == [(i + j) % p for i, j in zip(x, y, strict=True)]
    assert field.integers(field.sub(a, b)) == [(i - j) % p for i, j in zip(x, y, strict=True)]
    assert field.integers(field.mul(a, b)) == [i * j % p for i, j in zip(x, y, strict=True)]
    assert field.integers(field.sum(a)) == [sum(x) % p]
    assert field.integers(field.runs(a, np.array([0, 3]))) == [sum(x[:3]) % p, sum(x[3:]) % p]
    assert field.integers(field.decode(field.encode(a))) == x


@FIELDS
def test_signed_integers_become_residues(field):
    values = np.array([-(2**63) + 1, -5, -1, 0, 1, 2**63 - 1], dtype=np.int64)
    assert field.integers(field.elements(values)) == [int(value) % field.modulus for value in values]
    small = values[1:-1]
    assert field.signed(field.elements(small)) == small.tolist()


@FIELDS
@pytest.mark.parametrize("excess", [0, 1])
def test_an_unreduced_or_partial_element_is_refused(field, excess):
    data = (field.modulus + excess).to_bytes(field.size, "little")
    with pytest.raises(ValueError, match="not below the modulus"):
        field.decode(bytes(field.size) + data)
    with pytest.raises(ValueError, match="not whole field elements"):
        field.decode(bytes(field.size + 1))


def polynomial(field, rng, n):
    return [int(value) for value in rng.integers(0, 2**63, n)]


def value(coefficients, at, modulus):
    return sum(c * pow(at, i, modulus) for i, c in enumerate(coefficients)) % modulus


@FIELDS
@pytest.mark.parametrize("n", [1, 2, 8, 32])
def test_transforms_are_evaluations_and_their_inverses(field, n):
    coefficients = polynomial(field, np.random.default_rng(n), n)
    values = values_of(field, field.elements(coefficients))
    root = field.root(n)
    expected = [value(coefficients, pow(root, k, field.modulus), field.modulus) for k in range(n)]
    assert field.integers(values) == expected
    assert field.integers(coefficients_of(field, values)) == coefficients


@FIELDS
def test_a_batch_is_transformed_row_by_row(field):
    rows = [polynomial(field, np.random.default_rng(seed), 16) for seed in range(3)]
    batch = doubled(field, np.stack([field.elements(row) for row in rows]))
    for row, result in zip(rows, batch, strict=True):
        assert (result == doubled(field, field.elements(row))).all()


@FIELDS
@pytest.mark.parametrize("known", [1, 3, 4, 7, 10, 253])
def test_the_first_values_give_all_values_and_any_evaluation(field, known):
    coefficients = polynomial(field, np.random.default_rng(known), known)
    n = 1 << (known - 1).bit_length()
    everything = values_of(field, field.elements(coefficients + [0] * (n - known)))
    values = completed(field, everything[:known])
    assert (values == everything).all()
    at = 123_456_789_123_456_789
    assert field.integers(evaluated(field, values, at)) == [value(coefficients, at, field.modulus)]
    twice = doubled(field, values)
    assert (twice[::2] == values).all()
    assert field.integers(evaluated(field, twice, at)) == [value(coefficients, at, field.modulus)]
