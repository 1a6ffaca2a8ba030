"""L1: who adds noise in a round, whether each asks for what is charged, and from a stream of its own."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from attacks.audit.recording import Asked, Name, alike, recorded
from attacks.audit.recording import traced as trace
from attacks.audit.target import Mode
from protocols.grouping import Groups
from protocols.party import AGGREGATOR
from protocols.ring import Integers
from protocols.schemes.verified import Verified
from protocols.session import Session
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.federation.noise_plan import NoiseSources, StreamSources
from securenb.randomness import Streams
from securenb.schema.records import Records

STREAMS = 200
"""How many contributors' streams are drawn from."""

Contributor = tuple[str, int, Callable[[NoiseSources], Integers]]
"""Who adds noise, in a group of which size, and what it adds to its vector or row without records."""


def dose_of(federation: Federation) -> Callable[[str, Session, int], Integers] | None:
    """What adds a whole dose to the row of a group, as the round itself calls it; `None` where nodes do."""
    protocol = federation.protocol
    if isinstance(protocol, Verified):
        return protocol.noise
    return federation.doses.dose if federation.doses else None


def contributors(
    federation: Federation, session: Session, groups: Groups, nothing: Records
) -> Iterator[Contributor]:
    """All who add noise to the rows of these groups: nodes, or aggregators where these add doses."""

    def sent(name: str, size: int, sources: NoiseSources) -> Integers:
        return replace(federation, sources=sources).contribution(Node(name, nothing), size)

    def dose(who: str, group: int, sources: NoiseSources) -> Integers:
        added = dose_of(replace(federation, sources=sources))
        assert added is not None
        return added(who, session, group)

    for index, group in enumerate(groups):
        if federation.doses:
            for who in (AGGREGATOR, *session.trustees):
                yield f"{who} for group {index}", len(group), partial(dose, who, index)
        else:
            for name in group:
                yield name, len(group), partial(sent, name, len(group))


def charged_laws(federation: Federation, size: int) -> Sequence[object]:
    """The law that is charged for one share, or dose, in a group of `size`, on each coordinate.

    Witness cells are to have that of the first cell.
    """
    noise = federation.noise
    schema, honest = noise.schema, noise.honest(size)
    laws = [(noise.mechanism.noise(schema, block, honest, 1), block) for block in schema.blocks]
    each = [law for law, block in laws for _ in range(block.stop - block.start)] * len(schema.classes)
    return [*each, *each[:1] * noise.witnesses]


def drawn_by_others(
    federation: Federation, session: Session, size: int, nothing: Records, mode: Mode, count: int
) -> Integers:
    """What so many contributors add to nothing, (count, d), each from a fresh stream."""
    run = replace(federation, seed=None if mode == "release" else federation.seed or 0, sources=None)
    added = dose_of(run)
    if added is not None:
        return np.array([added(AGGREGATOR, session, at) for at in range(count)])
    return np.array([run.contribution(Node(f"contributor-{at}", nothing), size) for at in range(count)])


def strays(
    federation: Federation,
    found: Iterable[Contributor],
    charged: Callable[[int], Sequence[object]],
    cells: Sequence[str],
) -> Sequence[str]:
    """Contributors that ask for other noise than is charged, or from a stream that is not theirs alone.

    Parameters
    ----------
    charged
        The law of one share, or dose, on each coordinate, in a group of a size.
    cells
        What the coordinates are called.
    """
    problems: list[str] = []
    owner: dict[Name, str] = {}
    first: dict[int, Asked] = {}
    for who, size, added in found:
        asked = recorded(who, size, added)
        if size not in first:
            first[size] = asked
            laws = zip(trace(added)[2], charged(size), cells, strict=True)
            other = [(drawn, law, cell) for drawn, law, cell in laws if drawn != law][:1]
            problems += [f"{who} adds {drawn} to {cell}, the ledger has {law}" for drawn, law, cell in other]
        if not asked.calls:
            problems.append(f"{who} asks for no noise")
        elif [*asked.calls.values()] != [*first[size].calls.values()]:
            problems.append(f"{who} asks for other noise than {first[size].who}")
        elif not np.array_equal(asked.added, first[size].added):
            problems.append(f"{who} does not add what it drew as {first[size].who} does")
        for name in asked.calls:
            if name in owner:
                problems.append(f"{owner[name]} and {who} draw from one stream")
            owner.setdefault(name, who)
    names = list(owner)[:STREAMS]
    real = replace(federation, seed=None, sources=None)
    problems += alike(StreamSources(Streams(federation.seed or 0)), names, again=False)
    problems += alike(real.noise_sources, names, again=True)
    return problems
