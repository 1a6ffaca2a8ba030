import pytest

from protocols.entropy import seeded
from protocols.primitives.paillier import generate
from protocols.primitives.powers import cheapest_table
from protocols.primitives.randomisers import Pool, short_randomisers, uniform_randomisers

KEY, PRIVATE = generate(256, seeded(6)("key holder"))


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


def test_a_pool_gives_each_randomiser_once():
    pool = Pool(uniform_randomisers(KEY, 7, seeded(1)("node")))
    taken = [*pool.take(3), *pool.take(0), *pool.take(4)]
    assert len(set(taken)) == 7
    assert len(pool) == 0
    with pytest.raises(ValueError, match="holds 0 randomisers, 1 are needed"):
        pool.take(1)
