"""A seeded sample of `python -m benchmarks.fuzz`: messages changed at random, under every protocol."""

from collections import Counter

import pytest

from benchmarks.fuzz import carriers, trial
from protocols.protocol import PROTOCOLS

VECTORS = {"secagg": {"MaskedVector"}, "secagg_plus": {"MaskedVector"}, "plain": {"Vector"}}


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_fuzzed_messages_give_no_wrong_sum_no_false_blame_and_no_surprise(name):
    carrying = carriers(name)
    assert carrying >= VECTORS.get(name, set())
    total = sum((trial(name, 7, number, carrying) for number in range(12)), Counter())
    assert total["messages"] > 0


def test_in_double_masking_only_the_masked_vector_is_a_nodes_own_business():
    assert carriers("secagg") == {"MaskedVector"}


def test_the_fuzzer_finds_a_party_that_cannot_take_what_it_hears(monkeypatch):
    """An instrument that finds nothing must be able to: a server that trusts what it is sent."""
    from protocols.schemes._double_masking.group_round import GroupRound

    def trusting(self, position, unreadable):
        self._complaints[position] = [self._around(position)[place] for place in unreadable]

    monkeypatch.setattr(GroupRound, "_take_complaint", trusting)
    with pytest.raises((AssertionError, IndexError, KeyError)):
        sum((trial("secagg", 7, number, {"MaskedVector"}) for number in range(400)), Counter())
