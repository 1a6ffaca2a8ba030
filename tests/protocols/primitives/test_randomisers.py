import gmpy2
import pytest
from gmpy2 import mpz
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.entropy import seeded
from protocols.primitives.paillier import generate
from protocols.primitives.randomisers import (
    TABLE_ENTRIES,
    Pool,
    PowerTable,
    cheapest_table,
    short_randomisers,
    uniform_randomisers,
)

KEY, PRIVATE = generate(256, seeded(6)("key holder"))


@settings(deadline=None)
@given(
    st.integers(1, 200),
    st.integers(1, 8),
    st.integers(1, 9),
    st.data(),
)
def test_a_table_gives_the_same_powers_as_gmp(bits, rows, columns, data):
    table = PowerTable(KEY.base, KEY.n_squared, bits, rows, columns)
    exponents = data.draw(st.lists(st.integers(0, (1 << bits) - 1), max_size=4))
    for exponent in [0, 1, (1 << bits) - 1, *exponents]:
        assert table.power(mpz(exponent)) == gmpy2.powmod(KEY.base, exponent, KEY.n_squared)


@pytest.mark.parametrize("exponent", [-1, 1 << 100])
def test_a_table_refuses_exponents_it_is_not_for(exponent):
    with pytest.raises(ValueError, match="100 bits"):
        PowerTable(KEY.base, KEY.n_squared, 100, 4, 2).power(mpz(exponent))


@pytest.mark.parametrize("make", [uniform_randomisers, short_randomisers])
@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_randomisers_are_different_nth_powers(make, count):
    made = make(KEY, count, seeded(7)("node"))
    assert len(set(made)) == len(made) == count
    # an n-th power is a ciphertext of zero
    assert [PRIVATE.raw_decrypt(int(r)) for r in made] == [0] * count
    assert make(KEY, count, seeded(7)("node")) == made
    assert not set(make(KEY, count, seeded(8)("node"))) & set(made)


def test_short_randomisers_do_not_depend_on_the_table():
    one_by_one = seeded(9)("node")
    singly = [short_randomisers(KEY, 1, one_by_one)[0] for _ in range(12)]
    assert cheapest_table(128, 1) is None
    assert cheapest_table(128, 12) is not None
    assert short_randomisers(KEY, 12, seeded(9)("node")) == singly


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


def test_a_pool_gives_each_randomiser_once():
    pool = Pool(uniform_randomisers(KEY, 7, seeded(1)("node")))
    taken = [*pool.take(3), *pool.take(0), *pool.take(4)]
    assert len(set(taken)) == 7
    assert len(pool) == 0
    with pytest.raises(ValueError, match="holds 0 randomisers, 1 are needed"):
        pool.take(1)
