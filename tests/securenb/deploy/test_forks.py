"""Forks without Flower: a module of ours stands for its commands."""

import subprocess
import sys

import pytest

from securenb.deploy import forks

COMMANDS = """
import os, subprocess, sys, time
from pathlib import Path

shared = []

def first():
    shared.append("first")
    for name in ("one", "two"):
        subprocess.Popen(["second", name])
    try:
        subprocess.Popen(["ls"])
    except FileNotFoundError as error:
        print(error)
    while not (Path("one").exists() and Path("two").exists()):
        time.sleep(0.02)
    sys.exit(7)

def second():
    Path(sys.argv[1] + ".draft").write_text(f"{shared} {os.getpgrp()}")
    Path(sys.argv[1] + ".draft").rename(sys.argv[1])
    raise ValueError("what one fork dies of is its own business")
"""


def test_a_fork_starts_others_that_share_nothing_but_imports_and_the_group(tmp_path):
    (tmp_path / "fake.py").write_text(COMMANDS)
    code = (
        "import os, sys; sys.path.insert(0, '.'); print(os.getpgrp(), flush=True)\n"
        "from securenb.deploy.forks import Forks\n"
        "sys.exit(Forks({'first': 'fake:first', 'second': 'fake:second'}).run(['first']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 7
    group, refused = done.stdout.splitlines()
    assert refused == "ls is not started here"
    assert (tmp_path / "one").read_text() == (tmp_path / "two").read_text() == f"[] {group}"


def test_a_node_asks_seldom_when_there_is_nothing_and_often_after_a_message(monkeypatch):
    slept = []
    monkeypatch.setattr(forks.time, "sleep", slept.append)
    patience = forks.Patience()
    for _ in range(15):
        patience.sleep(forks.IDLE_SECONDS)
    assert slept[0] == forks.Patience.SHORTEST
    assert slept == sorted(slept)
    assert slept[-1] == forks.IDLE_SECONDS
    patience.sleep(0.5)
    assert slept[-1] == pytest.approx(forks.Patience.SHORTEST)
