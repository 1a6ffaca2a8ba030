"""The sum of rows in which no node counts for more than a proven cap."""

from dataclasses import dataclass
from typing import ClassVar

from securenb.robust.rules.sum import Sum


@dataclass(frozen=True)
class VerifiedSum(Sum):
    """The plain sum, refused unless every node proves its cap: with the protocol `verified` and a record cap.

    No row is thought malicious or honest: a malicious node adds at most `cap` records, whatever they are.
    Label flips by a share φ of the nodes win from φ* = 1 / (1 + κ) on, κ being the cap over the mean records
    of an honest node; what other records can do, a certificate says (`securenb.certify.certificate`).
    """

    capped: ClassVar[bool] = True
    shrinks: ClassVar[bool] = False  # a certificate is about sums
