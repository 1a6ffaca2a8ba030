"""Keys that parties make themselves: the coordinator gets, and needs, only the public halves."""

import pytest

from securenb.cli.main import MISTAKE, main
from securenb.deploy.folder import init
from securenb.deploy.keys import read_identity, read_roster
from securenb.deploy.public_keys import PUBLIC, make_keys, read_public_keys
from securenb.deploy.site import Site

PARTIES = ["north", "south", "key-holder"]


@pytest.fixture
def schema(tmp_path, as_files, dataset):
    return as_files(tmp_path, dataset("phishing").schema, {})[0]


def made(folder, schema, keys):
    return init(folder, schema, PARTIES[:2], ["paillier"], "127.0.0.1:8100", "127.0.0.1", keys)


def test_no_secret_key_of_a_party_is_ever_at_the_coordinator(tmp_path, schema):
    theirs = {party: make_keys(tmp_path / party, party) for party in PARTIES}
    made(tmp_path / "study", schema, [read_public_keys(tmp_path / party / PUBLIC) for party in PARTIES])
    here = b"".join(path.read_bytes() for path in (tmp_path / "study").rglob("*") if path.is_file())
    for party in PARTIES:
        place = tmp_path / party
        assert [path.name for path in (tmp_path / "study" / "parties" / party).glob("*.key")] == []
        for key in ("identity.key", "node.key"):
            assert (place / key).stat().st_mode & 0o077 == 0
            assert (place / key).read_bytes().strip() not in here
        roster = read_roster(tmp_path / "study" / "parties" / party / "roster.toml")
        assert roster[party] == theirs[party].identity == read_identity(place / "identity.key").public
        registered = tmp_path / "study" / "coordinator" / "node-keys" / f"{party}.pub"
        assert registered.read_text().strip() == theirs[party].node
        for file in (tmp_path / "study" / "parties" / party).iterdir():
            assert not (place / file.name).exists()
            (place / file.name).write_bytes(file.read_bytes())
        site = Site(place)
        assert site.roster[site.limits.party] == site.identity.public


def test_keys_must_be_those_of_exactly_the_parties(tmp_path, schema):
    keys = [make_keys(tmp_path / party, party) for party in (*PARTIES, "east")]
    stranger = make_keys(tmp_path / "again", "north")
    for given, why in (
        (keys[:2], "the public keys of key-holder are missing"),
        (keys, "east is no party of this deployment"),
        ([*keys[:3], stranger], "north has two sets of public keys"),
    ):
        with pytest.raises(ValueError, match=why):
            made(tmp_path / "study", schema, given)
        assert not (tmp_path / "study").exists()


def test_a_broken_public_file_is_named_and_keys_are_not_made_twice(tmp_path):
    make_keys(tmp_path / "north", "north")
    with pytest.raises(ValueError, match="keys are never replaced"):
        make_keys(tmp_path / "north", "north")
    with pytest.raises(ValueError, match="cannot be a party's name"):
        make_keys(tmp_path / "south", "../south")
    path = tmp_path / "north" / PUBLIC
    path.write_text(path.read_text().replace("identity = ", "identity = 7 #"))
    with pytest.raises(ValueError, match=r"public\.toml: holds no public keys"):
        read_public_keys(path)


def test_the_command_line_makes_no_secret_keys_of_others_unless_it_is_a_trial(tmp_path, schema, capsys):
    asked = ["deploy", "init", str(tmp_path / "study"), "--schema", str(schema), "--sites", "north,south"]
    asked += ["--address", "127.0.0.1:8100"]
    assert main([*asked, "--protocols", "plain"]) == MISTAKE
    assert "name each party's public keys with --key" in capsys.readouterr().err
    assert main([*asked, "--protocols", "gossip", "--trial"]) == MISTAKE
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "securenb: gossip needs links that the coordinator cannot read, and it relays all"
    for party in PARTIES[:2]:
        assert main(["deploy", "key", str(tmp_path / party), "--party", party]) == 0
    files = [str(tmp_path / party / PUBLIC) for party in PARTIES[:2]]
    assert main([*asked, "--protocols", "plain", "--key", files[0], "--key", files[1]]) == 0
    assert "TRIAL" not in (tmp_path / "study" / "README.md").read_text()
    assert main(["deploy", "join", str(tmp_path / "north")]) == MISTAKE
    assert "copy what the coordinator sent" in capsys.readouterr().err
