"""What a script is: a run of Flower's SecAgg+ in which one party deviates, and what becomes of it.

Seven nodes, all of them neighbours, a threshold of five: node 3 or the server deviates, and the
others run Flower's workflow and client code unchanged. A client that raises has said nothing, as in Flower,
where the server then gets an error instead of a reply. Needs `flwr`, and nothing of this project.
"""

import numpy as np
from flower_secagg import Loopback, mean_of
from flwr.app import Message
from flwr.common.secure_aggregation.secaggplus_constants import RECORD_KEY_CONFIGS
from flwr.common.serde import recorddict_from_proto, recorddict_to_proto

NODES, SHARES, THRESHOLD, LENGTH, SEED = 7, 7, 5, 6, 7
DEVIATOR, VICTIM = 3, 7
KEYS, SEALED, MASKED, UNMASK = range(4)
MODULUS, RANGE, CLIP = 1 << 32, 1 << 22, 8.0
CLOSE = 1e-5


class Script(Loopback):
    """A run in which one party deviates; a fresh one for each run. The docstring says what it does."""

    name = ""
    role = "node"
    listened = frozenset(range(1, NODES + 1))
    """Whom a deviating server listens to when vectors are collected."""
    threshold = THRESHOLD

    def __init__(self, seed: int = SEED) -> None:
        rng = np.random.default_rng(seed)
        super().__init__({node: rng.uniform(-1, 1, LENGTH) for node in range(1, NODES + 1)}, set())
        self.refusals: list[str] = []
        self.read: dict[int, np.ndarray] = {}
        self.summed: set[int] = set()

    def told(self, node: int, says: dict) -> None:
        """Change what the server says to a node."""

    def said(self, node: int, says: dict) -> None:
        """Change, or look at, what a node says."""

    def afterwards(self) -> None:
        """What a deviating server does when the workflow has ended."""

    def speaks(self, node: int) -> bool:
        """Whether what a node says reaches the server."""
        return True

    def send_and_receive(self, messages, *, timeout=None):
        replies = []
        for message in messages:
            node = message.metadata.dst_node_id
            if self.stage == MASKED and node not in self.listened:
                continue
            replies += self.exchanged(node, message)
        self.stage += 1
        return replies

    def exchanged(self, node: int, message: Message) -> list[Message]:
        """What comes back from one node."""
        try:
            reply = self.answer(changed(message, lambda says: self.told(node, says)))
        except Exception as error:  # whatever Flower's client raises is its refusal
            if self.role == "server" or node != DEVIATOR:
                self.refusals.append(f"{type(error).__name__}: {error}")
            return []
        self.said(node, reply.content.config_records[RECORD_KEY_CONFIGS])
        if not self.speaks(node):
            return []
        if self.stage == MASKED:
            self.summed.add(node)
        return [reply]


def changed(message: Message, change) -> Message:
    """The message with a copy of its configuration changed."""
    copy = recorddict_from_proto(recorddict_to_proto(message.content))
    change(copy.config_records[RECORD_KEY_CONFIGS])
    return Message(
        copy,
        dst_node_id=message.metadata.dst_node_id,
        message_type=message.metadata.message_type,
        group_id="1",
    )


def outcome(script: Script) -> tuple[str, str]:
    """What became of a run, in the words of `attacks.deviation.Outcome`, and why."""
    try:
        mean = mean_of(script, SHARES, script.threshold)
    except Exception as error:
        mean, why = None, f"the server ended with {type(error).__name__}: {error}"
    else:
        why = "the server halted" if mean is None else ""
    script.afterwards()
    for node, vector in script.read.items():
        if np.abs(vector - script.vectors[node]).max() < CLOSE:
            return "not covered", f"the server read the vector of node {node}"
    refused = f"a client refused: {script.refusals[0]}" if script.refusals else ""
    if mean is None:
        return "aborted", "; ".join(filter(None, [why, refused]))
    off = np.abs(mean - np.mean([script.vectors[node] for node in script.summed], axis=0)).max()
    if off > CLOSE:
        return "not covered", f"a mean that is off by {off:.3g} passes for that of {len(script.summed)} nodes"
    if len(script.summed) < THRESHOLD:
        return "not covered", f"a sum of {len(script.summed)} was opened"
    if len(script.summed) < NODES:
        left = ", ".join(str(node) for node in sorted(set(script.vectors) - script.summed))
        return "left out", f"node {left} was; " + refused
    return ("refused", refused) if refused else ("harmless", "")
