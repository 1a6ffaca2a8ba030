import gmpy2
import pytest
from gmpy2 import mpz
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.primitives.powers import (
    TABLE_ENTRIES,
    PowerTable,
    cheapest_table,
    powers_of,
    product_of_powers,
)

MODULUS = (mpz(1) << 521) - 1
BASE = mpz(3) ** 300


@settings(deadline=None)
@given(
    st.integers(1, 200),
    st.integers(1, 8),
    st.integers(1, 9),
    st.data(),
)
def test_a_table_gives_the_same_powers_as_gmp(bits, rows, columns, data):
    table = PowerTable(BASE, MODULUS, bits, rows, columns)
    exponents = data.draw(st.lists(st.integers(0, (1 << bits) - 1), max_size=4))
    for exponent in [0, 1, (1 << bits) - 1, *exponents]:
        assert table.power(mpz(exponent)) == gmpy2.powmod(BASE, exponent, MODULUS)


@pytest.mark.parametrize("exponent", [-1, 1 << 100])
def test_a_table_refuses_exponents_it_is_not_for(exponent):
    with pytest.raises(ValueError, match="100 bits"):
        PowerTable(BASE, MODULUS, 100, 4, 2).power(mpz(exponent))


@given(st.sampled_from([64, 1024, 1536]), st.integers(1, 5000))
def test_the_planned_table_is_within_its_limit_and_never_dearer_than_plain_powers(bits, count):
    shape = cheapest_table(bits, count)
    if shape is None:
        return
    rows, columns = shape
    assert columns << rows <= TABLE_ENTRIES
    block = -(-bits // rows)
    assert bits + (columns << rows) + count * (block + -(-block // columns)) < bits * count


def test_the_more_powers_the_larger_the_table():
    entries = []
    for count in (2, 5, 20, 100, 1000):
        rows, columns = cheapest_table(1536, count)
        entries.append(columns << rows)
    assert entries == sorted(entries)


@pytest.mark.parametrize("count", [1, 5, 30])
def test_powers_are_the_same_with_and_without_a_table(count):
    assert (cheapest_table(90, count) is None) == (count == 1)
    power = powers_of(BASE, MODULUS, 90, count)
    for exponent in (0, 1, 7**30, (1 << 90) - 1):
        assert power(mpz(exponent)) == gmpy2.powmod(BASE, exponent, MODULUS)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 1 << 520), st.integers(0, (1 << 128) - 1)), max_size=70))
def test_a_product_of_powers_is_the_product_of_the_powers(pairs):
    expected = mpz(1)
    for base, exponent in pairs:
        expected = expected * gmpy2.powmod(base, exponent, MODULUS) % MODULUS
    bases, exponents = [mpz(b) for b, _ in pairs], [e for _, e in pairs]
    assert product_of_powers(bases, exponents, 128, MODULUS) == expected
