"""Another party's key in a node's place: the man in the middle that every relay could be."""

from collections.abc import Mapping
from typing import ClassVar

from attacks.deviation import Cast, Deviation
from attacks.toolkit.messages import Deviant, changed
from protocols.messages import NeighbourKeys
from protocols.party import Envelope, Party, PartyId
from protocols.primitives.key_agreement import KEY_BYTES, agree, key_pair
from protocols.primitives.mask import add_mask
from protocols.ring import Integers, from_bytes, from_ring
from protocols.schemes.masking import GroupKeys, Key, Masked

MINE = key_pair(bytes(range(7, 7 + KEY_BYTES)))


class SwappedKey(Deviation):
    """Gives the last node its own key in place of all others', and takes off the masks that follow."""

    roles = ("aggregator",)
    not_covered: ClassVar[Mapping[str, str]] = {
        "masking": "keys are not signed; the aggregator is trusted to pass them on",
    }

    def deviant(self, honest: Party, cast: Cast) -> Party:
        """See `Deviation.deviant`."""
        party = _Reader(honest, lambda envelope: self.noted(envelope, self.says(envelope, cast)))
        party.cast, party.read = cast, self.read
        return party

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        if envelope.recipient != cast.session.groups[0][-1]:
            return [envelope]
        match envelope.body:
            case GroupKeys(keys):
                others = len(keys) // KEY_BYTES - 1
                return [changed(envelope, GroupKeys(MINE.public * others + keys[-KEY_BYTES:]))]
            case NeighbourKeys(present, keys):
                return [changed(envelope, NeighbourKeys(present, MINE.public + keys[KEY_BYTES:]))]
        return [envelope]


class _Reader(Deviant):
    """Takes the masks off the last node's vector, where it made them itself."""

    cast: Cast
    read: dict[PartyId, Integers]

    def handle(self, envelope: Envelope) -> list[Envelope]:
        group = self.cast.session.groups[0]
        victim = group[-1]
        if envelope.sender == victim and isinstance(envelope.body, Key):
            self._key = envelope.body.public
        if envelope.sender == victim and isinstance(envelope.body, Masked):
            vector = from_bytes(envelope.body.words).copy()
            for peer in group[:-1]:
                ends = (peer, MINE.public), (victim, self._key)
                add_mask(
                    vector, agree(MINE, self._key, "securenb pairwise mask", self.cast.session.digest, *ends)
                )
            self.read[victim] = from_ring(vector)
        return super().handle(envelope)
