"""What the parties of our protocols say, by name: for engines that look inside, and for adversaries.

A protocol that stands in one file has its messages there; these belong to what several share.
"""

from protocols.one_list import Confirmed
from protocols.schemes._committee import PartSums, Request, Seeds
from protocols.schemes._committee import Report as SeedTags
from protocols.schemes._double_masking.messages import (
    Complaint,
    Confirmation,
    DeliveredShares,
    MaskedVector,
    NeighbourKeys,
    Participants,
    SealedShares,
    Survivors,
    Unmasking,
    pack_set,
)
from protocols.schemes._paillier.holder import Partial, Partials, Proven, Published, Receipt
from protocols.schemes._prio3.messages import Open, Report, Verifier
from protocols.schemes._prio3.messages import Sums as VerifiedSums
from protocols.schemes._prio3.messages import purpose as verified_purpose
from protocols.schemes._sums import Sums

__all__ = [
    "Complaint",
    "Confirmation",
    "Confirmed",
    "DeliveredShares",
    "MaskedVector",
    "NeighbourKeys",
    "Open",
    "PartSums",
    "Partial",
    "Partials",
    "Participants",
    "Proven",
    "Published",
    "Receipt",
    "Report",
    "Request",
    "SealedShares",
    "SeedTags",
    "Seeds",
    "Sums",
    "Survivors",
    "Unmasking",
    "VerifiedSums",
    "Verifier",
    "pack_set",
    "verified_purpose",
]
