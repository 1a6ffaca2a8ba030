"""One round of Flower's SecAgg+ in one process: its own workflow and client code, no network.

Run by `benchmarks.secagg`, and used by `flower_scripts.py`, with the Python of an environment in which `flwr`
is installed; prints one line of JSON. Needs nothing of this project.

    python benchmarks/flower_secagg.py --nodes 100 --shares 21 --threshold 14 --length 1000 --silent 0
"""

import argparse
import json
import logging
import os
import time

os.environ |= {"FLWR_TELEMETRY_ENABLED": "0", "FLWR_DISABLE_UPDATE_CHECK": "1"}

import flwr
import numpy as np
from flwr.app import Context, Message, RecordDict
from flwr.client.mod import secaggplus_mod
from flwr.common import Code, FitRes, Status, ndarrays_to_parameters, parameters_to_ndarrays
from flwr.common.serde import recorddict_from_proto, recorddict_to_proto
from flwr.compat.common import recorddict_compat as compat
from flwr.server import ServerConfig
from flwr.server.client_manager import SimpleClientManager
from flwr.server.compat.grid_client_proxy import GridClientProxy
from flwr.server.compat.legacy_context import LegacyContext
from flwr.server.strategy import FedAvg
from flwr.server.workflow.constant import MAIN_CONFIGS_RECORD, MAIN_PARAMS_RECORD, Key
from flwr.server.workflow.secure_aggregation.secaggplus_workflow import SecAggPlusWorkflow
from flwr.supercore.task_identity import TaskIdentity


class Loopback:
    """Hands each message to the client's own code and its reply back, and takes the time of each client."""

    def __init__(self, vectors: dict[int, np.ndarray], silent: set[int]) -> None:
        self.vectors = vectors
        self.silent = silent  # at the third stage, the only one at which the protocol survives it
        self.contexts = {
            node: Context(run_id=1, node_id=node, node_config={}, state=RecordDict(), run_config={})
            for node in vectors
        }
        self.cpu = dict.fromkeys(vectors, 0.0)
        self.sent = dict.fromkeys(vectors, 0)
        self.stage = 0
        self.total = 0.0
        self.between = 0.0  # of it, time spent here and in clients, which is not the server's

    def fit(self, message: Message, _context: Context) -> Message:
        node = message.metadata.dst_node_id
        result = FitRes(Status(Code.OK, ""), ndarrays_to_parameters([self.vectors[node]]), 1000, {})
        return Message(compat.fitres_to_recorddict(result, keep_input=True), reply_to=message)

    def send_and_receive(self, messages, *, timeout=None):
        replies = []
        arrived = time.process_time()
        for message in messages:
            node = message.metadata.dst_node_id
            if self.stage == 2 and node in self.silent:
                continue
            reply = self.answer(message)
            self.sent[node] += len(recorddict_to_proto(reply.content).SerializeToString())
            replies.append(reply)
        self.stage += 1
        self.between += time.process_time() - arrived
        return replies

    def answer(self, message: Message) -> Message:
        """What the client that the message is for says to it."""
        node = message.metadata.dst_node_id
        # the workflow sends one record to all, and the client's code takes it apart
        message.content = recorddict_from_proto(recorddict_to_proto(message.content))
        begin = time.process_time()
        reply = secaggplus_mod(message, self.contexts[node], self.fit)
        self.cpu[node] += time.process_time() - begin
        reply.metadata.__dict__["_src_node_id"] = node
        return reply


def mean_of(loopback: Loopback, shares: int, threshold: int) -> np.ndarray | None:
    """The mean that the workflow arrives at among the loopback's clients; `None` if it halts."""
    logging.getLogger("flwr").setLevel(logging.CRITICAL)
    TaskIdentity.run_id, TaskIdentity.node_id, TaskIdentity.task_id = 1, 0, 1
    nodes = list(loopback.vectors)
    clients = SimpleClientManager()
    for node in nodes:
        clients.register(GridClientProxy(node_id=node, grid=loopback, run_id=1))
    strategy = FedAvg(fraction_fit=1.0, min_fit_clients=len(nodes), min_available_clients=len(nodes))
    context = LegacyContext(
        Context(run_id=1, node_id=0, node_config={}, state=RecordDict(), run_config={}),
        ServerConfig(num_rounds=1),
        strategy,
        clients,
    )
    zeros = ndarrays_to_parameters([np.zeros_like(loopback.vectors[nodes[0]])])
    context.state.array_records[MAIN_PARAMS_RECORD] = compat.parameters_to_arrayrecord(zeros, keep_input=True)
    context.state.config_records[MAIN_CONFIGS_RECORD] = flwr.app.ConfigRecord({Key.CURRENT_ROUND: 1})
    before = context.state.array_records[MAIN_PARAMS_RECORD]
    begin = time.process_time()
    SecAggPlusWorkflow(shares, threshold)(loopback, context)
    loopback.total = time.process_time() - begin
    record = context.state.array_records[MAIN_PARAMS_RECORD]
    if record is before:
        return None
    return parameters_to_ndarrays(compat.arrayrecord_to_parameters(record, keep_input=True))[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("nodes", "shares", "threshold", "length", "silent", "seed"):
        parser.add_argument(f"--{name}", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    vectors = {i + 1: rng.uniform(-1, 1, options.length) for i in range(options.nodes)}
    loopback = Loopback(vectors, set(range(1, options.silent + 1)))
    mean = mean_of(loopback, options.shares, options.threshold)
    summed = [vectors[node] for node in vectors if node not in loopback.silent]
    finished = [node for node in vectors if node not in loopback.silent]
    print(
        json.dumps(
            {
                "version": flwr.__version__,
                "client": sum(loopback.cpu[node] for node in finished) / len(finished),
                "server": loopback.total - loopback.between,
                "upload": sum(loopback.sent[node] for node in finished) / len(finished),
                "error": float(abs(mean - np.mean(summed, axis=0)).max()),
            }
        )
    )


if __name__ == "__main__":
    main()
