"""A deployment on this machine: folders, CSV files of dealt records, processes that end with the test."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from securenb.data.node import Node
from securenb.data.partition import deal
from securenb.deploy.coordinator import Coordinator
from securenb.deploy.folder import PARTIES
from securenb.deploy.launch import free_port
from securenb.randomness import Streams

COMMAND = [sys.executable, "-m", "securenb"]


class Deployment:
    """One coordinator and some sites, each party with its own processes.

    They meet on loopback, unless `hosts` says in which network namespace a party (or `coordinator`) lives.
    """

    GONE = frozenset({"did not answer in time", "lost its connection"})

    def __init__(self, root, data, as_files, *, sites, protocols, address=None, hosts=None):
        self.root, self.folder, self.hosts = root, root / "deployment", hosts or {}
        names = [f"site-{index}" for index in range(1, 1 + sites)]
        dealt = deal(data.train, len(data.schema.classes), sites, rng=Streams(3).rng("deal"))
        self.nodes = [Node(name, node.records) for name, node in zip(names, dealt, strict=True)]
        schema, self.data = as_files(root, data.schema, {node.id: node.records for node in self.nodes})
        self.names, self.address = names, address or f"127.0.0.1:{free_port()}"
        self.run("init", self.folder, "--schema", schema, "--sites", ",".join(names),
                 "--protocols", protocols, "--address", self.address, "--trial",
                 "--listen", "0.0.0.0" if hosts else "127.0.0.1")  # fmt: skip
        self.coordinator = Coordinator(self.folder / "coordinator")
        self.parties = sorted(path.name for path in (self.folder / PARTIES).iterdir())
        self.joined = {}
        for name in self.parties:
            self.edit(name, simulations="true", epsilon_per_round='"100"', budget='"1000"')

    def place(self, name):
        return self.folder / PARTIES / name

    def edit(self, name, **fields):
        """Set fields in a party's site.toml."""
        path = self.place(name) / "site.toml"
        lines = [line for line in path.read_text().splitlines() if line.split(" = ")[0] not in fields]
        path.write_text("\n".join([*lines, *(f"{key} = {value}" for key, value in fields.items())]) + "\n")

    def wait_for_stages(self, seconds):
        """How long a stage waits for the slowest party, from now on."""
        path = self.folder / "coordinator" / "deployment.toml"
        lines = [line for line in path.read_text().splitlines() if not line.startswith("stage_seconds")]
        path.write_text("\n".join([*lines, f"stage_seconds = {seconds:.0f}"]) + "\n")

    def slowest_stage(self, protocol):
        """Seconds of the slowest stage of the protocol's last round with some in which everybody answered.

        Not of the first, in which keys are made: whoever makes them gets time for that (`makes_keys`).
        """
        for round_ in reversed(self.rounds()):
            ours = any(line["protocol"] == protocol for line in self.events(round_, "planned"))
            stages = self.events(round_, "stage") if ours else []
            complete = [line["seconds"] for line in stages[1:] if line["answered"] == line["asked"]]
            if complete:
                return max(complete)
        return 5.0

    def run(self, *arguments, check=True):
        """One `securenb deploy` command."""
        done = subprocess.run(
            [*self.command("coordinator"), *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def command(self, host):
        """How `securenb deploy` is called on a host."""
        place = ["ip", "netns", "exec", self.hosts[host]] if host in self.hosts else []
        return [*place, *COMMAND, "deploy"]

    def join(self, *names, coordinator=None):
        """Let parties join, by default all of them."""
        for name in names or self.parties:
            data = ["--data", str(self.data[name])] if name in self.data else []
            if coordinator is not None:
                data += ["--coordinator", coordinator]
            with (self.root / f"{name}.out").open("w") as output:
                self.joined[name] = subprocess.Popen(
                    [*self.command(name), "join", str(self.place(name)), *data], stdout=output, stderr=output
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
        command = [*self.command("coordinator"), "run", str(path), "--folder", str(self.folder)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def round(self, **choices):
        """Run a round; its folder and what was said."""
        done = self.run("run", self.scenario(**choices), "--folder", self.folder, check=False)
        return self.rounds()[-1], done

    def round_with_kills(self, victims, until, **choices):
        """Run a round, and kill each of some parties when it has answered its step; what became of it.

        The killed join again at once, and are let in when the coordinator has noticed that they had gone.
        """
        self.wait_for_stages(max(10, 4 * self.slowest_stage(choices["protocol"])))
        seen = {name: len(self.log(name)) for name in victims}
        process = self.start(**choices)
        alive = dict(victims)

        def kill():
            for name, step in list(alive.items()):
                lines = self.log(name)[seen[name] :]
                if any(line["event"] == "answered" and line["step"] == step for line in lines):
                    self.kill(name)
                    self.join(name)
                    del alive[name]
            return not alive or process.poll() is not None

        assert until(kill)
        output, _ = process.communicate(timeout=300)
        assert not alive, f"{alive} were never asked: {output}"
        return self.rounds()[-1], process.returncode, output

    def in_one_process(self, **choices):
        """What the same round opens without any engine."""
        _, federation = self.coordinator.propose(self.coordinator.scenario(choices))
        return federation, federation.run(self.nodes)

    def exact_sum(self, round_, **choices):
        """Who is in the opened row, which is the sum of what each of them contributes, from its seed."""
        (opened,) = self.opened(round_)
        federation, _ = self.in_one_process(**choices)
        vectors = {node.id: federation.contribution(node, len(self.nodes)) for node in self.nodes}
        assert opened["sums"] == sum(vectors[name] for name in opened["members"]).tolist()
        return opened["members"]

    def check_round(self, **choices):
        """A round opens the same integers as one in one process, with the same manifest."""
        round_, done = self.round(**choices)
        assert done.returncode == 0, done.stdout + done.stderr
        _, expected = self.in_one_process(**choices)
        assert self.opened(round_) == [{"members": self.names, "sums": expected.opened.rows[0].tolist()}]
        manifest = json.loads((round_ / "result" / "manifest.json").read_text())
        assert manifest["digests"] == expected.digests()

    def check_survivors(self, victims, until, **choices):
        """A round in which parties die opens the exact sum of the others; the round's folder."""
        round_, code, output = self.round_with_kills(victims, until, **choices)
        assert code == 0, output
        # a reply may have left just before its sender died
        assert set(self.names) - set(self.exact_sum(round_, **choices)) <= set(victims)
        left = {line["party"]: line["why"] for line in self.events(round_, "left")}
        assert set(left) <= set(victims)
        assert set(left.values()) <= self.GONE
        return round_

    def check_end(self, victim, step, until, **choices):
        """A round that cannot do without a party that dies ends with its name, and opens nothing."""
        round_, code, output = self.round_with_kills({victim: step}, until, **choices)
        assert code == 4, output
        (ended,) = self.events(round_, "aborted")
        assert victim in ended["why"]
        assert not (round_ / "result").exists()

    def opened(self, round_):
        return json.loads((round_ / "result" / "opened.json").read_text())

    def rounds(self):
        return sorted((self.folder / "coordinator" / "rounds").glob("*"))

    def progress(self, round_):
        path = round_ / "progress.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def events(self, round_, event):
        return [line for line in self.progress(round_) if line["event"] == event]

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


def _until(condition, seconds=300.0):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


@pytest.fixture(scope="module")
def deploy(tmp_path_factory, dataset, as_files):
    """Makes deployments of Adult, and ends them with the module's tests."""
    made = []

    def make(**choices):
        made.append(Deployment(tmp_path_factory.mktemp("many"), dataset("adult"), as_files, **choices))
        return made[-1]

    yield make
    for deployment in made:
        deployment.down()


@pytest.fixture(scope="session")
def until():
    """Waits until a condition holds; whether it does."""
    return _until
