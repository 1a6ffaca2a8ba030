"""Where the noise of a row comes from, as a value: nodes add shares of a dose, or aggregators whole doses.

Nodes, aggregators, the planner, post-processing, the ledger and the audit all ask the same plan.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol as Interface

import numpy as np

from protocols.party import PartyId
from protocols.protocol import Protocol
from protocols.ring import Integers
from protocols.session import Session
from protocols.session_rules import RefusedSession, SessionRule
from securenb.bayes.parameters import Floats
from securenb.federation.postprocess import tied_blocks, variances
from securenb.privacy.mechanism import Mechanism
from securenb.privacy.samplers import ExactNoise, FastNoise, Noise
from securenb.randomness import Streams
from securenb.schema.schema import Block, Schema


class NoiseSources(Interface):
    """Gives everything that draws noise a source of its own, by name."""

    def __call__(self, *name: str | int) -> Noise:
        """The source called `name`; asked twice, a simulation gives the same draws, a release never."""


@dataclass(frozen=True)
class StreamSources:
    """Sources from named streams: numpy's samplers in a simulation, the exact one in a release."""

    streams: Streams

    def __call__(self, *name: str | int) -> Noise:
        """See `NoiseSources`."""
        if self.streams.seed is None:
            return ExactNoise(self.streams.entropy(" ".join(map(str, ("noise", *name)))))
        return FastNoise(self.streams.rng("noise", *name))


@dataclass(frozen=True)
class NoisePlan(ABC):
    """Where noise comes from.

    Parameters
    ----------
    mechanism
        The noise.
    schema
        What it is added to.
    witnesses
        Cells behind those of the schema that no record touches, and that get noise like the class counts.
    """

    mechanism: Mechanism
    schema: Schema
    witnesses: int = field(default=0, kw_only=True)

    @property
    def length(self) -> int:
        """Coordinates of a row."""
        return self.schema.length + self.witnesses

    @abstractmethod
    def honest(self, size: int) -> int:
        """How many contributors make a dose in the row of a group of `size`, nodes or aggregators.

        Raises
        ------
        RefusedSession
            If not one honest contributor is guaranteed.
        """

    @abstractmethod
    def contributors(self, size: int) -> int:
        """How many contributors there are in the row of a whole group of `size`."""

    @abstractmethod
    def of_node(self, size: int, source: Noise) -> Integers:
        """What one node in a group of `size` adds to its statistics, (d,) int64."""

    def _share(self, honest: int, source: Noise) -> Integers:
        """One contributor's noise, (d + K,) int64."""
        if not self.witnesses:  # what has been a mechanism without them stays one
            return self.mechanism.share(self.schema, honest, source)
        return self.mechanism.share(self.schema, honest, source, witnesses=self.witnesses)

    def variances(self, size: int) -> Floats:
        """The variance of the noise in each column of a whole group's row, shape (width,)."""
        return variances(self.mechanism, self.schema, self.honest(size), self.contributors(size))

    @property
    def tied(self) -> tuple[Block, ...]:
        """See `securenb.federation.postprocess.tied_blocks`."""
        return tied_blocks(self.mechanism, self.schema)

    def tail(self, sizes: Iterable[int]) -> int:
        """What the noise of any row stays within, except with probability 2^-40 a row."""
        return max(map(self._tail, set(sizes)))

    def _tail(self, size: int) -> int:
        more = {"witnesses": self.witnesses} if self.witnesses else {}
        return self.mechanism.tail(self.schema, self.honest(size), self.contributors(size), **more)


@dataclass(frozen=True)
class NodeShares(NoisePlan):
    """Every node adds a share; those of the guaranteed honest survivors of its group make one dose.

    Parameters
    ----------
    protocol
        Guarantees survivors.
    colluding
        How many of them may tell the server their shares.
    survivors
        The fewest survivors to count on, if that is fewer than the protocol guarantees.
    """

    protocol: Protocol
    colluding: int = 0
    survivors: int | None = None

    def honest(self, size: int) -> int:
        """See `NoisePlan.honest`."""
        guaranteed = self.protocol.survivors(size)
        counted = guaranteed if self.survivors is None else min(self.survivors, guaranteed)
        honest = counted - self.colluding
        if honest > 1 and not self.mechanism.divides:
            raise RefusedSession(
                SessionRule.NOISE_SHARES,
                f"{self.mechanism} does not divide into shares, and {honest} nodes in a group of {size} "
                "would have to add it together: let aggregators add whole doses (protocol verified with a "
                "record_cap), a server that you trust (curator), or every node (group_size 1)",
            )
        if honest < 1:
            raise RefusedSession(
                SessionRule.NOISE_SHARES,
                f"a group of {size} may be opened with {counted} survivors, of whom {self.colluding} "
                "collude: no honest share is guaranteed to be in it",
            )
        return honest

    def contributors(self, size: int) -> int:
        """See `NoisePlan.contributors`."""
        return size

    def of_node(self, size: int, source: Noise) -> Integers:
        """See `NoisePlan.of_node`."""
        return self._share(self.honest(size), source)


@dataclass(frozen=True)
class WholeDoses(NoisePlan):
    """Each aggregator adds a whole dose to every row, so that any honest one suffices; nodes add nothing.

    Parameters
    ----------
    aggregators
        How many there are.
    sources
        What they draw from.
    own
        What each aggregator drew last for the witness cells of each group, (K,): it subtracts that, and tests
        the rest.
    """

    aggregators: int
    sources: NoiseSources
    own: dict[tuple[PartyId, int], Integers] = field(default_factory=dict, repr=False, compare=False)

    def honest(self, size: int) -> int:
        """See `NoisePlan.honest`."""
        return 1

    def contributors(self, size: int) -> int:
        """See `NoisePlan.contributors`."""
        return self.aggregators

    def of_node(self, size: int, source: Noise) -> Integers:
        """See `NoisePlan.of_node`."""
        return np.zeros(self.length, dtype=np.int64)

    def dose(self, aggregator: PartyId, session: Session, group: int) -> Integers:
        """What an aggregator adds to the row of a group, (d,) int64."""
        drawn = self._share(1, self.sources(f"{aggregator} {session.id.hex()} {group}"))
        if self.witnesses:
            self.own[aggregator, group] = drawn[self.schema.length :]
        return drawn
