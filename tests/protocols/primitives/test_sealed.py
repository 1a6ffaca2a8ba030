import pytest

from protocols.primitives.sealed import TAG_BYTES, Direction, seal, unseal

KEY = bytes(range(32))
FIRST, SECOND = Direction.FROM_FIRST, Direction.FROM_SECOND


def test_the_tag_is_that_of_the_gcm_specification_test_case_13():
    assert seal(bytes(32), FIRST, b"", b"").hex() == "530f8afbc74536b9a963b4f1c4cb738b"


def test_what_was_sealed_is_read_with_the_same_key_direction_and_associated_data():
    sealed = seal(KEY, FIRST, b"content", b"from a to b")
    assert len(sealed) == len(b"content") + TAG_BYTES
    assert unseal(KEY, FIRST, sealed, b"from a to b") == b"content"


@pytest.mark.parametrize(
    ("key", "direction", "associated"),
    [(bytes(32), FIRST, b"from a to b"), (KEY, SECOND, b"from a to b"), (KEY, FIRST, b"from a to c")],
)
def test_what_belongs_elsewhere_is_refused(key, direction, associated):
    sealed = seal(KEY, FIRST, b"content", b"from a to b")
    with pytest.raises(ValueError, match="belong"):
        unseal(key, direction, sealed, associated)


@pytest.mark.parametrize("change", [lambda s: s[:-1], lambda s: bytes([s[0] ^ 1]) + s[1:], lambda s: b""])
def test_what_was_changed_is_refused(change):
    sealed = seal(KEY, FIRST, b"content", b"")
    with pytest.raises(ValueError, match="changed"):
        unseal(KEY, FIRST, change(sealed), b"")


def test_the_two_directions_share_no_keystream():
    assert seal(KEY, FIRST, bytes(32), b"")[:32] != seal(KEY, SECOND, bytes(32), b"")[:32]
