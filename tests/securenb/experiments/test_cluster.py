"""Sweeps on a cluster: the same bytes as on this machine's processes, whatever was killed."""

import signal
import subprocess
import sys
import time

import pytest

from securenb.experiments.cluster import PACKAGES, cluster
from securenb.experiments.rounds import Sweep, measure_round
from securenb.experiments.sweep import Progress, run_cells

GRID = Sweep(
    choices={
        "dataset": "phishing",
        "nodes": 5,
        "protocol": ["ideal", "plain"],
        "epsilon": ["0.1", "1"],
        "group_size": 5,
    },
    trials=25,
)

SWEEP = """
import sys
from pathlib import Path
from securenb.experiments.rounds import Sweep, measure_round
from securenb.experiments.sweep import Progress, run_cells

if __name__ == "__main__":
    kept, backend = Path(sys.argv[1]), sys.argv[2]
    grid = Sweep.model_validate_json(sys.argv[3])
    table = run_cells(grid.cells(), measure_round, Progress(kept, "s"), jobs=2, backend=backend)
    table.to_csv(kept.with_suffix(".csv"))
"""


def test_a_backend_that_is_not_there_is_refused_with_the_remedy(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for backend, package in PACKAGES.items():
        with pytest.raises(ValueError, match=f"pip install {package}"), cluster(backend, 1):
            pass


def test_an_address_is_for_a_cluster():
    with pytest.raises(ValueError, match="loky runs on this machine"), cluster("loky", 1, "tcp://host:1"):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("backend", PACKAGES)
def test_a_sweep_on_a_cluster_that_was_killed_ends_like_one_on_processes(tmp_path, backend):
    pytest.importorskip(PACKAGES[backend], reason=f"needs the extra: pip install 'securenb[{backend}]'")
    kept, script = tmp_path / "kept", tmp_path / "sweep.py"
    script.write_text(SWEEP)
    command = [sys.executable, str(script), str(kept), backend, GRID.model_dump_json()]
    process = subprocess.Popen(command)
    try:
        until = time.monotonic() + 200
        while time.monotonic() < until and process.poll() is None:
            if kept.exists() and kept.read_bytes().count(b"\n") > len(GRID.cells()) // 2:
                break
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = kept.read_bytes().count(b"\n") - 1
    assert 0 < done < len(GRID.cells())
    subprocess.run(command, check=True, timeout=300)
    whole = run_cells(GRID.cells(), measure_round, Progress(tmp_path / "loky", "s"), jobs=2, backend="loky")
    assert kept.with_suffix(".csv").read_text() == whole.to_csv()
