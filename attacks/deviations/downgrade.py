"""A threshold of one in the aggregator's copy of the protocol."""

import copy
from collections.abc import Mapping
from typing import ClassVar

from attacks.deviation import Cast, Deviation
from attacks.toolkit.messages import Deviant
from protocols.party import AGGREGATOR, Envelope, Party
from protocols.protocol import Protocol


def _downgraded(protocol: Protocol) -> Protocol:
    class Downgraded(type(protocol)):  # type: ignore[misc]
        def survivors(self, size: int) -> int:
            return 1

        def _check_rates(self, size: int, threshold: int) -> None:
            return None

        def check_threshold(self, threshold: int, holders: int) -> None:
            return None

    Downgraded.__qualname__ = type(protocol).__qualname__
    other = copy.copy(protocol)
    object.__setattr__(other, "__class__", Downgraded)
    return other


class _Deaf(Deviant):
    """Hears only some of the nodes."""

    def __init__(self, deviation: "Downgrade", honest: Party, cast: Cast) -> None:
        super().__init__(honest, lambda envelope: [envelope])
        self._deviation = deviation
        self._ignored = set(cast.session.nodes[2:])

    def handle(self, envelope: Envelope) -> list[Envelope]:
        """Listen to the first two nodes and to trustees."""
        if envelope.sender in self._ignored:
            self._deviation.changed = True
            return []
        return super().handle(envelope)


class Downgrade(Deviation):
    """Listens to two nodes only, and opens their sum with a threshold of one."""

    roles = ("aggregator",)
    not_covered: ClassVar[Mapping[str, str]] = {"plain": "the aggregator has every vector anyway"}

    def deviant(self, honest: Party, cast: Cast) -> Party:
        """See `Deviation.deviant`."""
        return _Deaf(self, cast.honest(AGGREGATOR, _downgraded(cast.protocol)), cast)
