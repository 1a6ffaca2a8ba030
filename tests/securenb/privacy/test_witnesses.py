"""What witness cells find, how often, and what they say of epsilon."""

import json
from fractions import Fraction

import numpy as np
import pytest

from securenb.data.dataset import DATASETS
from securenb.privacy.distributions import Polya
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.skellam import Skellam
from securenb.privacy.samplers import FastNoise
from securenb.privacy.witness_law import carried
from securenb.privacy.witness_record import FILE, decoded, encoded, read, report, write
from securenb.privacy.witnesses import ALARM, Reading, Witnesses, check_count

SCHEMA = DATASETS["phishing"].schema
LAPLACE = DiscreteLaplace(Fraction(10, 21))  # of ten queries: the scale that twenty-one have at epsilon 1
SKELLAM = Skellam(Fraction(1), 1e-6)


def witnesses(*rows, honest=4, shares=5, mechanism=LAPLACE, known=0):
    event = mechanism.event(SCHEMA, honest, honest)
    readings = [Reading(f"row {at}", honest, shares, np.asarray(row), known) for at, row in enumerate(rows)]
    return Witnesses(event, mechanism.delta, tuple(readings))


def cells(doses, count=400, scale=1, seed=0, mechanism=LAPLACE):
    dose = mechanism.noise(SCHEMA, SCHEMA.blocks[0], 1)
    law = carried(dose, Fraction(doses), Fraction(scale))
    return law.draw(FastNoise(np.random.default_rng(seed)), count)


def test_the_scale_is_that_of_twenty_one_queries_at_epsilon_one():
    assert witnesses(cells(1)).dose == Polya(Fraction(21))


@pytest.mark.parametrize("mechanism", [LAPLACE, SKELLAM])
@pytest.mark.parametrize(
    ("doses", "found"),
    [
        (Fraction(5, 4), "as claimed"),
        (1, "shares missing"),
        (Fraction(3, 4), "claim broken"),
        (0, "claim broken"),
    ],
)
def test_one_silent_site_of_five_is_a_missing_share_and_two_break_the_claim(mechanism, doses, found):
    held = cells(doses, 1000, seed=3, mechanism=mechanism) if doses else np.zeros(1000, dtype=np.int64)
    assert witnesses(held, mechanism=mechanism).found == found


def test_powers_are_those_of_the_design():
    def powers(count, honest=1, shares=1):
        return witnesses(np.zeros(count, dtype=np.int64), honest=honest, shares=shares).powers()

    assert powers(400)["half as wide"] >= 0.99
    assert powers(400)["a quarter of a dose missing"] >= 0.75
    assert powers(500)["a quarter of a dose missing"] >= 0.85
    assert powers(4000, honest=10, shares=10)["one share missing"] >= 0.90
    assert powers(1000, honest=4, shares=5)["one share missing"] >= 0.90


def test_alarms_are_divided_over_the_rows():
    one, ten = witnesses(cells(1)), witnesses(*(cells(1, seed=at) for at in range(10)))
    assert one.level == ALARM
    assert ten.level == ALARM / 10
    assert ten.powers()["a quarter of a dose missing"] < one.powers()["a quarter of a dose missing"]


def test_honest_rounds_have_findings_no_more_often_than_stated():
    """Of 1 000 honest rounds at 10^-3 more than 6 have a finding with probability below 10^-4."""
    rows = cells(Fraction(5, 4), 1_000 * 100, seed=1).reshape(1_000, 100)
    found = sum(finding.missing <= ALARM for finding in witnesses(*rows).findings)
    assert found <= 6


def test_a_row_that_carries_no_more_than_a_dose_has_one_test():
    for finding in witnesses(cells(1, seed=2), honest=5).findings:
        assert finding.missing == finding.broken


@pytest.mark.parametrize("mechanism", [LAPLACE, SKELLAM])
def test_bounds_on_epsilon_are_tight_and_cover_it(mechanism):
    """A seeded sample; the claim `witness_powers` has the whole."""
    found = [
        witnesses(cells(1, seed=seed, mechanism=mechanism), honest=5, mechanism=mechanism).bounds
        for seed in range(8)
    ]
    assert np.mean([bounds.upper / bounds.claimed for bounds in found]) <= 1.13
    assert np.mean([bounds.lower / bounds.claimed for bounds in found]) >= 0.87
    # both ends hold with nine in ten: fewer than five of eight do with probability below 10^-3
    assert sum(bounds.lower <= bounds.claimed <= bounds.upper for bounds in found) >= 5


def test_bounds_follow_the_width_of_the_noise():
    half = witnesses(cells(1, scale=Fraction(1, 2)), honest=5).bounds
    assert 1.6 < half.lower / half.claimed < 2 < half.upper / half.claimed < 2.4
    none = witnesses(np.zeros(400, dtype=np.int64)).bounds
    assert none.upper is None
    assert none.shares is None
    assert none.lower == pytest.approx(4 * none.claimed, rel=0.005)  # steps of 1 in 1 000
    much = witnesses(cells(1, scale=100)).bounds
    assert much.lower is None
    assert much.upper == pytest.approx(much.claimed / 4)


def test_missing_shares_cost_more_than_narrow_ones():
    """Less than a dose of Pólya noise has a peak at zero, where a shift shows."""
    bounds = witnesses(cells(Fraction(3, 4), 1000, seed=5)).bounds
    assert bounds.shares > bounds.upper > bounds.claimed


@pytest.mark.parametrize(("noisy", "found"), [(5, "as claimed"), (4, "shares missing"), (3, "claim broken")])
def test_a_dose_is_counted_beside_what_colluding_nodes_may_tell(noisy, found):
    """Three shares make a dose and one node may tell its own: three in the row leave two."""
    held = cells(Fraction(noisy, 3), 4000, seed=noisy)
    judged = witnesses(held, honest=3, known=1)
    assert judged.readings[0].needed == Fraction(4, 3)
    assert judged.found == found
    assert (judged.bounds.shares > 2 * judged.bounds.claimed) == (noisy == 3)


def test_what_a_malicious_party_may_send_is_judged_and_nothing_wraps():
    """A node or an aggregator can open any 64-bit integers there."""
    ends = np.iinfo(np.int64)
    for value in (ends.min, ends.max, 0, -1):
        judged = witnesses(np.full(400, value), honest=5)
        assert judged.found == ("claim broken" if abs(int(value)) < 2 else "as claimed")
        assert judged.bounds.claimed > 0
        assert report(judged)


def test_a_shape_is_a_note_and_no_verdict():
    odd = witnesses(np.full(400, 30), honest=5)
    assert odd.findings[0].shape < odd.level
    assert odd.found == "as claimed"
    assert "another shape" in report(odd)


def test_rows_are_judged_by_the_doses_that_they_should_carry():
    held = witnesses(cells(Fraction(5, 4), 4000, seed=7))
    more = witnesses(held.readings[0].cells, shares=8)
    assert held.found == "as claimed"
    assert more.found == "shares missing"


def test_a_file_is_judged_again_and_not_believed(tmp_path):
    kept = witnesses(cells(Fraction(3, 4), 1000), cells(1, 1000))
    again = decoded({**encoded(kept), "found": "as claimed", "findings": []})
    assert again.found == kept.found == "claim broken"
    assert again.findings == kept.findings
    assert again.bounds == kept.bounds
    write(tmp_path, {"plain": kept, "none": None})
    assert list(read(tmp_path)) == ["plain"]


@pytest.mark.parametrize(
    "change",
    [
        {"readings": []},
        {"readings": [{"what": "x", "honest": 0, "shares": 5, "known": 0, "cells": [1]}]},
        {"readings": [{"what": "x", "honest": 6, "shares": 5, "known": 0, "cells": [1]}]},
        {"readings": [{"what": "x", "honest": 4, "shares": 5, "known": 0, "cells": [1.5]}]},
        {"readings": [{"what": "x", "honest": 4, "shares": 5, "known": 0, "cells": [1 << 80]}]},
        {"readings": [{"what": "x", "honest": 4, "shares": 5, "known": 0, "cells": []}]},
        {"readings": [{"what": "x", "honest": 4, "shares": 5, "known": 2, "cells": [1]}]},
        {"readings": [{"what": "x", "honest": 1, "shares": 1 << 60, "known": 0, "cells": [1]}]},
        {"event": {}},
        {"delta": "none"},
    ],
)
def test_what_is_no_record_of_cells_is_refused_in_one_line(change, tmp_path):
    (tmp_path / FILE).write_text(json.dumps({"plain": {**encoded(witnesses(cells(1))), **change}}))
    with pytest.raises(ValueError, match=r"holds no witness cells that can be read$"):
        read(tmp_path)


@pytest.mark.parametrize("count", [0, 1, 49, 100_001, 10**9])
def test_numbers_of_cells_that_are_of_no_use_are_refused(count):
    with pytest.raises(ValueError, match=f"50 to 100,000 cells, got {count:,}"):
        check_count(count)
