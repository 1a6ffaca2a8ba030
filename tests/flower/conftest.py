"""A deployment on this machine: folders, CSV files of dealt records, processes that end with the test."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from securenb.deploy.coordinator import Coordinator
from securenb.deploy.folder import PARTIES
from securenb.deploy.launch import free_port
from securenb.node import Node
from securenb.partition import deal
from securenb.streams import Streams

COMMAND = [sys.executable, "-m", "securenb"]


class Deployment:
    """One coordinator and some sites on loopback, each party with its own processes."""

    def __init__(self, root, data, as_files, *, sites, protocols):
        self.root, self.folder = root, root / "deployment"
        names = [f"site-{index}" for index in range(1, 1 + sites)]
        dealt = deal(data.train, len(data.schema.classes), sites, rng=Streams(3).rng("deal"))
        self.nodes = [Node(name, node.records) for name, node in zip(names, dealt, strict=True)]
        schema, self.data = as_files(root, data.schema, {node.id: node.records for node in self.nodes})
        self.names, self.address = names, f"127.0.0.1:{free_port()}"
        self.run("init", self.folder, "--schema", schema, "--sites", ",".join(names),
                 "--protocols", protocols, "--address", self.address, "--trial")  # fmt: skip
        self.coordinator = Coordinator(self.folder / "coordinator")
        self.parties = sorted(path.name for path in (self.folder / PARTIES).iterdir())
        self.joined = {}
        for name in self.parties:
            self.edit(name, simulations="true", epsilon_per_round='"100"', budget='"1000"')
        settings = self.folder / "coordinator" / "deployment.toml"
        settings.write_text(settings.read_text().replace("stage_seconds = 120", "stage_seconds = 25"))

    def place(self, name):
        return self.folder / PARTIES / name

    def edit(self, name, **fields):
        """Set fields in a party's site.toml."""
        path = self.place(name) / "site.toml"
        lines = [line for line in path.read_text().splitlines() if line.split(" = ")[0] not in fields]
        path.write_text("\n".join([*lines, *(f"{key} = {value}" for key, value in fields.items())]) + "\n")

    def run(self, *arguments, check=True):
        """One `securenb deploy` command."""
        done = subprocess.run(
            [*COMMAND, "deploy", *map(str, arguments)], capture_output=True, text=True, timeout=600
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def join(self, *names):
        """Let parties join, by default all of them."""
        for name in names or self.parties:
            data = ["--data", str(self.data[name])] if name in self.data else []
            with (self.root / f"{name}.out").open("w") as output:
                self.joined[name] = subprocess.Popen(
                    [*COMMAND, "deploy", "join", str(self.place(name)), *data], stdout=output, stderr=output
                )

    def kill(self, name):
        """Kill a party's processes with -9, all of them at once, as a power cut does."""
        pid = int((self.place(name) / "process").read_text().split()[0])
        self.joined[name].kill()
        os.killpg(pid, signal.SIGKILL)
        self.joined[name].wait()

    def kill_coordinator(self):
        """Kill the coordinator's processes with -9."""
        os.killpg(int((self.folder / "coordinator" / "process").read_text().split()[0]), signal.SIGKILL)

    def scenario(self, **choices):
        path = self.root / "scenario.toml"
        path.write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in choices.items()) + "\n")
        return path

    def start(self, **choices):
        """Start a round and do not wait for it."""
        path = self.scenario(**choices)
        command = [*COMMAND, "deploy", "run", str(path), "--folder", str(self.folder)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def round(self, **choices):
        """Run a round; its folder and what was said."""
        done = self.run("run", self.scenario(**choices), "--folder", self.folder, check=False)
        return self.rounds()[-1], done

    def in_one_process(self, **choices):
        """What the same round opens without any engine."""
        _, federation = self.coordinator.propose(self.coordinator.scenario(choices))
        return federation, federation.run(self.nodes)

    def opened(self, round_):
        return json.loads((round_ / "result" / "opened.json").read_text())

    def rounds(self):
        return sorted((self.folder / "coordinator" / "rounds").glob("*"))

    def progress(self, round_):
        path = round_ / "progress.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def log(self, name):
        path = self.place(name) / "log.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def down(self):
        for process in self.joined.values():
            process.terminate()
        for process in self.joined.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        return self.run("down", self.folder)


def _until(condition, seconds=120.0):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.2)
    return False


@pytest.fixture
def deploy(tmp_path, dataset, as_files):
    """Makes deployments of Adult, and ends them."""
    made = []

    def make(*, sites=5, protocols="secagg"):
        made.append(Deployment(tmp_path, dataset("adult"), as_files, sites=sites, protocols=protocols))
        return made[-1]

    yield make
    for deployment in made:
        deployment.down()


@pytest.fixture
def until():
    """Waits until a condition holds; whether it does."""
    return _until
