"""Whatever keeps a party from working is said in one line, with what mends it, before a round needs it."""

import importlib.util
import json
import ssl
import sys
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from securenb.cli.main import main
from securenb.deploy import health, launch
from securenb.deploy.keys import VALID, make_certificates

NOW = datetime.now(UTC)


class Answer(BaseHTTPRequestHandler):
    ahead = timedelta(0)

    def do_GET(self):
        self.send_error(403)

    def date_time_string(self, timestamp=None):
        return format_datetime(datetime.now(UTC) - self.ahead, usegmt=True)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def serve():
    """Serves with the certificates of a folder, by a clock that ours is ahead of; the port."""
    servers = []

    def start(folder, ahead=timedelta(0), host="127.0.0.1"):
        server = HTTPServer((host, 0), type("At", (Answer,), {"ahead": ahead}))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "server.pem", folder / "server.key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        servers.append(server)
        return server.server_port

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def made(tmp_path):
    """Makes certificates; their folder."""

    def make(name, **choices):
        folder = tmp_path / name
        folder.mkdir()
        make_certificates(folder, "127.0.0.1", **choices)
        return folder

    return make


@pytest.mark.parametrize(
    ("ahead", "state"),
    [(0, "fine"), (7, "broken"), (4, "look"), (-30, "look"), (-290, "look"), (-310, "broken")],
)
def test_a_clock_that_the_coordinator_would_not_take_is_told_with_its_size(made, serve, ahead, state):
    folder = made("own")
    found = health.contact(folder / "ca.pem", f"127.0.0.1:{serve(folder, timedelta(seconds=ahead))}")
    assert found.state == state
    if ahead:
        told = int(found.said.split()[3])
        assert abs(told - abs(ahead)) <= 1
        assert ("ahead of" in found.said) == (ahead > 0)
        assert "clock" in found.mend


def test_certificates_that_do_not_hold_are_each_told_as_what_they_are(made, serve):
    own = made("own")
    old, future = made("old", made=NOW - VALID - timedelta(days=1)), made("future", made=NOW + VALID)
    port = serve(own)
    words = {
        "has expired": (old, serve(old)),
        "not yet valid": (future, serve(future)),
        "not signed by our ca.pem": (made("strange"), port),
    }
    for said, (folder, there) in words.items():
        found = health.contact(folder / "ca.pem", f"127.0.0.1:{there}")
        assert found.state == "broken"
        assert said in found.said
        assert found.mend
    other = health.contact(own / "ca.pem", f"127.0.0.2:{serve(own, host='127.0.0.2')}")
    assert "another host" in other.said


def test_a_coordinator_that_is_not_there_is_no_reason_to_give_up(made):
    found = health.contact(made("own") / "ca.pem", f"127.0.0.1:{launch.free_port()}")
    assert found.state == "look"
    assert "deploy up" in found.mend


def test_a_certificate_is_told_of_before_it_ends(made):
    path = made("own", made=NOW) / "ca.pem"
    states = {days: health.certificate(path, NOW + timedelta(days=days)).state for days in (1, 600, 700, 731)}
    assert states == {1: "fine", 600: "fine", 700: "look", 731: "broken"}
    path.write_text("no certificate")
    assert health.certificate(path, NOW).state == "broken"


@pytest.fixture
def started(monkeypatch):
    """What `join` and `up` would have started, in whose place a process runs that does what `does` says."""
    launches = []

    def start(*arguments):
        launches.append(arguments)
        return launch.Launch((sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"), {})

    monkeypatch.setattr(launch, "require", lambda: None)
    monkeypatch.setattr(launch, "site", start)
    monkeypatch.setattr(launch, "coordinator", start)
    return launches


def join(deployment, port):
    return main(["deploy", "join", str(deployment.place("site-1")), "--coordinator", f"127.0.0.1:{port}"])


def test_nobody_joins_a_coordinator_that_would_not_take_them(deployment, serve, started, made, capsys):
    own = deployment.folder / "coordinator"
    for port, said in {
        serve(own, timedelta(seconds=30)): "s ahead of the coordinator",
        serve(made("strange")): "not signed by our ca.pem",
    }.items():
        assert join(deployment, port) == 2
        told = capsys.readouterr().err
        assert said in told
        assert len(told.splitlines()) == 1
    assert started == []


def test_a_node_that_was_killed_is_no_success(deployment, serve, started, capsys):
    assert join(deployment, serve(deployment.folder / "coordinator")) == 2
    assert "site-1 was killed (signal 9)" in capsys.readouterr().err
    assert len(started) == 1


def test_renewed_certificates_replace_expired_ones_and_no_key(deployment, started, capsys):
    own = deployment.folder / "coordinator"
    kept = {path: path.read_bytes() for path in own.parent.rglob("*") if path.is_file()}
    for name in ("ca.pem", "server.pem", "server.key"):
        (own / name).unlink()
    make_certificates(own, "127.0.0.1", NOW - VALID - timedelta(days=1))
    assert main(["deploy", "up", str(deployment.folder)]) == 2
    assert "expired" in capsys.readouterr().err
    assert started == []
    assert main(["deploy", "renew", str(deployment.folder)]) == 0
    now = {path: path.read_bytes() for path in own.parent.rglob("*") if path.is_file()}
    assert now.keys() == kept.keys()
    assert {path.name for path in now if now[path] != kept[path]} == {"ca.pem", "server.pem", "server.key"}
    assert (own / "server.key").stat().st_mode & 0o777 == 0o600
    assert health.certificate(own / "ca.pem", NOW + timedelta(days=1)).state == "fine"


def findings(folder, capsys):
    """What the doctor finds by name, and its exit code."""
    capsys.readouterr()
    code = main(["deploy", "doctor", str(folder), "--json"])
    return {line["what"].split()[0]: line for line in json.loads(capsys.readouterr().out)}, code


def test_the_doctor_finds_nothing_at_a_site_that_is_well(deployment, serve, capsys):
    place = deployment.place("site-1")
    (place / "coordinator").write_text(f"127.0.0.1:{serve(deployment.folder / 'coordinator')}\n")
    deployment.edit("site-1", simulations="false")
    found, code = findings(place, capsys)
    # these tests run without Flower, too, and then that is what the doctor finds
    installed = importlib.util.find_spec("flwr") is not None
    assert found["Flower"]["state"] == ("fine" if installed else "broken")
    assert code == (0 if installed else 1)
    assert {line["state"] for name, line in found.items() if name != "Flower"} == {"fine"}
    assert set(found) >= {"ca.pem", "coordinator", "keys", "limits", "ledger", "records", "disk"}


PLANTED = {
    "ca.pem": lambda place: (place / "ca.pem").write_text(""),
    "keys": lambda place: (place / "identity.key").write_text("00" * 32),
    "limits": lambda place: (place / "site.toml").write_text("party = 1"),
    "ledger": lambda place: (place / "ledger.jsonl").write_text("{}\n"),
    "records": lambda place: (place / "data").write_text(str(place / "gone.csv")),
}


@pytest.mark.parametrize("what", PLANTED)
def test_the_doctor_finds_each_planted_fault_and_writes_nothing(deployment, what, capsys):
    place = deployment.place("site-1")
    PLANTED[what](place)
    before = sorted(place.rglob("*"))
    found, code = findings(place, capsys)
    assert code == 1
    assert found[what]["state"] == "broken"
    assert found[what]["mend"]
    assert sorted(place.rglob("*")) == before


def test_the_doctor_finds_a_full_disk(deployment, monkeypatch, capsys):
    monkeypatch.setattr(health, "LEAST_DISK", 2**80)
    for folder in (deployment.place("site-1"), deployment.folder):
        found, code = findings(folder, capsys)
        assert (code, found["disk"]["state"]) == (1, "broken")


def test_weak_limits_are_shown(deployment, capsys):
    deployment.edit("site-1", smallest_group=2)
    found, _ = findings(deployment.place("site-1"), capsys)
    assert found["limits"]["state"] == "look"
    assert "smallest_group = 2" in found["limits"]["said"]


def test_the_doctor_looks_at_the_coordinator_too(deployment, capsys):
    found, _ = findings(deployment.folder, capsys)
    assert {"ca.pem", "server.pem", "keys", "process", "disk"} <= set(found)
    next((deployment.folder / "coordinator" / "node-keys").glob("site-2.pub")).unlink()
    found, code = findings(deployment.folder, capsys)
    assert code == 1
    assert "site-2" in found["keys"]["said"]


def test_a_folder_of_something_else_is_refused(tmp_path, capsys):
    assert main(["deploy", "doctor", str(tmp_path)]) == 2
    assert "site.toml" in capsys.readouterr().err
