import numpy as np
import pytest

from protocols.catalogue import Catalogue
from protocols.opened import Opened
from protocols.protocol import PROTOCOLS
from securenb.data.dataset import load_dataset
from securenb.experiments.compare import _relative_error, compare
from securenb.experiments.scenario import Scenario


def test_an_inexact_sum_is_told_by_its_relative_error():
    opened = Opened(np.array([[3, 4], [1, 0]]), (("a", "b"), ("c",)))
    vectors = {"a": np.array([1, 2]), "b": np.array([2, 2]), "c": np.array([1, 0])}
    assert _relative_error(opened, vectors) == 0
    vectors["a"] = np.array([1, 1])
    assert _relative_error(opened, vectors) == pytest.approx(1 / np.hypot(3, 3))


def test_among_all_protocols_those_that_a_threshold_excludes_get_a_line_and_the_others_run(monkeypatch):
    quick = [name for name in PROTOCOLS if "paillier" not in name]
    monkeypatch.setattr(Catalogue, "__iter__", lambda self: iter(quick))
    scenario = Scenario(dataset="phishing", protocol="plain", nodes=6, epsilon=1, seed=7, threshold=5)
    data = load_dataset("phishing")
    lines = {line.protocol: line for line in compare(scenario, data, ["all"]).lines}
    refused = {name for name, line in lines.items() if line.failure}
    assert refused == {"gossip", "masking", "ring"}
    assert all(lines[name].failure.startswith("cannot run: rule 7, whole group") for name in refused)
    assert all(line.identical for name, line in lines.items() if name not in refused)
    with pytest.raises(ValueError, match="whole group"):
        compare(scenario, data, ["plain", "ring"])
