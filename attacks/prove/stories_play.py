"""Two survivor lists, played against the real parties of double masking.

Both servers hear everything until vectors are masked; the second takes no notice of those whom its list calls
silent. From the survivors on an honest node hears one of the servers, and a corrupt node is there for each.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from attacks.prove.stage import EVERY, Copy, Stage
from protocols.entropy import seeded
from protocols.messages import Confirmation, MaskedVector
from protocols.party import AGGREGATOR, Envelope, PartyId
from protocols.protocol import Protocol

STORIES = 2


@dataclass(frozen=True)
class Stories:
    """What the server tells.

    Attributes
    ----------
    silent
        Whom the second list calls silent; the first list has all nodes.
    told
        For each honest node that is told one, the list.
    corrupt
        Nodes that work with the server.
    """

    silent: Collection[PartyId]
    told: Mapping[PartyId, int]
    corrupt: Collection[PartyId]


def play(
    protocol: Protocol, nodes: tuple[PartyId, ...], stories: Stories, seed: int = 7
) -> tuple[bool, tuple[str, ...]]:
    """Whether the sums of both lists were opened, exactly; and what happened, a line for each step."""
    return _Rounds(protocol, nodes, stories, seed).played()


class _Rounds(Stage):
    def __init__(self, protocol: Protocol, nodes: tuple[PartyId, ...], stories: Stories, seed: int) -> None:
        super().__init__(protocol, nodes, seed)
        self._stories = stories
        self._masked: set[Copy] = set()
        for story in range(STORIES):
            # the same entropy gives the same keys and identities
            parties = protocol.parties(self.vectors, self.session, seeded(seed))
            self.cast[AGGREGATOR, story] = parties[AGGREGATOR]
            for node in nodes:
                copy = story if node in stories.corrupt else EVERY
                self.cast.setdefault((node, copy), parties[node])

    def played(self) -> tuple[bool, tuple[str, ...]]:
        """Play; what came of it."""
        self.play()
        rows = self.rows(STORIES)
        broken = True
        for story, found in enumerate(rows):
            if found is None:
                broken = False
                continue
            row, members = found
            broken &= self.exact(row, members)
            self.lines.append(
                f"the server opens the sum of {len(members)} nodes of list {story}: {row.tolist()}"
            )
        if broken and rows[0] is not None and rows[1] is not None:
            difference = rows[0][0] - rows[1][0]
            names = ", ".join(sorted(set(rows[0][1]) - set(rows[1][1])))
            self.lines.append(f"their difference is the sum of {names}: {difference.tolist()}")
        return broken, tuple(self.lines)

    def note(self, copy: Copy, envelope: Envelope) -> None:
        """Which list an honest node confirms matters."""
        if copy[0] in self._stories.told and isinstance(envelope.body, Confirmation):
            story = self._stories.told[copy[0]]
            self.lines.append(f"{copy[0]} is told list {story}, and confirms it to its neighbours")

    def hearers(self, copy: Copy, envelope: Envelope) -> list[Copy]:
        """See `Stage.hearers`."""
        (speaker, story), recipient, lie = copy, envelope.recipient, self._stories
        if recipient == AGGREGATOR:
            servers = range(STORIES) if story == EVERY else [story]
            if isinstance(envelope.body, MaskedVector):
                self._masked.add(copy)
                servers = [each for each in servers if each == 0 or speaker not in lie.silent]
            elif copy in self._masked and story == EVERY:
                servers = [lie.told[speaker]] if speaker in lie.told else []
            return [(AGGREGATOR, each) for each in servers]
        if recipient in lie.corrupt:
            return [(recipient, story)]
        honest = recipient, EVERY
        heard = lie.told.get(recipient) if honest in self._masked else 0
        return [honest] if heard == story else []
