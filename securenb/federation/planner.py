"""Before a round: who is summed with whom, and the proof that records, nodes and noise fit into the ring."""

import math
from collections.abc import Sequence

from protocols.canonical import digest
from protocols.grouping import Groups, one_group, shuffled, singletons
from protocols.protocol import Protocol
from protocols.ring import Capacity
from protocols.session import SESSION_ID_BYTES, Session
from securenb.federation.noise_plan import NoisePlan
from securenb.federation.witnessing import check_rows
from securenb.privacy.mechanism import Mechanism
from securenb.randomness import Streams
from securenb.schema.schema import Schema


def drawn(ids: Sequence[str], group_size: int | None, streams: Streams) -> Groups:
    """Groups of `group_size`, drawn at random; one group of all for `None`."""
    if group_size is None or group_size == len(ids):
        return one_group(ids)
    return singletons(ids) if group_size == 1 else shuffled(ids, group_size, streams.rng("groups"))


def deviation(mechanism: Mechanism, doses: int, layout: Schema) -> float:
    """Standard deviation of `doses` doses of noise on a coordinate of a row; blocks of a layout are alike."""
    law = mechanism.noise(layout, layout.blocks[0], 1, doses)
    return 0.0 if law is None else math.sqrt(law.spread()) / mechanism.grid


def planned(
    protocol: Protocol,
    noise: NoisePlan,
    record_cap: int,
    groups: Groups,
    streams: Streams,
    session_id: bytes | None = None,
) -> Session:
    """The checked session for these groups.

    Parameters
    ----------
    record_cap
        The most records of a node.
    session_id
        16 fresh bytes; by default from `streams`.

    Raises
    ------
    ValueError
        If sums or the noise do not fit, or the protocol may not run with these groups.
    """
    sizes = [len(group) for group in groups]
    check_rows(noise, sizes)
    if session_id is None:
        # bound to the groups: nodes that join a simulation late must not meet a session they know
        named = digest("securenb groups", [list(group) for group in groups]).hex()
        session_id = streams.entropy(f"session {named}")(SESSION_ID_BYTES)
    schema = noise.schema
    bound = schema.largest(record_cap) * noise.mechanism.grid
    capacity = Capacity(bound, max(sizes), noise.tail(sizes))
    # what vectors mean, and whose noise each row counts on: parties that differ in either cannot talk
    witnesses = [noise.witnesses] if noise.witnesses else []
    honest = [noise.honest(size) for size in sizes]
    context = digest("securenb statistics", schema.digest, honest, *witnesses)
    return protocol.session(groups, noise.length, capacity, session_id, context)
