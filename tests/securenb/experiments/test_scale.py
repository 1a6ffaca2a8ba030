"""Cost against the number of nodes: measured on exact sums, with slopes that are what they say."""

import pandas as pd
import pytest

from protocols.protocol import PROTOCOLS
from securenb.experiments.scale import scale, slope
from securenb.report.sections.scaling import costs


def test_a_power_law_has_its_power_as_slope():
    table = pd.DataFrame({"nodes": [10, 100, 1000], "sent": [30.0, 3000.0, 300_000.0], "received": 5.0})
    assert slope(table, "sent") == pytest.approx(2)
    assert slope(table, "received") == pytest.approx(0)
    assert slope(table[:1], "sent") is None


def test_what_a_node_sends_is_flat_in_the_clear_and_grows_with_all_pairs():
    plain = scale("plain", PROTOCOLS["plain"](), [80, 10, 40], 20, seed=7)
    assert list(plain["nodes"]) == [10, 40, 80]
    assert slope(plain, "sent") == pytest.approx(0, abs=0.05)
    complete = scale("secagg", PROTOCOLS["secagg"].for_tests(), [10, 40, 80], 20, seed=7)
    assert slope(complete, "sent") > 0.5


def test_bytes_are_the_same_with_the_same_seed():
    first, again = (scale("masking", PROTOCOLS["masking"](), [5, 9], 20, seed=7) for _ in range(2))
    assert first[["sent", "received"]].equals(again[["sent", "received"]])


@pytest.mark.parametrize("nodes", [[], [5, 5], [0, 5]])
def test_numbers_of_nodes_that_make_no_line_are_refused(nodes):
    with pytest.raises(ValueError, match="each once, got"):
        scale("plain", PROTOCOLS["plain"](), nodes, 20, seed=7)


def test_the_chart_states_the_slope_on_logarithmic_axes():
    table = scale("plain", PROTOCOLS["plain"](), [10, 100], 20, seed=7)
    chart = costs(table, "kB per node").to_dict()
    assert {chart["encoding"][axis]["scale"]["type"] for axis in "xy"} == {"log"}
    assert f"sent: grows as n^{slope(table, 'sent'):.2f}" in chart["encoding"]["color"]["sort"]


def test_progress_names_the_run_and_from_the_second_on_says_how_far_it_is():
    told = []
    scale(
        "secagg", PROTOCOLS["secagg"].for_tests(), [5, 20], 20, seed=7, progress=lambda *now: told.append(now)
    )
    assert told[0] == ("5 nodes", 0)
    assert [name for name, _ in told[1:]] == ["20 nodes"] * (len(told) - 1)
    shares = [share for _, share in told[1:]]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] == pytest.approx(1)


def test_nodes_made_one_after_another_weigh_what_nodes_weigh_that_are_all_there():
    one, other = (scale("oneshot", PROTOCOLS["oneshot"](), [5, 9], 20, 7, streamed=s) for s in (False, True))
    assert one[["sent", "received"]].equals(other[["sent", "received"]])
