"""Same name, same numbers."""

import numpy as np
import pytest

from securenb.randomness import Streams


def test_a_named_stream_does_not_depend_on_what_else_was_drawn():
    alone = Streams(7).rng("noise", "node-1").integers(2**60, size=4)
    streams = Streams(7)
    streams.rng("deal").random(100)
    assert np.array_equal(streams.rng("noise", "node-1").integers(2**60, size=4), alone)


def test_other_names_and_other_seeds_give_other_numbers():
    draws = [
        tuple(streams.rng(*name).integers(2**60, size=2))
        for streams in (Streams(7), Streams(8))
        for name in (("a", "b"), ("ab",), ("a",), ("a", 1))
    ]
    assert len(set(draws)) == len(draws)


def test_entropy_follows_from_the_seed_or_from_the_system():
    assert Streams(7).entropy("key")(16) == Streams(7).entropy("key")(16)
    assert Streams().entropy("key")(16) != Streams().entropy("key")(16)


def test_a_negative_seed_is_refused():
    with pytest.raises(ValueError, match="non-negative integer, got -1"):
        Streams(-1)
