"""Counts of levels in the order in which they were seen."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, two_sided


class OrderOfRecords(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "The order of records is an output, too."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [("abca", "babca", "a record comes first")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return list(dict.fromkeys(data)) + [data.count(level) + two_sided(rng, 1.0) for level in "abc"]
