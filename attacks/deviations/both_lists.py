"""A second list of survivors, to get both kinds of shares of the same node."""

from attacks.deviation import Cast, Deviation
from attacks.deviations.split_views import without_last
from attacks.toolkit.messages import changed
from protocols.party import Envelope


class BothLists(Deviation):
    """Names the last member of the group as a survivor, then asks again as if it had fallen silent."""

    roles = ("aggregator",)

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        fewer = without_last(envelope.body, cast)
        return [envelope] if fewer is None else [envelope, changed(envelope, fewer)]
