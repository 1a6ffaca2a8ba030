"""How soon Flower looks again: by itself it sleeps seconds before what takes milliseconds here.

Everything that is changed of it is looked up where it stands, so that a version without it fails at once.
"""

import importlib
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from typing import Any

from securenb.deploy.launch import SUPERLINK, SUPERNODE
from securenb.deploy.whole_replies import whole_only

NODE = "flwr.supernode.start_client_internal"
EXECUTOR = "flwr.supercore.superexec.run_superexec"
OBJECTS = "flwr.supercore.inflatable.inflatable_utils"
HANDLERS = "flwr.superlink.servicer.runtime.runtime_handlers"
HEARTBEATS = ("flwr.supercore.heartbeat", "flwr.supernode.fleet_http_connection")

IDLE_SECONDS = 3.0
"""The longest sleep: Flower's own between two questions for a message."""

APP_SECONDS = 0.05
OBJECT_SECONDS = 0.05
REPLY_SECONDS = 10.0
"""How long the coordinator waits for the rest of a reply that Flower handed out, where Flower waits for three
minutes and reads no other reply meanwhile. Less than a question outlives its stage (`LATE_SECONDS`)."""

HEARTBEAT_SECONDS = 10
"""The least that Flower takes: after twice as long a killed node is known to be gone, and may come back."""


class Patience:
    """How a node sleeps between asking for messages: ever longer, until there is one.

    Parameters
    ----------
    arrived
        Called when a message has come.
    """

    SHORTEST, LONGER = 0.1, 1.3

    def __init__(self, arrived: Callable[[], None]) -> None:
        self._arrived = arrived
        self._seconds = self.SHORTEST
        self._answering = False

    def sleep(self, seconds: float) -> None:
        """Sleep for at most so long."""
        answering = seconds < IDLE_SECONDS  # it waits for the app, so there is a message
        if answering:
            if not self._answering:
                self._arrived()
            self._seconds = min(APP_SECONDS, seconds)
        elif self._answering:
            self._seconds = self.SHORTEST
        time.sleep(self._seconds)
        self._seconds = min(self._seconds * self.LONGER, IDLE_SECONDS)
        self._answering = answering


class Watch:
    """How a node's executor sleeps between looking for work: until the node has a message.

    Parameters
    ----------
    arrived
        Set when a message has come, by another process.
    """

    def __init__(self, arrived: Event) -> None:
        self._arrived = arrived

    def sleep(self, _: float) -> None:
        """Sleep until there is work; it is looked for now and then in any case."""
        self._arrived.wait(IDLE_SECONDS)
        self._arrived.clear()


def hasten(command: str) -> None:
    """Let Flower, in this process and its forks, wait no longer than it has to."""
    objects = importlib.import_module(OBJECTS)
    for pull in (objects.pull_objects, objects.pull_and_inflate_object_from_tree):
        _replace(pull.__kwdefaults__, "initial_backoff", OBJECT_SECONDS)
    if command == SUPERLINK:
        _replace(objects.pull_objects.__kwdefaults__, "max_time", REPLY_SECONDS)
        handlers = importlib.import_module(HANDLERS)
        _replace(vars(handlers), "pull_messages", whole_only(handlers.pull_messages))
    if command == SUPERNODE:
        arrived = get_context("fork").Event()  # node and executor are forks of this process
        _replace(vars(importlib.import_module(NODE)), "time", Patience(arrived.set))
        _replace(vars(importlib.import_module(EXECUTOR)), "time", Watch(arrived))
        for module in HEARTBEATS:
            _replace(vars(importlib.import_module(module)), "HEARTBEAT_DEFAULT_INTERVAL", HEARTBEAT_SECONDS)


def _replace(names: dict[str, Any], name: str, value: object) -> None:
    if name not in names:
        raise LookupError(f"this version of Flower has no {name} where it is looked for")
    names[name] = value
