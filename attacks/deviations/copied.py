"""Another node's contribution as one's own: a ciphertext that depends on one whose content is not known.

Source: WillowFold (eprint 2026/264), which closes a gap in the proof of Willow: without proofs from which the
content can be extracted, a node that works with the server may send a ciphertext that is correlated to an
honest node's. We know its abstract; the attack here is the simplest of its kind, a copy. The sum then has the
victim's vector twice, which is twice as far from the noise as its dose counts on.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import ClassVar

from attacks.deviation import Cast, Deviation
from attacks.toolkit.messages import Deviant, changed
from protocols.engines.local import LocalRun
from protocols.messages import Receipt, Seeds
from protocols.party import AGGREGATOR, Envelope, Party


class Copied(Deviation):
    """Says to the server, and in boxes to holders, what the first node said there, as the server shows it."""

    source: ClassVar[str] = (
        "WillowFold (eprint 2026/264) on correlated ciphertexts; of the paper we know the abstract"
    )
    not_covered: ClassVar[Mapping[str, str]] = {
        "plain": "vectors are in the clear to the server, and whom it shows them may send them again",
        "paillier": "no node proves that it knows what it encrypted; under threshold_paillier each does",
    }

    def deviant(self, honest: Party, cast: Cast) -> Party:
        """See `Deviation.deviant`."""
        self._seen: dict[tuple[str, str], list[Envelope]] = defaultdict(list)
        parties = cast.protocol.parties(cast.vectors, cast.session, cast.entropy)
        victim = cast.session.nodes[0]
        parties[victim] = Deviant(parties[victim], self._shown)
        LocalRun(parties, cast.codec, cast.session).run()
        return super().deviant(honest, cast)

    def _shown(self, envelope: Envelope) -> list[Envelope]:
        if envelope.recipient == AGGREGATOR or isinstance(envelope.body, Seeds | Receipt):
            self._seen[envelope.recipient, type(envelope.body).__name__].append(envelope)
        return [envelope]

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        shown = self._seen[envelope.recipient, type(envelope.body).__name__]
        return [changed(envelope, shown.pop(0).body) if shown else envelope]
