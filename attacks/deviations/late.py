"""Words that arrive when the others have gone on."""

from attacks.deviation import Cast, Deviation
from attacks.toolkit.messages import Deviant
from protocols.party import Envelope, Party


class _Slow(Deviant):
    """Keeps what it has to say until it is past the deadline."""

    def __init__(self, honest: Party) -> None:
        super().__init__(honest, self._kept)
        self._late: list[Envelope] = []

    def _kept(self, envelope: Envelope) -> list[Envelope]:
        self._late.append(envelope)
        self.output = None
        return []

    def deadline(self) -> list[Envelope]:
        """Speak at last."""
        late, self._late = self._late, []
        self.output = self.honest.output
        return late


class Late(Deviation):
    """Speaks only when the deadline has passed."""

    def deviant(self, honest: Party, cast: Cast) -> Party:
        """See `Deviation.deviant`."""
        self.changed = True
        return _Slow(honest)
