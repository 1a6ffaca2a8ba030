"""Flower's SecAgg+ as Flower ships it, over a grid that notes what each stage takes and carries."""

import json
import os
import time
from pathlib import Path

import numpy as np
from flwr.client import NumPyClient
from flwr.client.mod import secaggplus_mod
from flwr.clientapp import ClientApp
from flwr.common import ndarrays_to_parameters
from flwr.common.serde import recorddict_to_proto
from flwr.server import LegacyContext, ServerConfig
from flwr.server.strategy import FedAvg
from flwr.server.workflow import DefaultWorkflow, SecAggPlusWorkflow
from flwr.serverapp import ServerApp

NODES, LENGTH = int(os.environ.get("BENCH_NODES", 0)), int(os.environ.get("BENCH_LENGTH", 0))


def size(message):
    return len(recorddict_to_proto(message.content).SerializeToString()) if message.has_content() else 0


class Watched:
    """A grid that takes notes."""

    def __init__(self, grid):
        self._grid, self.stages = grid, []

    def __getattr__(self, name):
        return getattr(self._grid, name)

    def send_and_receive(self, messages, **options):
        messages = list(messages)
        asked, carried = len(messages), sum(map(size, messages))
        begin = time.monotonic()
        replies = list(self._grid.send_and_receive(messages, **options))
        stage = {"asked": asked, "answered": len(replies), "seconds": time.monotonic() - begin}
        self.stages.append(stage | {"carried": carried + sum(map(size, replies))})
        return replies


class Contributor(NumPyClient):
    def get_parameters(self, config):
        return [np.zeros(LENGTH)]

    def fit(self, parameters, config):
        return [np.random.default_rng().uniform(-1, 1, LENGTH)], 1, {}


def contributor(_context):
    return Contributor().to_client()


client = ClientApp(client_fn=contributor, mods=[secaggplus_mod])
server = ServerApp()


@server.main()
def main(grid, context):
    strategy = FedAvg(
        fraction_fit=1.0,
        fraction_evaluate=0.0,
        min_fit_clients=NODES,
        min_available_clients=NODES,
        initial_parameters=ndarrays_to_parameters([np.zeros(LENGTH)]),
    )
    legacy = LegacyContext(context, config=ServerConfig(num_rounds=1), strategy=strategy)
    watched = Watched(grid)
    secure = SecAggPlusWorkflow(num_shares=NODES, reconstruction_threshold=2 * NODES // 3 + 1)
    DefaultWorkflow(fit_workflow=secure)(watched, legacy)
    out = Path(os.environ["BENCH_OUT"])
    draft = out.with_name(out.name + ".draft")
    draft.write_text(json.dumps(watched.stages))
    draft.rename(out)
