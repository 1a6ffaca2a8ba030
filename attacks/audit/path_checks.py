"""L1: what holds of a round's path for certain: reading, charging and fresh bits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pandas as pd

from protocols.entropy import Entropy, system
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.federation.noise_plan import StreamSources
from securenb.privacy.cost import epsilon_at
from securenb.privacy.samplers import ExactNoise
from securenb.privacy.sensitivity import ADJACENCIES
from securenb.randomness import Streams
from securenb.schema.records import Records

WIDE = 1 << 40
"""A variance whose draws have at least twenty bits each."""

DRAWN = 2_000
"""So many of them need 5,000 bytes: more than a block of entropy."""


def read_alone(encode: Callable[[pd.DataFrame], Records], pool: pd.DataFrame) -> str:
    """Whether a record becomes something else in other company, in words."""
    whole, rng = encode(pool), np.random.default_rng(0)
    for size in (1, 2, 5, 17):
        rows = rng.choice(len(pool), size=size)
        some = encode(pool.iloc[rows].reset_index(drop=True))
        if len(some) != size:
            return f"{size} records are read as {len(some)}"
        wanted = whole[rows]
        if not np.array_equal(some.codes, wanted.codes) or not np.array_equal(some.labels, wanted.labels):
            return f"a record is read otherwise among {size} records than among {len(pool)}"
    return ""


def charged_again(federation: Federation, nodes: Sequence[Node]) -> str:
    """Whether a second round of the same nodes costs what the first did, and what events compose to."""
    groups = federation.grouped([node.id for node in nodes])
    once, delta = federation.charged(groups), federation.mechanism.delta
    twice = federation.charged(groups)
    for release in once.releases:
        twice.record(release)
    for adjacency in ADJACENCIES:
        for seen in ("row", "vector"):
            first, both = once.epsilon(adjacency, seen), twice.epsilon(adjacency, seen)
            if first is not None and (both is None or both < 2 * first):
                return f"two rounds are charged {both and float(both)}, one {float(first)} ({adjacency})"
        for release in once.releases:
            charge = release.charge.epsilon(adjacency)
            if charge is None or release.event is None:
                continue
            composed = epsilon_at(release.event.cost(adjacency), delta)
            if composed is not None and composed < charge * Fraction(999_999, 1_000_000):
                return f"what a ledger keeps composes to {float(composed)}, charged {float(charge)}"
    return _charged_whole_nodes(federation, [len(group) for group in groups])


def _charged_whole_nodes(federation: Federation, sizes: Sequence[int]) -> str:
    """Three records of a node cost three times as much as one under pure epsilon, up to a delta no less."""
    enough, mechanism = federation.noise.honest(min(sizes)), federation.mechanism
    for adjacency in ADJACENCIES:
        costs = [mechanism.cost(federation.schema, adjacency, enough, enough, cap) for cap in (1, 3)]
        one, three = (None if cost is None else epsilon_at(cost, mechanism.delta) for cost in costs)
        if one is None or three is None:
            continue
        least = 3 * one if not mechanism.delta else one
        if three < least * Fraction(999_999, 1_000_000):
            return f"three records of a node are charged {float(three)}, one {float(one)} ({adjacency})"
    return ""


@dataclass(frozen=True)
class _Counting(Streams):
    """The system's entropy, counted."""

    taken: list[int] = field(default_factory=list)

    def entropy(self, name: str) -> Entropy:
        """See `Streams.entropy`."""
        source = Streams(None).entropy(name)

        def counted(size: int) -> bytes:
            self.taken.append(size)
            return source(size)

        return counted


def fresh_bits() -> str:
    """Whether the sampler of releases draws more bits of noise than it takes from the system, in words."""
    streams = _Counting(None)
    source = StreamSources(streams)("fresh bits")
    if not isinstance(source, ExactNoise):
        return f"releases draw from {type(source).__name__}, not from the exact sampler"
    drawn = source.gaussian(Fraction(WIDE), DRAWN)
    bits = 20 * len(drawn)
    if 8 * sum(streams.taken) < bits:
        return f"{len(drawn)} draws of 20 bits or more are made of {8 * sum(streams.taken)} random bits"
    one, other = (system("x")(64) for _ in range(2))
    if one == other or len(set(one)) < 8:
        return "the system's entropy repeats"
    return ""
