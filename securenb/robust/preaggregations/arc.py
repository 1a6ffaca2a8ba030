"""ARC, adaptive robust clipping: the more rows may be malicious, the more of the farthest are clipped."""

from dataclasses import dataclass

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.robust.points import checked
from securenb.robust.preaggregation import Preaggregation


def adaptively_clipped(points: Floats, malicious: int) -> Floats:
    """The k = ⌊2·f/n·(n - f)⌋ farthest rows pulled in to the distance of the next, shape (n, d).

    Allouah, Guerraoui, Gupta, Jellouli, Rizk and Stephan 2024, "Adaptive Gradient Clipping for Robust
    Federated Learning", algorithm 2. Gradients are clipped towards zero there; parameters have no such
    point, so that here the centre is the coordinate-wise median. Needs n > 2f.
    """
    n = len(checked(points, malicious, (len(points) - 1) // 2))
    centre = np.median(points, axis=0)
    offsets = points - centre
    lengths = np.linalg.norm(offsets, axis=1)
    count = 2 * malicious * (n - malicious) // n
    limit = float(np.sort(lengths)[n - count - 1])
    outside = lengths > limit
    clipped = points.copy()
    clipped[outside] = centre + offsets[outside] * (limit / lengths[outside])[:, None]
    return clipped


@dataclass(frozen=True)
class AdaptiveRobustClipping(Preaggregation):
    """Clips more, the more rows may be malicious, and nothing where none may be."""

    def apply(self, points: Floats, malicious: int) -> Floats:
        """See `Preaggregation.apply`."""
        return adaptively_clipped(points, malicious)
