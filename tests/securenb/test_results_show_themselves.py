"""Every result has a short repr, a table for notebooks, and a tidy frame."""

import pandas as pd
import pytest

import attacks
import securenb as nb

SCENARIO = nb.Scenario.checked(
    dataset="phishing", nodes=6, protocol="secagg", epsilon="1", shrinkage=False, seed=1
)
DATA = nb.load_dataset("phishing")


@pytest.fixture(scope="module")
def results():
    round_ = SCENARIO.federation(DATA).run(SCENARIO.deal(DATA))
    compared = nb.compare(SCENARIO, DATA, ["plain", "secagg(profile=semi-honest)"])
    return {
        "round": round_,
        "ledger": round_.ledger,
        "audit": attacks.audit(SCENARIO, levels=["L0"]),
        "certificates": nb.certify(round_.model, DATA.test.codes[:5], 1, 10),
        "comparison": compared,
        "model": round_.model,
        "opened": round_.opened,
        "transcript": round_.transcript,
    }


FRAMES = {"round": 7, "ledger": 1, "certificates": 5, "comparison": 2}


@pytest.mark.parametrize(
    "name", ["round", "ledger", "audit", "certificates", "comparison", "model", "opened", "transcript"]
)
def test_a_repr_is_one_short_line(results, name):
    shown = repr(results[name])
    assert shown.startswith(f"<{type(results[name]).__name__.replace('Compared', 'Comparison')}: ")
    assert len(shown) < 400
    assert "\n" not in shown


@pytest.mark.parametrize("name", ["round", "ledger", "audit", "certificates", "comparison", "model"])
def test_a_notebook_shows_a_table(results, name):
    assert results[name]._repr_html_().startswith("<table>")


@pytest.mark.parametrize("name", ["round", "ledger", "audit", "certificates", "comparison"])
def test_a_frame_is_tidy(results, name):
    frame = results[name].frame
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == FRAMES.get(name, len(frame)) > 0
    assert frame.columns.is_unique


def test_frames_say_what_happened(results):
    assert list(results["comparison"].frame["protocol"]) == ["plain", "secagg(profile=semi-honest)"]
    assert results["comparison"].frame["identical"].all()
    assert list(results["ledger"].frame["epsilon_add-remove"]) == [1.0]
    assert set(results["round"].frame["role"]) == {"node", "aggregator"}
    assert "epsilon 1 " in repr(results["ledger"])
    assert "1 different model" in repr(results["comparison"])
