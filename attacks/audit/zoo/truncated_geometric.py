"""A count with noise, truncated to what a hundred people can make."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, two_sided


class TruncatedGeometric(Specimen):
    """See the top of the file."""

    truth = 1.0
    why = "Truncating to public bounds is post-processing (Ghosh, Roughgarden and Sundararajan 2009)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [(0, 1, "no record, and one"), (99, 100, "99 records, and 100")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return min(100, max(0, data + two_sided(rng, 1.0)))
