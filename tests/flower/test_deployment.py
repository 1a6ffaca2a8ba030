"""Real processes on loopback, with TLS and node keys: one coordinator and the parties.

Each stage costs seconds, so a deployment is made once and asked for much.
"""

import json
import subprocess

import pytest

from securenb.deploy import processes

pytest.importorskip("flwr", reason="needs the extra: pip install 'securenb[flower]'")


def events(deployment, round_, event):
    return [line for line in deployment.progress(round_) if line["event"] == event]


def begun(deployment, name, stages):
    """Whether the round called `name` has finished so many stages."""
    return len(events(deployment, deployment.folder / "coordinator" / "rounds" / name, "stage")) >= stages


def test_a_round_opens_the_same_integers_and_survives_the_death_of_a_site(deploy, until):
    deployment = deploy(protocols="plain,secagg")
    deployment.run("up", deployment.folder)
    deployment.join()

    for seed, protocol in enumerate(("plain", "secagg")):
        choices = {"protocol": protocol, "epsilon": "1", "seed": seed}
        round_, done = deployment.round(**choices)
        assert done.returncode == 0, done.stdout + done.stderr
        _, expected = deployment.in_one_process(**choices)
        assert deployment.opened(round_) == [
            {"members": deployment.names, "sums": expected.opened.rows[0].tolist()}
        ]
        manifest = json.loads((round_ / "result" / "manifest.json").read_text())
        assert manifest["digests"] == expected.digests()

    replayed, done = deployment.round(**choices)
    assert done.returncode == 4
    assert "has released its part of session" in events(deployment, replayed, "left")[0]["why"]

    # one site dies after the keys are there: its masks are taken off all the same
    process = deployment.start(protocol="secagg", epsilon="1", seed=12)
    assert until(lambda: begun(deployment, "0004", 2))
    deployment.kill("site-2")
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output
    (opened,) = deployment.opened(deployment.rounds()[-1])
    federation, _ = deployment.in_one_process(protocol="secagg", epsilon="1", seed=12)
    vectors = {node.id: federation.contribution(node, 5) for node in deployment.nodes}
    assert set(deployment.names) - set(opened["members"]) <= {"site-2"}
    assert opened["sums"] == sum(vectors[name] for name in opened["members"]).tolist()


def test_after_a_coordinator_died_no_site_releases_anything_twice(deploy, until):
    deployment = deploy(sites=3, protocols="plain,secagg")
    deployment.run("up", deployment.folder)
    deployment.join()
    process = deployment.start(protocol="secagg", epsilon="1", seed=13)
    assert until(lambda: begun(deployment, "0001", 1))
    deployment.kill_coordinator()
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 4
    assert "the coordinator died" in output
    assert "no site releases anything twice" in output
    deployment.run("up", deployment.folder)
    # asked the same again, sites answer the same again, from their journals: it is one release
    choices = {"protocol": "secagg", "epsilon": "1", "seed": 13}
    again, done = deployment.round(**choices)
    assert done.returncode == 0, done.stdout + done.stderr
    _, expected = deployment.in_one_process(**choices)
    assert deployment.opened(again)[0]["sums"] == expected.opened.rows[0].tolist()
    third, done = deployment.round(**choices)
    assert done.returncode == 4
    refusals = {line["party"]: line["why"] for line in events(deployment, third, "left")}
    assert all("has released its part of session" in refusals[name] for name in deployment.names)
    fresh, done = deployment.round(protocol="plain", epsilon="1", seed=14)
    assert done.returncode == 0, done.stdout + done.stderr
    assert deployment.opened(fresh)[0]["members"] == deployment.names

    status = deployment.run("status", deployment.folder).stdout
    assert status.count("process") == 4
    deployment.down()
    for place in [deployment.folder / "coordinator", *map(deployment.place, deployment.parties)]:
        assert processes.alive(place) is None
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(deployment.folder) not in left


def test_strangers_get_one_clear_line_and_shipped_code_is_not_run(deploy, tmp_path):
    deployment = deploy(sites=3, protocols="plain")
    other = tmp_path / "other"
    deployment.run("init", other, "--schema", tmp_path / "schema.toml", "--sites", "site-1,site-2,site-3",
                   "--protocols", "plain", "--address", deployment.address, "--trial")  # fmt: skip
    deployment.run("up", deployment.folder)

    wrong_certificate = deployment.place("site-3") / "ca.pem"
    right = wrong_certificate.read_bytes()
    wrong_certificate.write_bytes((other / "parties" / "site-3" / "ca.pem").read_bytes())
    done = deployment.run(
        "join", deployment.place("site-3"), "--data", deployment.data["site-3"], check=False
    )
    assert done.returncode == 2
    assert "the coordinator's certificate is not signed by our ca.pem" in done.stderr
    wrong_certificate.write_bytes(right)

    node_key = deployment.place("site-3") / "node.key"
    right = node_key.read_bytes()
    node_key.write_bytes((other / "parties" / "site-3" / "node.key").read_bytes())
    done = deployment.run(
        "join", deployment.place("site-3"), "--data", deployment.data["site-3"], check=False
    )
    assert done.returncode == 2
    assert "does not know this node's key" in done.stderr
    node_key.write_bytes(right)

    deployment.join()
    app = deployment.folder / "coordinator" / "app" / "securenb-round"
    spy = f"import pathlib\npathlib.Path({str(tmp_path / 'trace')!r}).touch()\n"
    (app / "spy.py").write_text(spy + "from flwr.serverapp import ServerApp\n\napp = ServerApp()\n")
    ours = (app / "pyproject.toml").read_text()
    (app / "pyproject.toml").write_text(ours.replace("securenb.deploy.server_app:app", "spy:app"))
    _, done = deployment.round(protocol="plain", epsilon="1", seed=11)
    assert done.returncode == 4
    assert "the coordinator did not begin" in done.stderr
    assert not (tmp_path / "trace").exists()
    (app / "spy.py").unlink()
    (app / "pyproject.toml").write_text(ours)
    round_, done = deployment.round(protocol="plain", epsilon="1", seed=15)
    assert done.returncode == 0, done.stdout + done.stderr
    assert deployment.opened(round_)[0]["members"] == deployment.names
