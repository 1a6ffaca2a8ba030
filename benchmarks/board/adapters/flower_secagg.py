"""Flower: a round of SecAgg+ in one process, its own workflow and client code, without a network.

Whole numbers are exact although Flower quantises: its steps are far smaller than one. The mean that it gives
is multiplied by the number of clients whose vectors were used.
"""

import logging
import os

os.environ.update(FLWR_TELEMETRY_ENABLED="0", FLWR_DISABLE_UPDATE_CHECK="1")

import flwr
import numpy as np
from flwr.app import Context, Message, RecordDict
from flwr.client.mod import secaggplus_mod
from flwr.common import Code, FitRes, Status, ndarrays_to_parameters, parameters_to_ndarrays
from flwr.common.secure_aggregation.secaggplus_constants import RECORD_KEY_CONFIGS
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

logging.getLogger("flwr").setLevel(logging.CRITICAL)
STAGES = ["setup", "share keys", "collect masked vectors", "unmask"]
MOST = 1000
CLIPS = {
    "check": "full_range",
    "of": "secaggplus",
    "quote": "The range within which model parameters are clipped before quantization.",
    "url": "https://flower.ai/docs/framework/ref-api/flwr.server.workflow.SecAggPlusWorkflow.html",
    "date": "2026-12-01",
}


def about():
    scheme = {
        "lowest": -MOST,
        "highest": MOST,
        "stages": STAGES,
        "tampers": ["malformed", "short"],
        "clients": 10,
    }
    return {
        "name": "flower-secagg",
        "version": flwr.__version__,
        "level": "framework",
        "schemes": {"secaggplus": scheme},
        "limits": [CLIPS],
    }


class Loopback:
    """Hands each message to the client's own code, and its reply back."""

    def __init__(self, vectors, silent, tamper):
        self.vectors, self.silent, self.tamper = vectors, silent or {"stage": "", "clients": []}, tamper
        self.contexts = {
            node: Context(run_id=1, node_id=node, node_config={}, state=RecordDict(), run_config={})
            for node in vectors
        }
        self.stage, self.used, self.sent = 0, set(vectors), {}

    def fit(self, message, _context):
        vector = self.vectors[message.metadata.dst_node_id]
        result = FitRes(
            Status(Code.OK, ""), ndarrays_to_parameters([np.array(vector, dtype=np.float64)]), 1000, {}
        )
        return Message(compat.fitres_to_recorddict(result, keep_input=True), reply_to=message)

    def send_and_receive(self, messages, *, timeout=None):
        name, replies = STAGES[self.stage], []
        for message in messages:
            node = message.metadata.dst_node_id
            if name == self.silent["stage"] and node - 1 in self.silent["clients"]:
                continue
            message.content = recorddict_from_proto(recorddict_to_proto(message.content))
            reply = secaggplus_mod(message, self.contexts[node], self.fit)
            reply.metadata.__dict__["_src_node_id"] = node
            if self.stage == 2:
                self.sent[node] = recorddict_to_proto(reply.content).SerializeToString().hex()
                if self.tamper and node - 1 == self.tamper["client"]:
                    change(reply, self.tamper["kind"])
            replies.append(reply)
        if self.stage == 2:
            self.used = {reply.metadata.src_node_id for reply in replies}
        self.stage += 1
        return replies


def change(reply, kind):
    """Spoil a client's masked vector."""
    says = reply.content.config_records[RECORD_KEY_CONFIGS]
    for key, value in list(says.items()):
        if isinstance(value, list) and value and isinstance(value[0], bytes):
            says[key] = value[:-1] if kind == "short" else [b"garbage" for _ in value]


def run(scheme, vectors, silent, tamper):
    n = len(vectors)
    TaskIdentity.run_id, TaskIdentity.node_id, TaskIdentity.task_id = 1, 0, 1
    loopback = Loopback({at + 1: vector for at, vector in enumerate(vectors)}, silent, tamper)
    clients = SimpleClientManager()
    for node in loopback.vectors:
        clients.register(GridClientProxy(node_id=node, grid=loopback, run_id=1))
    context = LegacyContext(
        Context(run_id=1, node_id=0, node_config={}, state=RecordDict(), run_config={}),
        ServerConfig(num_rounds=1),
        FedAvg(fraction_fit=1.0, min_fit_clients=n, min_available_clients=n),
        clients,
    )
    zeros = ndarrays_to_parameters([np.zeros(len(vectors[0]))])
    state = context.state
    state.array_records[MAIN_PARAMS_RECORD] = compat.parameters_to_arrayrecord(zeros, keep_input=True)
    state.config_records[MAIN_CONFIGS_RECORD] = flwr.app.ConfigRecord({Key.CURRENT_ROUND: 1})
    before = state.array_records[MAIN_PARAMS_RECORD]
    workflow = SecAggPlusWorkflow(n if n % 2 else n - 1, n // 2 + 1, clipping_range=float(MOST))
    workflow(loopback, context)
    record = state.array_records[MAIN_PARAMS_RECORD]
    if record is before:
        raise RuntimeError("the workflow halted without a result")
    mean = parameters_to_ndarrays(compat.arrayrecord_to_parameters(record, keep_input=True))[0]
    used = sorted(loopback.used)
    return {
        "sum": [int(v) for v in np.rint(np.asarray(mean, dtype=np.float64) * len(used))],
        "sent": [loopback.sent.get(node, "") for node in loopback.vectors],
    }
