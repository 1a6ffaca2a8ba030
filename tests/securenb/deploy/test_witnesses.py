"""A deployed round of five sites whose cells show the noise: all of it, one site silent, two silent."""

import json

import pytest

from protocols.party import AGGREGATOR
from securenb.cli.main import main
from securenb.deploy.coordinator import RESULT
from securenb.deploy.site import Site
from securenb.privacy.witness_record import read
from securenb.report.receipt import RECEIPT
from securenb.report.receipt_verifier import verified

CELLS = 1_000


@pytest.fixture
def silenced(monkeypatch):
    """Makes some sites leave their noise out, everywhere; they do all else as they should."""
    vector = Site.vector

    def without_noise(self, federation, session):
        full = vector(self, federation, session)
        return self.node().contribution(federation.layout, 0 * full, federation.mechanism.grid)

    def silence(*names):
        monkeypatch.setattr(
            Site,
            "vector",
            lambda self, *of: (without_noise if self.limits.party in names else vector)(self, *of),
        )

    return silence


@pytest.mark.parametrize(
    ("silent", "found", "code"),
    [
        ((), "as claimed", 0),
        (("site-2",), "shares missing", 3),
        (("site-2", "site-5"), "claim broken", 1),
    ],
    ids=["all", "one silent", "two silent"],
)
def test_silent_sites_are_found_and_the_receipt_says_so(deployment, silenced, silent, found, code, capsys):
    for name in deployment.names:
        deployment.edit(name, smallest_colluding=0)
    silenced(*silent)
    folder = deployment.round(colluding=0, witnesses=CELLS, seed=11)
    result = folder / RESULT
    assert deployment.opened(folder) is not None, deployment.progress(folder)
    witnesses = read(result)["secagg"]
    assert witnesses.readings[0].doses == 5 / 4
    assert witnesses.cells == CELLS
    assert witnesses.found == found
    assert main(["audit", "--live", str(result)]) == code
    said = capsys.readouterr().out
    assert ("the claim still holds" in said) == (found == "shares missing")
    key = deployment.coordinator.roster[AGGREGATOR].hex()
    body, _ = verified((result / RECEIPT).read_bytes(), key)
    assert body["rounds"]["secagg"]["noise witnesses"]["found"] == found
    assert body["schema"] == deployment.schema.digest.hex()
    assert body["plan"]["of"].startswith("the plan that the coordinator signed")
    lines = [json.loads(line) for line in (deployment.place("site-1") / "log.jsonl").read_text().splitlines()]
    assert [line["plan"] for line in lines if line["event"] == "opened"] == [body["plan"]["sha256"]]
    assert body["run"]["session"] == deployment.said(folder, "planned")[0]["session"]
    assert (result / RECEIPT).name not in json.loads((result / "manifest.json").read_text())["files"]
    assert (
        main(
            ["receipt", str(result / RECEIPT), "--verify", str(deployment.coordinator.folder / "roster.toml")]
        )
        == 0
    )


def test_the_coordinator_subtracts_its_own_draws_under_verified(deployment):
    deployment.allow("1000")
    folder = deployment.round(protocol="verified", witnesses=100)
    readings = read(folder / RESULT)["verified"].readings
    assert [reading.what for reading in readings] == [f"row 0 of 5 nodes without the draws of {AGGREGATOR}"]
    assert readings[0].shares == 1
    assert read(folder / RESULT)["verified"].found == "as claimed"


def test_a_release_has_cells_too(deployment):
    folder = deployment.round(witnesses=60, seed=None)
    assert read(folder / RESULT)["secagg"].found == "as claimed"


@pytest.mark.parametrize("witnesses", [0, 10**9])
def test_numbers_of_cells_that_are_of_no_use_are_refused_before_the_round(deployment, witnesses):
    with pytest.raises(ValueError, match="50 to 100,000 cells"):
        deployment.round(witnesses=witnesses)
