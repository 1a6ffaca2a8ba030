"""What a round with malicious nodes opened."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from protocols.opened import Opened
from protocols.ring import Integers


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a round opened.

    Attributes
    ----------
    opened
        Rows and members.
    contaminated
        Whether a malicious node is in each row, shape (g,).
    refused
        How many submitters were left out.
    forged
        What the malicious submitters sent of what was summed, (d,) by name.
    """

    opened: Opened
    contaminated: NDArray[np.bool_]
    refused: int
    forged: Mapping[str, Integers] = field(default_factory=dict)
