"""Charges add up along a node, not across disjoint ones."""

from fractions import Fraction

from securenb.privacy.ledger import Ledger, Release
from securenb.privacy.mechanism import Charge


def release(*nodes, epsilon=Fraction(1, 10), delta=0.0):
    charge = Charge(epsilon, None if epsilon is None else 2 * epsilon, delta)
    return Release("row", nodes, charge, "mechanism", 1)


def test_an_empty_ledger_has_cost_nothing():
    assert Ledger().epsilon("add-remove") == 0


def test_disjoint_nodes_compose_in_parallel_and_the_same_node_in_sequence():
    ledger = Ledger()
    for entry in (release("a", "b"), release("c"), release("b", "c"), release("b", epsilon=Fraction(1, 3))):
        ledger.record(entry)
    assert ledger.epsilon("add-remove") == Fraction(1, 10) + Fraction(1, 10) + Fraction(1, 3)
    assert ledger.epsilon("replace-one") == 2 * ledger.epsilon("add-remove")


def test_one_release_without_noise_makes_the_whole_ledger_not_private():
    ledger = Ledger()
    ledger.record(release("a"))
    ledger.record(release("b", epsilon=None))
    assert ledger.epsilon("add-remove") is None
    assert "not private" in ledger.report()


def test_deltas_add_up_as_well():
    ledger = Ledger()
    ledger.record(release("a", delta=1e-6))
    ledger.record(release("a", "b", delta=1e-6))
    assert ledger.delta() == 2e-6


def test_the_report_shows_both_adjacencies():
    ledger = Ledger()
    ledger.record(release("a"))
    assert "0.1" in ledger.report()
    assert "add-remove" in ledger.report()
    assert "0.2" in ledger.report()
    assert "replace-one" in ledger.report()
