"""One secure sum in this process: what the aggregator would learn, without a federation around it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protocols.catalogue import Choice
from protocols.engines.local import LocalRun
from protocols.entropy import seeded, system
from protocols.grouping import one_group, shuffled, singletons
from protocols.opened import Opened
from protocols.protocol import PROTOCOLS, Protocol
from protocols.ring import Capacity
from protocols.session import SESSION_ID_BYTES

BOUND = 1 << 40
"""No coordinate is larger than this, if nothing else is said."""


def secure_sum(
    vectors: Mapping[str, NDArray[Any]] | Sequence[NDArray[Any]] | NDArray[Any],
    protocol: Choice[Protocol],
    *,
    group_size: int | None = None,
    threshold: int | None = None,
    bound: int = BOUND,
    seed: int | None = None,
) -> Opened:
    """Sum vectors under a protocol, all of whose parties run here.

    Parameters
    ----------
    vectors
        Integers, shape (n, d), or one vector (d,) for each node, by name or in order.
    protocol
        A spec, as ``"secagg(profile=semi-honest)"``, or an object.
    group_size
        Nodes that are summed together; `None` for all. Groups are drawn at random.
    threshold
        The fewest nodes that a group is opened with; by default what the protocol needs.
    bound
        The largest absolute value of a coordinate; public, so never computed from the vectors.
    seed
        Makes keys and groups repeatable, and no secret; `None` takes the operating system's entropy.

    Raises
    ------
    ValueError
        If the vectors are no integers of one length, or larger than the bound; if the protocol cannot run
        with these groups.

    Examples
    --------
    >>> secure_sum([[1, 2], [3, 4], [5, 6]], "secagg", seed=1).rows.tolist()
    [[9, 12]]
    """
    named = vectors if isinstance(vectors, Mapping) else {f"node-{i}": v for i, v in enumerate(vectors)}
    held = {node: _integers(node, vector) for node, vector in named.items()}
    if not held:
        raise ValueError("there is nothing to sum: no vectors")
    kind = PROTOCOLS.build(choice=protocol, **_threshold(protocol, threshold))
    nodes, rng = list(held), np.random.default_rng(seed)
    if group_size is None or group_size == len(nodes):
        groups = one_group(nodes)
    else:
        groups = singletons(nodes) if group_size == 1 else shuffled(nodes, group_size, rng)
    entropy = system if seed is None else seeded(seed)
    session_id = entropy("session")(SESSION_ID_BYTES)
    length = len(next(iter(held.values())))
    session = kind.session(groups, length, Capacity(bound, max(map(len, groups))), session_id)
    parties = kind.parties(held, session, entropy)
    return LocalRun(parties, kind.codec(session), session).run()


def _threshold(protocol: Choice[Protocol], threshold: int | None) -> dict[str, int]:
    if threshold is None:
        return {}
    if isinstance(protocol, Protocol):
        raise ValueError(  # noqa: TRY004 - not the type is wrong
            f"{protocol!r} has its threshold: leave out threshold {threshold}"
        )
    return {"threshold": threshold}


def _integers(node: str, vector: Any) -> NDArray[np.int64]:
    found = np.asarray(vector)
    if found.ndim != 1 or found.dtype.kind not in "iu" or not len(found):
        raise ValueError(f"{node}: a vector is a row of integers, got {found.dtype} of shape {found.shape}")
    if found.dtype.kind == "u" and found.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{node}: {found.max()} is larger than any sum can be")
    return found.astype(np.int64)
