"""Run folders of every command whose results a report draws, made once."""

import pytest

from securenb.cli.main import main

COMMANDS = {
    "compare": "compare phishing --nodes 6 --protocols plain,masking --epsilon 1 --seed 7 --report",
    "train": "train phishing --nodes 5 --protocol masking --epsilon 2 --seed 7",
    "attack": (
        "attack phishing --nodes 12 --rules sum,median --attacks scaled_flip,zero --malicious 0,0.1,0.2 "
        "--group-size 1,3,all --epsilon none,2 --trials 1 --jobs 1 --backend sequential --seed 1"
    ),
    "audit": "audit phishing --nodes 4 --protocol masking --epsilon 1 --level L0,L1,L3 --trials 2000",
    "verified": ("train phishing --nodes 6 --protocol verified --epsilon none --record-cap 200 --seed 7"),
}


@pytest.fixture(scope="session")
def make(tmp_path_factory):
    """Runs one of the commands in a folder of its name."""

    def run(name, *more):
        out = tmp_path_factory.mktemp("runs") / name
        assert main([*(more if more else COMMANDS[name].split()), "--out", str(out)]) == 0
        return out

    return run


@pytest.fixture(scope="session")
def compared(make):
    return make("compare")


@pytest.fixture(scope="session")
def trained(make):
    return make("train")


@pytest.fixture(scope="session")
def attacked(make):
    return make("attack")


@pytest.fixture(scope="session")
def audited(make):
    return make("audit")


@pytest.fixture(scope="session")
def certified(make):
    model = make("verified")
    return make("certify", "certify", str(model), "--malicious", "2")
