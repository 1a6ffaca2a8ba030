"""Two counts of a label, each with noise for adding a record."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, two_sided


class ReplacedLabel(Specimen):
    """See the top of the file."""

    adjacency = "replace-one"
    truth = 2.0
    why = "A flipped label moves two counts (Kifer and Machanavajjhala 2011 on adjacency)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [([5, 5], [4, 6], "a label flips")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return [data[0] + two_sided(rng, 1.0), data[1] + two_sided(rng, 1.0)]
