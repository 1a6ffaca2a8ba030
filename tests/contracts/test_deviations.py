"""What every protocol does about every scripted deviation: keep its promise, or say why it does not."""

from pathlib import Path

from attacks.deviation import DEVIATIONS, Outcome
from attacks.sweeps.deviation_table import page, verdicts
from protocols.party import AGGREGATOR
from protocols.protocol import PROTOCOLS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "protocols" / "deviations.md"


def test_there_are_at_least_twenty():
    assert len(DEVIATIONS) >= 20


def test_a_deviation_finds_an_occasion_in_each_of_its_roles():
    found = {key[:2] for key in verdicts()}
    assert found == {(name, role) for name in DEVIATIONS for role in DEVIATIONS[name].roles}


def test_a_protocol_keeps_its_promise_or_says_why_not():
    """The declared exceptions are exact: one that does not occur is an error as well."""
    broken = {(n, p) for (n, _, p), v in verdicts().items() if v.outcome is Outcome.NOT_COVERED}
    declared = {
        (name, protocol)
        for name in DEVIATIONS
        for protocol in PROTOCOLS
        if {protocol, "*"} & set(DEVIATIONS[name].not_covered)
    }
    assert broken == declared


def test_no_honest_party_is_blamed_for_it_unless_that_cannot_be_helped():
    blamed = {(n, p) for (n, _, p), v in verdicts().items() if v.misblamed}
    assert blamed == {(name, protocol) for name in DEVIATIONS for protocol in DEVIATIONS[name].misblamed}


def test_a_malicious_aggregator_gets_nothing_where_that_is_claimed():
    """Only plain and masking say that it gets something."""
    gained = {
        p for (_, role, p), v in verdicts().items() if role == AGGREGATOR and v.outcome is Outcome.NOT_COVERED
    }
    assert gained == {"plain", "masking"}


def test_the_page_is_what_the_code_does():
    assert PAGE.read_text() == page(), f"run: python -m attacks.sweeps.deviation_table > {PAGE.name}"
