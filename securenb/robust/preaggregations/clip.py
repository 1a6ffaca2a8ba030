"""Clipping: no row is farther from the middle than the median row."""

from dataclasses import dataclass

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.robust.points import checked
from securenb.robust.preaggregation import Preaggregation


def clipped(points: Floats, radius: float | None = None) -> Floats:
    """Rows pulled onto the ball of `radius` around the coordinate-wise median, if they lie outside.

    The radius is by default the median distance to that centre, so that the result follows rows that
    are translated or scaled, and no constant has to be guessed.
    """
    checked(points, 0, 0)
    centre = np.median(points, axis=0)
    offsets = points - centre
    lengths = np.linalg.norm(offsets, axis=1)
    limit = float(np.median(lengths)) if radius is None else radius
    outside = lengths > limit
    offsets[outside] *= (limit / lengths[outside])[:, None]
    return centre + offsets


@dataclass(frozen=True)
class Clip(Preaggregation):
    """Bounds how far one row can pull.

    Parameters
    ----------
    radius
        See `clipped`.
    """

    radius: float | None = None

    def apply(self, points: Floats, malicious: int) -> Floats:
        """See `Preaggregation.apply`."""
        return clipped(points, self.radius)
