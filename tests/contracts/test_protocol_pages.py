"""Every protocol has a page that says what it claims, from whom it is, how it talks; and it is true."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from protocols.engines.conversation import EDGE
from protocols.protocol import PROTOCOLS
from securenb.report.protocol_pages import COMMAND, MARK, files, observed

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "protocols"


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_a_page_says_in_words_what_is_hidden_its_source_and_where_we_deviate(name):
    words = (FOLDER / f"{name}.md").read_text().split(MARK)[0]
    assert re.search(r"(?i)(\*\*|## ).*(deviat)", words)
    assert re.search(r"(?i)claim|hidden from whom|what it guarantees", words)
    assert PROTOCOLS[name].claims.source == "baseline" or re.search(r"[12][09]\d\d|draft-", words)


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_a_page_has_claims_states_and_sizes_of_every_message_that_was_sent(name):
    below = (FOLDER / f"{name}.md").read_text().split(MARK)[1]
    claims = PROTOCOLS[name].claims
    for promised in (claims.trust, claims.dropouts, claims.malicious_aggregator, claims.source):
        assert f"| {promised} |" in below
    assert f"(states/{name}.svg)" in below
    for sender, recipient, message in observed(name).sizes:
        assert f"| {sender} | {recipient} | {message} |" in below


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_the_drawing_shows_every_role_and_every_state(name):
    drawn = ET.fromstring((FOLDER / "states" / f"{name}.svg").read_text())
    shown = {element.text for element in drawn.iter("{http://www.w3.org/2000/svg}text")}
    for role, state, heard, following in observed(name).arrows:
        assert {role, state, following} - {EDGE} <= shown
        assert heard in {*shown, ""}


def test_the_pages_are_what_the_code_does():
    stale = [path.name for path, text in files(FOLDER).items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], f"run: {COMMAND}"
    assert {path.stem for path in (FOLDER / "states").iterdir()} == set(PROTOCOLS)
