import os
import sys
import time

import pytest

from securenb.cli.main import main
from securenb.deploy import processes

PARENT = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}]); time.sleep(60)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"


def start(folder, child="import time; time.sleep(60)"):
    command = [sys.executable, "-c", PARENT.format(child=child)]
    return processes.start(folder, command, os.environ, folder / "log")


def grown(process, count=2):
    until = time.monotonic() + 20
    while len(processes._members(process.pid)) < count and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.3)  # the child ignores the signal only once it runs
    return len(processes._members(process.pid))


def test_ending_a_process_ends_what_it_started_even_if_that_ignores_it(tmp_path):
    process = start(tmp_path, STUBBORN)
    assert grown(process) == 2
    assert processes.end(tmp_path, patience=0.5) == 2
    process.wait()
    assert processes._members(process.pid) == []
    assert processes.alive(tmp_path) is None


def test_orphans_of_a_killed_process_are_still_found(tmp_path):
    process = start(tmp_path)
    assert grown(process) == 2
    process.kill()
    process.wait()
    assert processes.alive(tmp_path) == process.pid
    assert processes.end(tmp_path) == 1
    assert processes.alive(tmp_path) is None


def test_one_process_works_for_a_folder(tmp_path):
    process = start(tmp_path)
    with pytest.raises(ValueError, match=f"process {process.pid} works for"):
        start(tmp_path)
    processes.end(tmp_path)
    process.wait()


def test_a_number_that_was_given_to_another_process_is_not_ours(tmp_path):
    (tmp_path / processes.RECORD).write_text(f"{os.getpid()} 1\n")
    assert processes.alive(tmp_path) is None
    assert processes.end(tmp_path) == 0
    assert processes.end(tmp_path / "absent") == 0


def test_down_ends_what_runs_for_one_party_or_for_all_of_them(tmp_path, capsys):
    party = tmp_path / "study" / "parties" / "north"
    (tmp_path / "study" / "coordinator").mkdir(parents=True)
    party.mkdir(parents=True)
    (party / "coordinator").write_text("host:1\n")  # as `init` writes it
    for folder in (party, tmp_path / "study"):
        process = processes.start(party, ["/bin/sleep", "60"], os.environ, party / "log")
        assert main(["deploy", "down", str(folder)]) == 0
        assert process.wait(5) != 0
        assert processes.alive(party) is None
        assert "ended 1 processes" in capsys.readouterr().out
