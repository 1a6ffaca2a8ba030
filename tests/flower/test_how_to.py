"""The page on many machines is a script: it is run as it stands there."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from securenb.data.partition import deal
from securenb.deploy import processes
from securenb.deploy.launch import free_port
from securenb.randomness import Streams

pytest.importorskip("flwr", reason="needs the extra: pip install 'securenb[flower]'")

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "many-machines.md"
NAMES = ["north", "south", "east", "west", "centre"]
HERE = f'set -euo pipefail\nsecurenb() {{ "{sys.executable}" -m securenb "$@"; }}\n'


def test_the_page_walks_five_hospitals_and_a_coordinator_through_a_round(tmp_path, dataset, as_files):
    data = dataset("phishing")
    dealt = deal(data.train, len(data.schema.classes), 5, rng=Streams(3).rng("deal"))
    as_files(tmp_path, data.schema, {name: node.records for name, node in zip(NAMES, dealt, strict=True)})
    script = HERE + "".join(re.findall(r"^```bash\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE))
    assert script.count("securenb deploy") >= 20
    environment = {**os.environ, "COORDINATOR": f"127.0.0.1:{free_port()}"}
    places = [tmp_path / name for name in (*NAMES, "study/coordinator")]
    try:
        with (tmp_path / "said").open("w") as said:  # a pipe would wait for what runs in the background
            done = subprocess.run(
                ["bash", "-c", script], cwd=tmp_path, env=environment, stdout=said, stderr=said, timeout=600
            )
        assert done.returncode == 0, (tmp_path / "said").read_text()
        assert [place for place in places if processes.alive(place) is not None] == []
    finally:
        for place in places:
            processes.end(place)
    (row,) = json.loads((tmp_path / "runs" / "first" / "opened.json").read_text())
    assert row["members"] == NAMES
    assert (tmp_path / "runs" / "first" / "model.json").exists()
    text = (tmp_path / "said").read_text()
    assert "opened: 1, 5" in text
    strongest = [
        "smallest_group = 4",
        "smallest_threshold = 4",
        "smallest_colluding = 1",
        'profile = "malicious"',
    ]
    assert set(strongest) <= set(text.splitlines())
    rosters = set(re.findall(r"roster ([0-9a-f]{16})", text))
    assert len(rosters) == 1
