import numpy as np
import pytest
from gmpy2 import mpz
from hypothesis import given
from hypothesis import strategies as st

from protocols.primitives.packing import Slots
from protocols.ring import Capacity

N = (mpz(1) << 511) + 12345
"""A modulus of 512 bits, as small as they get."""

CAPACITY = Capacity(bound=1000, nodes=9, tail=50)
SLOTS = Slots(60, CAPACITY, 512)


def ints(values):
    return np.array(values, dtype=np.int64)


def total(packed):
    return [sum(column) % N for column in zip(*packed, strict=True)]


# round trips

capacities = st.builds(
    lambda bound, nodes, tail: Capacity(bound, nodes, min(tail, ((1 << 63) - 1) // nodes - bound)),
    st.integers(1, 1 << 40),
    st.integers(1, 1 << 20),
    st.integers(0, 1 << 62),
)


@given(capacities, st.integers(1, 40), st.data())
def test_the_sum_of_packed_vectors_unpacks_to_the_sum_of_vectors(capacity, length, data):
    slots = Slots(length, capacity, 512)
    top = capacity.largest_input
    few = min(4, capacity.nodes)
    coordinate = st.integers(-top, top) | st.sampled_from([-top, top, 0, -1])
    vectors = data.draw(
        st.lists(st.lists(coordinate, min_size=length, max_size=length), min_size=1, max_size=few)
    )
    sums = [sum(column) for column in zip(*vectors, strict=True)]
    packed = [slots.pack(ints(vector)) for vector in vectors]
    assert all(len(plaintexts) == slots.plaintexts for plaintexts in packed)
    row = slots.unpack(total(packed), N, len(vectors))
    assert row.dtype == np.int64
    assert row.tolist() == sums


@pytest.mark.parametrize(
    "capacity", [Capacity(1 << 36, 10_000), Capacity(1, 10_000), Capacity(1 << 24, 10_000, 99)]
)
@pytest.mark.parametrize("pattern", ["all +", "all -", "alternating", "random"])
def test_ten_thousand_extreme_vectors_sum_exactly(capacity, pattern):
    slots = Slots(25, capacity, 2048)
    top, rng = capacity.largest_input, np.random.default_rng(3)
    vector = {
        "all +": np.full(25, top),
        "all -": np.full(25, -top),
        "alternating": np.resize([top, -top], 25),
        "random": rng.integers(-top, top, 25, endpoint=True),
    }[pattern]
    modulus = (mpz(1) << 2047) + 1
    plaintexts = [plaintext * 10_000 % modulus for plaintext in slots.pack(vector)]
    assert slots.unpack(plaintexts, modulus, 10_000).tolist() == [10_000 * int(x) for x in vector]


def test_packing_leaves_the_vector_alone_and_takes_any_view_of_one():
    wide = np.arange(120, dtype=np.int64)
    half = wide[::2]
    assert SLOTS.unpack(total([SLOTS.pack(half)]), N, 1).tolist() == half.tolist()
    assert np.array_equal(wide, np.arange(120))


# layout


def test_a_slot_is_as_wide_as_the_largest_sum_needs():
    assert SLOTS.width == (9 * 1050).bit_length() + 2
    assert Slots(1, Capacity(1 << 36, 10_000), 3072).width == 52
    assert Slots(1, Capacity((1 << 63) - 1, 1), 512).width == 65


def test_large_vectors_cost_at_most_thirteen_and_a_half_bytes_a_value():
    for bits in (2048, 3072):
        slots = Slots(10_000, Capacity(1 << 36, 10_000), bits)
        assert slots.plaintexts * bits / 4 <= 13.5 * 10_000


def test_a_modulus_without_room_for_a_slot_is_refused():
    with pytest.raises(ValueError, match="64 bits has no room for a slot of 65 bits"):
        Slots(3, Capacity((1 << 62) - 1, 2), 64)


# what is refused


def test_a_vector_of_another_length_or_size_is_refused():
    with pytest.raises(ValueError, match="expected 60"):
        SLOTS.pack(ints([1, 2]))
    with pytest.raises(ValueError, match="coordinate 59 is 1051"):
        SLOTS.pack(ints([0] * 59 + [1051]))


def test_a_wrong_number_of_plaintexts_is_refused():
    packed = total([SLOTS.pack(ints(range(60)))])
    for wrong in ([], packed[:-1], [*packed, packed[0]]):
        with pytest.raises(ValueError, match="plaintexts"):
            SLOTS.unpack(wrong, N, 1)


@pytest.mark.parametrize("claimed", [0, 10, -1])
def test_a_number_of_contributors_beyond_the_capacity_is_refused(claimed):
    with pytest.raises(ValueError, match=f"got {claimed}"):
        SLOTS.unpack(total([SLOTS.pack(ints(range(60)))]), N, claimed)


@pytest.mark.parametrize("claimed", [1, 2, 4])
def test_a_wrong_number_of_contributors_is_refused(claimed):
    packed = total([SLOTS.pack(ints(range(60)))] * 3)
    assert SLOTS.unpack(packed, N, 3).tolist() == [3 * x for x in range(60)]
    with pytest.raises(ValueError, match="counter"):
        SLOTS.unpack(packed, N, claimed)


def test_one_ciphertext_summed_once_too_often_is_refused():
    packed = [SLOTS.pack(ints(range(60))) for _ in range(3)]
    plaintexts = total(packed)
    plaintexts[-1] += packed[0][-1]
    with pytest.raises(ValueError, match="counter"):
        SLOTS.unpack(plaintexts, N, 3)


@given(st.integers(0, 59), st.integers(1, 1 << 14), st.sampled_from([-1, 1]))
def test_an_overfull_slot_is_refused(at, excess, sign):
    honest = ints([sign * 1050] * 60)
    packed = total([SLOTS.pack(honest)] * 2)
    which, slot = divmod(at, SLOTS.per_plaintext)
    packed[which] += sign * excess << (SLOTS.width * slot)
    with pytest.raises(ValueError, match="overfull"):
        SLOTS.unpack([plaintext % N for plaintext in packed], N, 2)


@pytest.mark.parametrize("extra", [1, -1, 5, 1 << 40])
def test_what_lies_above_the_last_slot_is_refused(extra):
    packed = total([SLOTS.pack(ints(range(60)))])
    packed[-1] = (packed[-1] + (extra << (SLOTS.width * (60 % SLOTS.per_plaintext)))) % N
    with pytest.raises(ValueError, match="counter"):
        SLOTS.unpack(packed, N, 1)


@given(st.integers(2, 1 << 400), st.integers(1051, 1 << 14), st.sampled_from([-1, 1]))
def test_refusals_never_tell_what_was_decrypted(counter, excess, sign):
    slots = Slots(1, CAPACITY, 512)
    counter_is_one = mpz(1) << slots.width
    with pytest.raises(ValueError, match="^a counter differs from the number of contributors$"):
        slots.unpack([counter_is_one * counter], N, 1)
    with pytest.raises(ValueError, match="^a slot is overfull$"):
        slots.unpack([counter_is_one + sign * excess], N, 1)
