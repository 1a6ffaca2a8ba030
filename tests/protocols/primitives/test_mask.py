import numpy as np
import pytest

from protocols.primitives.mask import add_mask, expand, subtract_mask
from protocols.ring import to_bytes

KEY = bytes(range(32))


def test_the_stream_is_aes_256_in_counter_mode():
    # the encryption of the zero block under the zero key, as published for AES-256
    assert to_bytes(expand(bytes(32), 2)).hex() == "dc95c078a2408989ad48a21492842087"


@pytest.mark.parametrize("length", [1, 2, 3, 999, 1000])
def test_a_longer_mask_begins_with_the_shorter(length):
    assert (expand(KEY, 1001)[:length] == expand(KEY, length)).all()


def test_adding_and_subtracting_a_mask_changes_nothing():
    rng = np.random.default_rng(1)
    vector = rng.integers(0, 2**64, 100, dtype=np.uint64)
    masked = vector.copy()
    add_mask(masked, KEY)
    assert not (masked == vector).any()
    subtract_mask(masked, KEY)
    assert (masked == vector).all()


def test_every_bit_of_the_key_counts():
    masks = {bytes(32): expand(bytes(32), 4).tobytes()}
    for bit in range(256):
        key = (1 << bit).to_bytes(32, "big")
        masks[key] = expand(key, 4).tobytes()
    assert len(set(masks.values())) == 257


def test_every_bit_of_the_ring_is_used():
    ones = np.unpackbits(expand(KEY, 20_000).view(np.uint8).reshape(-1, 8), axis=1).mean(axis=0)
    # 20 000 fair coins: six standard deviations are 0.021
    assert (abs(ones - 0.5) < 0.022).all()


@pytest.mark.parametrize("size", [0, 16, 31])
def test_a_key_of_another_size_is_refused(size):
    with pytest.raises(ValueError, match="key"):
        expand(bytes(size), 3)
