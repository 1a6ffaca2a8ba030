"""A deployment without Flower: folders as `deploy init` makes them, a carrier in this process."""

import json

import msgspec
import pytest

from protocols.engines.lasting import Reply, Step
from protocols.engines.relay import Carrier
from protocols.primitives.identity import Identity
from securenb.data.node import Node
from securenb.data.partition import deal
from securenb.deploy.coordinator import PROGRESS, RESULT, Coordinator
from securenb.deploy.folder import init
from securenb.deploy.plan import Opening
from securenb.deploy.site import DATA, Question, Site
from securenb.randomness import Streams

NAMES = [f"site-{index}" for index in range(1, 6)]
CHOICES = {"protocol": "secagg", "epsilon": "1", "seed": 7, "record_cap": 1000}


class Loopback(Carrier):
    """Every question opens the party's folder anew, as a process of its own would."""

    def __init__(self, deployment, dead):
        self.deployment, self.dead, self.stage = deployment, dead, 0

    def exchange(self, stage, questions, longer):
        answers = {}
        for party, question in questions.items():
            if self.stage < self.dead.get(party, 99):
                answers[party] = Site(self.deployment.place(party)).answer(question)
        self.stage += 1
        return answers


class Deployment:
    def __init__(self, root, as_files, dataset, protocols):
        data = dataset("phishing")
        dealt = deal(data.train[:300], len(data.schema.classes), 5, rng=Streams(1).rng("deal"))
        self.nodes = [Node(name, node.records) for name, node in zip(NAMES, dealt, strict=True)]
        self.schema = data.schema
        self.root, self.folder = root, root / "deployment"
        schema, paths = as_files(root, data.schema, {node.id: node.records for node in self.nodes})
        self.parties = init(self.folder, schema, NAMES, protocols, "127.0.0.1:8100", "127.0.0.1", None)
        for name in self.parties:
            self.edit(name, simulations="true", epsilon_per_round='"1"', budget='"2.5"', record_cap=1000)
        for name, path in paths.items():
            (self.place(name) / DATA).write_text(str(path))
        self.coordinator = Coordinator(self.folder / "coordinator")

    @property
    def names(self):
        return NAMES

    def place(self, name):
        return self.folder / "parties" / name

    def edit(self, name, **fields):
        path = self.place(name) / "site.toml"
        lines = [line for line in path.read_text().splitlines() if line.split(" = ")[0] not in fields]
        path.write_text("\n".join([*lines, *(f"{key} = {value}" for key, value in fields.items())]) + "\n")

    def allow(self, epsilon):
        for name in NAMES:
            self.edit(name, epsilon_per_round=f'"{epsilon}"', budget=f'"{epsilon}"')

    def round(self, dead=None, **choices):
        choices = CHOICES | choices
        folder = self.coordinator.order(choices)
        self.coordinator.run(folder.name, lambda session, seconds: Loopback(self, dead or {}))
        return folder

    def progress(self, folder):
        return [json.loads(line) for line in (folder / PROGRESS).read_text().splitlines()]

    def said(self, folder, event):
        return [line for line in self.progress(folder) if line["event"] == event]

    def opened(self, folder):
        path = folder / RESULT / "opened.json"
        return json.loads(path.read_text()) if path.exists() else None

    def in_one_process(self, nodes=None, **choices):
        choices = CHOICES | choices
        scenario = self.coordinator.scenario(choices)
        _, federation = self.coordinator.propose(scenario)
        return federation, federation.run(nodes or self.nodes)

    def ask(self, name, question):
        """A party's reply to a question."""
        return msgspec.msgpack.decode(Site(self.place(name)).answer(question), type=Reply)

    def proposal(self, record_cap=1000, **changes):
        """What the coordinator proposes, with some fields changed, and its identity to sign that with."""
        choices = CHOICES | {"record_cap": record_cap}
        plan, _ = self.coordinator.propose(self.coordinator.scenario(choices))
        identity = Identity(bytes.fromhex((self.coordinator.folder / "identity.key").read_text()))
        return msgspec.structs.replace(plan, **changes), identity

    def opening(self, plan, identity):
        """The first question of a session."""
        step = msgspec.msgpack.encode(Step(0))
        return msgspec.msgpack.encode(Question(plan.session_id, step, Opening.of(plan, identity)))


@pytest.fixture
def deploy(tmp_path, as_files, dataset):
    """Makes deployments with some protocols."""
    return lambda protocols: Deployment(tmp_path, as_files, dataset, protocols)


@pytest.fixture
def deployment(deploy):
    """One that has agreed to several; Paillier's key takes seconds to make again at each step."""
    return deploy(["plain", "secagg", "oneshot", "verified"])
