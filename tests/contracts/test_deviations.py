"""One party breaks the protocol: what becomes of the run, for every deviation and every protocol."""

from functools import cache
from pathlib import Path

import pytest

from attacks.deviation import DEVIATIONS, Outcome
from attacks.deviation_table import outcomes, table
from protocols.protocol import PROTOCOLS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "protocols" / "deviations.md"


@cache
def found(protocol):
    return {(name, role): verdict for name, role, verdict in outcomes(protocol)}


def expected_to_win(name, protocol):
    return "*" in DEVIATIONS[name].not_covered or protocol in DEVIATIONS[name].not_covered


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_deviation_wins_only_where_the_protocol_says_so(protocol):
    won = {name for (name, _), verdict in found(protocol).items() if verdict.outcome is Outcome.NOT_COVERED}
    assert {name for name in won if not expected_to_win(name, protocol)} == set()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_is_said_not_to_be_covered_is_not(protocol):
    won = {name for (name, _), verdict in found(protocol).items() if verdict.outcome is Outcome.NOT_COVERED}
    assert {name for name in DEVIATIONS if protocol in DEVIATIONS[name].not_covered} <= won


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_aborted_run_opens_nothing_and_any_other_opens_something(protocol):
    for verdict in found(protocol).values():
        if verdict.outcome is not Outcome.NOT_COVERED:
            assert (verdict.opened is None) == (verdict.outcome is Outcome.ABORTED)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_only_the_deviating_party_is_blamed_for_a_malformed_word(protocol):
    for name in ("garbage", "truncated", "oversized", "stale_session", "impersonate"):
        for (deviation, _), verdict in found(protocol).items():
            if deviation == name:
                assert len({blame.party for blame in verdict.transcript.blames}) == 1


@pytest.mark.parametrize("name", DEVIATIONS)
def test_every_deviation_has_an_occasion_in_some_protocol(name):
    assert any(name == deviation for protocol in PROTOCOLS for deviation, _ in found(protocol))


def test_there_are_at_least_twenty():
    assert len(DEVIATIONS) >= 20


def test_the_table_in_the_documentation_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == table()
