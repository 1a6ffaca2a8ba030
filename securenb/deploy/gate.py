"""Stands before Flower's HTTP APIs: from other machines only what a site needs is reachable.

Flower serves three APIs at the coordinator's one port: *fleet*, whose calls a site signs with its node key,
and *control* and *runtime*, whose calls are not authenticated: they list rounds, stop one, unregister a node,
or take the coordinator's own task. So everything but the fleet calls in `SITES`, unknown paths too, is
answered only to this machine.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from types import ModuleType
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

SITES = frozenset(
    f"/v1/fleet/{call}"
    for call in (
        "register-node",  # refused by Flower where nodes must be registered by the operator, as here
        "activate-node",
        "deactivate-node",
        "send-node-heartbeat",
        "pull-messages",
        "push-messages",
        "get-run",
        "get-fab",
        "push-object",
        "pull-object",
        "confirm-message-received",
    )
)
"""What a site may call from elsewhere; Flower checks that its node key signed it."""

REFUSED = 403


class Gate:
    """An ASGI application before another.

    A client is of this machine if it calls from the very address that it calls: a connection with that
    source cannot be made from elsewhere. A proxy on this machine would make every client one of it: there
    must be none.
    """

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 403."""
        if scope["type"] == "lifespan" or _of_this_machine(scope) or scope["path"] in SITES:
            await self._application(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            body = b"only the coordinator's own machine may call this\n"
            headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
            await send({"type": "http.response.start", "status": REFUSED, "headers": headers})
            await send({"type": "http.response.body", "body": body})


def _of_this_machine(scope: Scope) -> bool:
    client, server = scope.get("client"), scope.get("server")
    return client is not None and server is not None and client[0] == server[0]


def gate(place: ModuleType) -> None:
    """Put the gate before what a module of Flower's makes; an `AttributeError` if it makes nothing."""
    make = place.create_app
    place.create_app = lambda *arguments, **options: Gate(make(*arguments, **options))  # type: ignore[attr-defined]
