"""Lets the coordinator's app have a reply when all of it has arrived.

Flower hands out a reply as soon as its sender announces it, and its reader then waits for the rest while the
replies of all others lie unread: one site that dies in the middle of an upload, or has a slow line, held up
the stage for all.
"""

import time
from collections.abc import Callable
from typing import Any


def whole_only(pull: Callable[..., Any]) -> Callable[..., Any]:
    """Flower's handler of the app's question for replies, which leaves out those that are still arriving.

    The reply of a node that has gone is not left out: Flower then says that the node is unavailable.
    """

    def pull_whole(request: Any, state: Any, task: Any) -> Any:
        whole = [message for message in request.message_ids if not _arriving(state, message)]
        return pull(type(request)(message_ids=whole), state, task)

    return pull_whole


def _arriving(state: Any, message: str) -> bool:
    """Whether the reply to a message is announced by a node that is there, and not all of it has arrived."""
    with state.lock:
        reply = state.message_ins_id_to_message_res_id.get(message)
        if reply is None:
            return False
        sender = state.nodes.get(state.message_res_store[reply].metadata.src_node_id)
        if sender is None or sender.online_until < time.time():
            return False
    with state._lock_object_push_sessions:  # noqa: SLF001 - Flower has no question for what is missing
        upload = state._object_push_sessions.get(state._object_push_session_by_root.get(reply))  # noqa: SLF001
        return upload is not None and bool(upload.pending_object_ids)
