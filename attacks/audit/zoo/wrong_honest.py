"""A count with shares for ten nodes, three of which collude."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, polya


class WrongHonest(Specimen):
    """See the top of the file."""

    truth = 1.3416
    why = "Colluders subtract their shares: honest nodes alone must carry a dose."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + sum(polya(rng, 1.0, 0.1) for _ in range(7))
