"""Forks without Flower: a module of ours stands for its commands."""

import subprocess
import sys

import pytest

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


AGAIN = """
import sys
from pathlib import Path

def first():
    with Path("lives").open("a") as lives:
        lives.write("life ")
    sys.exit(len(Path("lives").read_text().split()) // 3)
"""


@pytest.mark.parametrize(("for_good", "lives"), [(False, 1), (True, 3)])
def test_what_ends_without_an_error_is_started_again_for_good(tmp_path, for_good, lives):
    (tmp_path / "fake.py").write_text(AGAIN)
    code = (
        "import sys; sys.path.insert(0, '.')\n"
        "from securenb.deploy.forks import Forks\n"
        f"sys.exit(Forks({{'first': 'fake:first'}}).run(['first'], for_good={for_good}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path)
    assert done.returncode == int(for_good)
    assert len((tmp_path / "lives").read_text().split()) == lives


REFUSED = """
import sys
from pathlib import Path
from securenb.deploy.launch import NOT_LET_IN

def first():
    lives = Path("lives").read_text() + "x" if Path("lives").exists() else "x"
    Path("lives").write_text(lives)
    print(NOT_LET_IN if len(lives) < 3 else "something else", flush=True)
    sys.exit(1)
"""


@pytest.mark.parametrize(("seconds", "lives"), [(0, 1), (60, 3)])
def test_a_node_that_is_not_let_in_tries_again_for_so_long_and_for_that_reason_only(tmp_path, seconds, lives):
    (tmp_path / "fake.py").write_text(REFUSED)
    code = (
        "import sys; sys.path.insert(0, '.')\n"
        "from pathlib import Path\n"
        "from securenb.deploy import forks\n"
        "forks.AGAIN_SECONDS = 0.1\n"
        f"again = forks.Patience(Path('log'), {seconds})\n"
        "sys.exit(forks.Forks({'first': 'fake:first'}).run(['first'], for_good=True, again=again))"
    )
    with (tmp_path / "log").open("w") as log:
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, stdout=log)
    assert done.returncode == 1
    assert len((tmp_path / "lives").read_text()) == lives
