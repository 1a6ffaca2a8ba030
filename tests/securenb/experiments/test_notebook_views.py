"""How results show themselves in a notebook."""

from fractions import Fraction

import numpy as np
import pytest

from protocols.engines.faults import NO_FAULTS, Faults
from protocols.schemes.masking import Masking
from protocols.schemes.plain import Plain
from securenb._html import html_facts, html_table
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import estimate
from securenb.data.dataset import load_dataset
from securenb.federation.federation import Federation
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.none import NoNoise
from securenb.robust.rules.sum import Sum
from securenb.schema.features import Categorical, Numeric
from securenb.schema.schema import Schema

DATA = load_dataset("phishing")
NODES = DATA.deal(nodes=6, seed=1)


def round_of(protocol, mechanism, faults=NO_FAULTS, **choices):
    return Federation(DATA.schema, protocol, mechanism, Sum(), seed=1, **choices).run(NODES, faults)


def test_a_round_shows_what_was_learned_what_it_cost_and_the_ledger():
    shown = round_of(Masking(), DiscreteLaplace(Fraction(1, 2)))._repr_html_()
    for words in ("one sum of 6", "ms of processor time", "aggregator", "DiscreteLaplace(epsilon=1/2)"):
        assert words in shown
    assert shown.count("<table>") == shown.count("</table>") == 3


def test_a_round_shows_which_groups_were_lost():
    faults = Faults(silent={NODES[0].id: 0})
    shown = round_of(Masking(), NoNoise(), faults, group_size=3)._repr_html_()
    assert "groups not opened" in shown
    assert "masks cannot cancel" in shown


def test_a_ledger_shows_both_adjacencies_for_each_who_sees_something():
    shown = round_of(Plain(), DiscreteLaplace(Fraction(1)))._repr_html_()
    assert "epsilon, add-remove" in shown
    assert "epsilon, replace-one" in shown
    assert "in all, to who reads vectors" in shown
    assert "in all, to who reads vectors" not in round_of(Masking(), NoNoise())._repr_html_()
    assert "not private" in round_of(Masking(), NoNoise()).ledger._repr_html_()


def test_a_model_shows_levels_and_numbers_in_their_own_units():
    schema = Schema(
        ("no", "yes"), (Numeric("age", 0, 100, steps=100), Categorical("colour", ("red", "blue")))
    )
    counts, offset = 10, 50
    ages = {"no": 20 - offset, "yes": 60 - offset}
    square = schema.features[0].square_offset
    table = np.array([[counts, counts * age, counts * (age**2 + 25 - square), 9, 1] for age in ages.values()])
    shown = NaiveBayes(estimate(schema, table))._repr_html_()
    assert "20 ± 5" in shown
    assert "60 ± 5" in shown
    assert "red (0.83)" in shown
    assert ">0.500<" in shown


@pytest.mark.parametrize("shown", [html_table("<i>", ["<b>"], [["<a>"]]), html_facts("<i>", {"<b>": "<a>"})])
def test_names_in_the_data_are_text(shown):
    for tag in ("<i>", "<b>", "<a>"):
        assert tag not in shown
