"""A crash after the first word."""

from attacks.deviation import Cast, Deviation
from protocols.party import Envelope


class Vanish(Deviation):
    """Says one thing and then nothing more."""

    roles = ("node", "trustee")

    def __init__(self) -> None:
        super().__init__()
        self._spoke = False

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        silent, self._spoke = self._spoke, True
        return [] if silent else [envelope]
