"""Canaries planted in a deployment: its opened rows tell whether the sites' noise is what they claim."""

import json
import shutil

import pytest

from protocols.engines.relay import Carrier
from securenb.cli.main import MISTAKE, main
from securenb.deploy.coordinator import RESULT, Coordinator
from securenb.deploy.folder import init
from securenb.deploy.site import DATA, Site
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.schema.features import Categorical
from securenb.schema.schema import Schema

SCHEMA = Schema(tuple("abcdef"), (Categorical("level", tuple("ABCDEFGHIJKL")),))
SITES = [f"site-{index}" for index in range(1, 5)]
ROUNDS = 10


class Loopback(Carrier):
    def __init__(self, parties):
        self.parties = parties

    def exchange(self, stage, questions, longer):
        return {party: Site(self.parties / party).answer(question) for party, question in questions.items()}


class Rehearsal:
    """A deployment on this machine, and what an auditor does with it."""

    def __init__(self, root, as_files, planted):
        self.root, self.folder = root, root / "deployment"
        self.schema, _ = as_files(root, SCHEMA, {})
        init(self.folder, self.schema, SITES, ["secagg"], "127.0.0.1:8100", "127.0.0.1", None)
        for site in SITES:
            path = self.folder / "parties" / site / "site.toml"
            lines = (
                path.read_text()
                .replace("simulations = false", "simulations = true")
                .replace("record_cap = 1048576", "record_cap = 1000")
            )
            lines = lines.replace("smallest_colluding = 1", "smallest_colluding = 0")
            path.write_text(f'{lines}epsilon_per_round = "2"\nbudget = "1000"\n')
        names, count = ",".join(planted), str(10 * len(planted))
        arguments = ["--schema", str(self.schema), "--nodes", names, "--count", count]
        self.canaries = root / "canaries"
        options = ["--rounds", str(ROUNDS), "--seed", "3"]
        assert main(["canaries", "plant", str(self.canaries), *arguments, *options]) == 0

    def round(self, files, seed):
        """Run one with these CSV files; its run folder."""
        for site, path in files.items():
            (self.folder / "parties" / site / DATA).write_text(str(path))
        coordinator = Coordinator(self.folder / "coordinator")
        order = coordinator.order(
            {"protocol": "secagg", "epsilon": "2", "seed": seed, "record_cap": 1000, "colluding": 0}
        )
        coordinator.run(order.name, lambda session, seconds: Loopback(self.folder / "parties"))
        return order / RESULT

    def planted(self, index, others=()):
        files = {path.stem: path for path in (self.canaries / f"round-{index}").glob("*.csv")}
        return self.round(files | dict(others), index)


@pytest.fixture
def rehearsal(tmp_path, as_files):
    return Rehearsal(tmp_path, as_files, SITES)


def halved(self, schema, among, noise, shares=1, real=DiscreteLaplace.share):
    return real(DiscreteLaplace(self.epsilon * 2), schema, among, noise, shares)


@pytest.mark.slow
@pytest.mark.parametrize(("share", "code", "verdict"), [(None, 0, "PASS"), (halved, 1, "FAIL")])
def test_canaries_tell_a_deployment_that_halves_its_noise_from_one_that_does_not(
    rehearsal, monkeypatch, capsys, share, code, verdict
):
    if share is not None:
        monkeypatch.setattr(DiscreteLaplace, "share", share)
    runs = [str(rehearsal.planted(index)) for index in range(1, ROUNDS + 1)]
    capsys.readouterr()
    assert main(["canaries", "read", str(rehearsal.canaries), *runs, "--json"]) == code
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["claimed"]) == (verdict, 2)
    assert found["bound"] > (2 if code else 0.6)


def test_canaries_beside_real_records_need_a_round_without_them(tmp_path, as_files, capsys):
    rehearsal = Rehearsal(tmp_path, as_files, SITES[:2])
    real = {site: tmp_path / f"{site}.csv" for site in SITES[2:]}
    for path in real.values():
        path.write_text("level,label\n" + "A,a\nB,b\nC,f\n" * 30)
    before = rehearsal.round(
        {site: rehearsal.canaries / "before" / f"{site}.csv" for site in SITES[:2]} | real, 99
    )
    run = rehearsal.planted(1, real)
    read = ["canaries", "read", str(rehearsal.canaries), str(run)]
    assert main(read) == MISTAKE
    assert "site-3, site-4 held records of their own" in capsys.readouterr().err
    assert main([*read, "--before", str(before)]) == 0
    assert "20 canaries" in capsys.readouterr().out


def test_what_is_no_round_with_canaries_is_refused_in_one_line(rehearsal, tmp_path, capsys):
    run = rehearsal.planted(1)
    read = ["canaries", "read", str(rehearsal.canaries)]
    spoiled = tmp_path / "spoiled"
    shutil.copytree(run, spoiled)
    (spoiled / "opened.json").write_text('[{"members": ["site-1"], "sums": [1, 2]}]')
    for arguments, message in (
        ([str(tmp_path / "nowhere")], "No such file"),
        ([str(run)] * (ROUNDS + 1), "holds canaries for 10 rounds, got 11 runs"),
        ([str(run), "--confidence", "1"], "confidence must be between 0 and 1"),
        ([str(spoiled)], "opened 2 numbers, the schema has 78"),
    ):
        capsys.readouterr()
        assert main([*read, *arguments]) == MISTAKE
        printed = capsys.readouterr().err
        assert message in printed
        assert printed.count("\n") == 1
