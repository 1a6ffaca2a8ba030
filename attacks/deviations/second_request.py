"""A second sum, of one member less: their difference would be that member's vector."""

from attacks.crafting import changed
from attacks.deviation import Cast, Deviation
from protocols.double_masking.messages import Survivors, pack_set
from protocols.party import Envelope
from protocols.schemes._committee import Request
from protocols.schemes.paillier import Products


class SecondRequest(Deviation):
    """Asks for the sum, and then again for the sum without the last member of the first group."""

    roles = ("aggregator",)

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        match envelope.body:
            case Survivors():
                size = len(cast.session.groups[0])
                return [envelope, changed(envelope, Survivors(pack_set(range(size - 1), size)))]
            case Request(groups, (first, *others)):
                return [envelope, changed(envelope, Request(groups, (first[:-1], *others)))]
            case Products():
                return [envelope, envelope]
        return [envelope]
