"""Real processes on loopback, with TLS and node keys: one coordinator and five sites, who sum under `secagg`.

A deployment takes many seconds to start, so all tests here share one; each leaves it complete, or with one
site on its way back.
"""

import http.client
import os
import re
import signal
import ssl
import subprocess
from pathlib import Path

import pytest

from protocols.party import AGGREGATOR
from securenb.deploy import processes
from securenb.deploy.coordinator import RESULT
from securenb.deploy.folder import PARTIES
from securenb.report.receipt import RECEIPT
from securenb.report.receipt_verifier import verified

pytest.importorskip("flwr", reason="needs the extra: pip install 'securenb[flower]'")

VICTIM = "site-2"
STAGES = ("start", "NeighbourKeys", "DeliveredShares", "Participants", "Survivors", "Confirmations")


@pytest.fixture(scope="module")
def deployment(deploy):
    deployment = deploy(sites=5, protocols="plain,secagg")
    deployment.run("up", deployment.folder)
    deployment.join()
    return deployment


def test_after_a_coordinator_died_no_site_releases_anything_twice(deployment, until):
    choices = {"protocol": "secagg", "epsilon": "1", "seed": 13}
    before = len(deployment.rounds())
    process = deployment.start(**choices)
    assert until(lambda: len(deployment.rounds()) > before)
    assert until(lambda: deployment.events(deployment.rounds()[-1], "stage"))
    deployment.kill_coordinator()
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 4
    assert "the coordinator died" in output
    assert "no site releases anything twice" in output
    deployment.run("up", deployment.folder)
    # asked the same again, sites answer the same again, from their journals: it is one release
    again, done = deployment.round(**choices)
    assert done.returncode == 0, done.stdout + done.stderr
    assert deployment.opened(again)[0]["members"] == deployment.names
    _, expected = deployment.in_one_process(**choices)
    assert deployment.opened(again)[0]["sums"] == expected.opened.rows[0].tolist()
    third, done = deployment.round(**choices)
    assert done.returncode == 4
    refusals = {line["party"]: line["why"] for line in deployment.events(third, "left")}
    assert all("has released its part of session" in refusals[name] for name in deployment.names)
    for name in deployment.names:
        assert deployment.log(name)[-1]["event"] == "refused"


@pytest.mark.parametrize("step", range(len(STAGES)), ids=STAGES)
def test_a_site_killed_in_any_stage_leaves_the_exact_sum_of_the_others(deployment, until, step):
    choices = {"protocol": "secagg", "epsilon": "1", "seed": 20 + step}
    round_ = deployment.check_survivors({VICTIM: step}, until, **choices)
    stages = deployment.events(round_, "stage")
    # after silence a stage is also told that there was a deadline
    assert tuple(stage["name"].partition(",")[0] for stage in stages) == STAGES
    assert {stage["answered"] for stage in stages[:step]} <= {5}
    if step + 1 < len(STAGES):  # its last reply may have left just before it died
        assert 4 in {stage["answered"] for stage in stages[step : step + 2]}


def test_a_round_says_what_its_witness_cells_show_and_has_a_receipt(deployment):
    round_, done = deployment.round(protocol="secagg", epsilon="1", seed=60, witnesses=400)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "witnesses: 400 cells that no record touches" in done.stdout
    assert "nothing speaks against the claim" in done.stdout
    roster = deployment.coordinator.roster
    body, _ = verified((round_ / RESULT / RECEIPT).read_bytes(), roster[AGGREGATOR].hex())
    assert body["rounds"]["secagg"]["noise witnesses"]["found"] == "as claimed"


def test_strangers_get_one_clear_line(deployment, tmp_path):
    other = tmp_path / "other"
    deployment.run("init", other, "--schema", deployment.folder / "coordinator" / "schema.toml",
                   "--sites", "site-1,site-2", "--protocols", "plain", "--address", deployment.address,
                   "--trial")  # fmt: skip
    stranger = other / PARTIES / "site-1"
    join = ["join", stranger, "--data", deployment.data["site-1"]]
    done = deployment.run(*join, check=False)
    assert done.returncode == 2
    assert "the coordinator's certificate is not signed by our ca.pem" in done.stderr
    (stranger / "ca.pem").write_bytes((deployment.place("site-1") / "ca.pem").read_bytes())
    done = deployment.run(*join, check=False)
    assert done.returncode == 2
    assert "does not know this node's key" in done.stderr
    assert not (stranger / "releases").exists()


def test_a_stranger_on_the_port_is_refused_what_is_the_operators(deployment):
    # another address than the one that is called: as from another machine
    host, port = deployment.address.split(":")
    trusted = ssl.create_default_context(cafile=str(deployment.place("site-1") / "ca.pem"))
    seen = {}
    for source in ("127.0.0.2", host):
        call = http.client.HTTPSConnection(
            host, int(port), context=trusted, source_address=(source, 0), timeout=20
        )
        for path in (
            "/v1/control/list-runs",
            "/v1/control/stop-run",
            "/v1/runtime/pull-task",
            "/v1/fleet/get-run",
        ):
            call.request("POST", path)
            answer = call.getresponse()
            answer.read()
            seen.setdefault(path, []).append(answer.status)
        call.close()
    assert [statuses[0] for statuses in seen.values()][:3] == [403, 403, 403]
    assert 403 not in [statuses[1] for statuses in seen.values()]
    assert seen["/v1/fleet/get-run"][0] != 403


def test_a_second_round_at_once_is_refused_and_a_killed_one_has_ended(deployment, until):
    known = deployment.rounds()
    assert until((deployment.place(VICTIM) / "process").exists)
    deployment.kill(VICTIM)  # so that the round waits for a site, for as long as this takes
    first = deployment.start(protocol="secagg", epsilon="1", seed=31)
    assert until(lambda: len(deployment.rounds()) > len(known))
    (place,) = set(deployment.rounds()) - set(known)
    assert until(lambda: deployment.events(place, "planned"))
    _, done = deployment.round(protocol="secagg", epsilon="1", seed=32)
    assert done.returncode == 2
    assert "another `securenb deploy run` works for" in done.stderr
    with pytest.raises(ValueError, match=f"round {place.name} is running"):
        deployment.coordinator.order({"protocol": "secagg", "epsilon": "1", "seed": 32})
    assert deployment.rounds() == [*known, place]
    # what Linux does to a process that takes too much memory
    inode = str((place / "running").stat().st_ino)
    locks = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    holders = [int(lock[4]) for lock in locks if lock[1] == "FLOCK" and lock[5].split(":")[2] == inode]
    for pid in holders:
        os.kill(pid, signal.SIGKILL)
    output, _ = first.communicate(timeout=60)
    assert holders
    assert first.returncode == 4
    assert "the round's process ended in the middle" in output
    assert deployment.events(place, "aborted")
    deployment.join(VICTIM)
    _, done = deployment.round(protocol="plain", epsilon="1", seed=33)
    assert done.returncode == 0, done.stdout + done.stderr


def test_shipped_code_is_not_run_and_the_next_round_works(deployment, tmp_path):
    app = deployment.folder / "coordinator" / "app" / "securenb-round"
    spy = f"import pathlib\npathlib.Path({str(tmp_path / 'trace')!r}).touch()\n"
    (app / "spy.py").write_text(spy + "from flwr.serverapp import ServerApp\n\napp = ServerApp()\n")
    ours = (app / "pyproject.toml").read_text()
    (app / "pyproject.toml").write_text(ours.replace("securenb.deploy.server_app:app", "spy:app"))
    _, done = deployment.round(protocol="plain", epsilon="1", seed=11)
    (app / "spy.py").unlink()
    (app / "pyproject.toml").write_text(ours)
    assert done.returncode == 4
    assert "the app that was shipped contains" in done.stderr
    assert not (tmp_path / "trace").exists()
    round_, done = deployment.round(protocol="plain", epsilon="1", seed=15)
    assert done.returncode == 0, done.stdout + done.stderr
    assert deployment.opened(round_)[0]["members"] == deployment.names


def test_nothing_is_left_behind(deployment):
    places = [deployment.folder / "coordinator", *map(deployment.place, deployment.parties)]
    status = deployment.run("status", deployment.folder).stdout
    assert len(re.findall(r"process \d+", status)) == len(places)
    deployment.down()
    for place in places:
        assert processes.alive(place) is None
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(deployment.folder) not in left
