"""Who adds the noise of a round: nodes in shares, aggregators of proven sums, or a server that is trusted."""

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property

import numpy as np

from protocols.grouping import Groups
from protocols.opened import Opened
from protocols.party import AGGREGATOR
from protocols.protocol import Protocol
from protocols.session import Session
from securenb.federation.noise_plan import NodeShares, NoisePlan, NoiseSources, StreamSources, WholeDoses
from securenb.privacy.mechanism import Mechanism
from securenb.randomness import Streams
from securenb.schema.schema import Schema


class Dosing(ABC):
    """What follows for the noise from the choices of a `securenb.federation.federation.Federation`."""

    protocol: Protocol
    mechanism: Mechanism
    colluding: int
    survivors: int | None
    proven: bool
    curator: bool
    witnesses: int
    sources: NoiseSources | None

    @property
    @abstractmethod
    def layout(self) -> Schema:
        """What nodes send."""

    @property
    @abstractmethod
    def streams(self) -> Streams:
        """All randomness that is not a mechanism's."""

    @abstractmethod
    def session(self, groups: Groups, session_id: bytes | None = None) -> Session:
        """The checked session for these groups."""

    @property
    def noise(self) -> NoisePlan:
        """Where the noise of a row comes from."""
        of = self.mechanism, self.layout, self.protocol, self.colluding, self.survivors
        return self.doses or NodeShares(*of, witnesses=self.witnesses)

    @cached_property
    def doses(self) -> WholeDoses | None:
        """The noise, where aggregators add whole doses of it; `None` where nodes add shares."""
        if not self.proven and not self.curator:
            return None
        aggregators = 1 if self.curator else 1 + len(self.protocol.trustee_ids([]))
        of = self.mechanism, self.layout, aggregators, self.noise_sources
        return WholeDoses(*of, witnesses=self.witnesses)

    @property
    def vectors_are_read(self) -> bool:
        """Whether a node's vector is read by a party that is not trusted with it."""
        return self.protocol.claims.vectors_are_read and not self.curator

    @property
    def noise_sources(self) -> NoiseSources:
        """Where noise is drawn from."""
        return self.sources or StreamSources(self.streams)

    def dosed(self, opened: Opened, groups: Groups) -> Opened:
        """The rows of these groups as they may leave a curator; as they are where there is none."""
        if not self.curator or self.doses is None:
            return opened
        session = self.session(groups)
        at = [session.group_of[members[0]] for members in opened.members]
        noise = [self.doses.dose(AGGREGATOR, session, group) for group in at]
        return replace(opened, rows=opened.rows + np.array(noise, dtype=np.int64))

    def learned(self, opened: Opened) -> str:
        """What the aggregator learned, in words."""
        told = self.protocol.learned(opened)
        return f"{told}, without noise: it is trusted, and adds the dose" if self.curator else told


def curated(protocol: Protocol, colluding: int, witnesses: int, *, proven: bool) -> None:
    """Refuse what a curator has no use for, or cannot protect, with a `ValueError`."""
    if proven:
        raise ValueError("aggregators add doses to proven sums, which need no curator: leave one of both out")
    if colluding:
        raise ValueError(f"nodes add no noise under a curator, so {colluding} of them cannot tell it")
    if witnesses:
        raise ValueError(f"a curator adds all the noise itself: {witnesses} witnesses would show nothing")
    if protocol.claims.nodes_see == "vectors":
        raise ValueError(
            f"under {protocol} nodes read vectors of others, and a curator's noise comes too late"
        )
