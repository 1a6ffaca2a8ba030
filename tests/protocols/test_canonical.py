import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.canonical import digest, encode

values = st.recursive(st.binary() | st.text() | st.integers(), lambda inner: st.lists(inner, max_size=4))


def listed(value):
    """Tuples and lists are the same value."""
    return [listed(item) for item in value] if isinstance(value, list | tuple) else (type(value), value)


@given(values, values)
def test_two_values_share_an_encoding_only_if_they_are_the_same(one, other):
    assert (encode(one) == encode(other)) == (listed(one) == listed(other))


@given(st.integers())
def test_integers_of_any_size_and_sign_differ_from_their_neighbours(value):
    assert encode(value) != encode(value + 1)
    assert encode(value) != encode(-value) or value == 0


def test_moving_a_boundary_changes_the_encoding():
    splits = [["ab", "c"], ["a", "bc"], ["abc"], ["a", "b", "c"], [["a", "b"], "c"], [["a"], "b", "c"], []]
    assert len({encode(split) for split in splits}) == len(splits)


def test_text_bytes_and_numbers_that_look_alike_differ():
    assert len({encode(v) for v in ("1", b"1", 1, 49, ["1"], "", b"", 0, [])}) == 9


def test_the_encoding_is_what_it_has_always_been():
    assert encode(["a", b"\0", -1]).hex() == (
        "6c000000000000001e7300000000000000016162000000000000000100690000000000000001ff"
    )


def test_a_bool_is_no_number():
    with pytest.raises(TypeError, match="bool"):
        encode([True])


def test_a_digest_binds_its_label():
    assert digest("a", 1) == hashlib.sha256(encode(["a", 1])).digest()
    assert digest("a", 1) != digest("b", 1)
    assert digest("a", "b") != digest("a", ["b"])
