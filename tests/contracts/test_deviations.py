"""What every protocol does about every scripted deviation: keep its promise, or say why it does not."""

from pathlib import Path

import pytest

from attacks.deviation import DEVIATIONS, Outcome
from attacks.sweeps.deviation_table import page, verdicts
from protocols.party import AGGREGATOR
from protocols.protocol import PROTOCOLS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "protocols" / "deviations.md"


def test_there_are_at_least_twenty():
    assert len(DEVIATIONS) >= 20


@pytest.mark.parametrize("name", list(DEVIATIONS))
def test_a_deviation_finds_an_occasion_in_each_of_its_roles(name):
    for role in DEVIATIONS[name].roles:
        assert any(key[:2] == (name, role) for key in verdicts()), role


@pytest.mark.parametrize("protocol", list(PROTOCOLS))
@pytest.mark.parametrize("name", list(DEVIATIONS))
def test_a_protocol_keeps_its_promise_or_says_why_not(name, protocol):
    """The declared exceptions are exact: one that does not occur is an error as well."""
    outcomes = [v.outcome for (n, _, p), v in verdicts().items() if (n, p) == (name, protocol)]
    declared = DEVIATIONS[name].not_covered
    broken = Outcome.NOT_COVERED in outcomes
    assert broken == (protocol in declared or "*" in declared), outcomes


@pytest.mark.parametrize("protocol", list(PROTOCOLS))
@pytest.mark.parametrize("name", list(DEVIATIONS))
def test_no_honest_party_is_blamed_for_it_unless_that_cannot_be_helped(name, protocol):
    blamed = [v.misblamed for (n, _, p), v in verdicts().items() if (n, p) == (name, protocol)]
    assert any(blamed) == (protocol in DEVIATIONS[name].misblamed), blamed


@pytest.mark.parametrize("protocol", list(PROTOCOLS))
def test_a_lying_aggregator_gets_nothing_where_that_is_claimed(protocol):
    """Only plain and masking say that it gets something."""
    outcomes = {v.outcome for (_, role, p), v in verdicts().items() if (role, p) == (AGGREGATOR, protocol)}
    assert (Outcome.NOT_COVERED in outcomes) == (protocol in {"plain", "masking"})


def test_the_page_is_what_the_code_does():
    assert PAGE.read_text() == page(), f"run: python -m attacks.sweeps.deviation_table > {PAGE.name}"
