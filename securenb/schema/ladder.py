"""Public thresholds: steps whose votes stand out of the noise, and that grow geometrically."""

import math

ABOVE_NOISE = 6.0
"""How many standard deviations of a column's noise its votes are worth at least."""
GROWTH = 0.4
"""A step is at least so large a part of the threshold it starts from."""
SINGLE = 4
"""Up to this count steps do not grow."""


def ladder(quota: int, nodes: int, deviation: float) -> tuple[int, ...]:
    """Thresholds 0 = t_0 < t_1 < … < t_J = quota of one class.

    Parameters
    ----------
    quota
        Records of the class that a node counts for at most.
    nodes
        How many nodes are expected in the sum; public.
    deviation
        Standard deviation of the noise on each coordinate of the opened row.

    Raises
    ------
    ValueError
        If the votes of all nodes on the whole quota are worth less than that: nothing could be read off them.
    """
    least = max(1, math.ceil(ABOVE_NOISE * deviation / nodes))
    if least > quota:
        needed = math.ceil(ABOVE_NOISE * deviation / quota)
        raise ValueError(
            f"a quota of {quota} records at {nodes} nodes drowns in noise of ±{deviation:.0f}: it takes "
            f"{needed} nodes, a larger quota, or a larger epsilon"
        )
    found = [0]
    while (at := found[-1]) < quota:
        step = max(least, int(GROWTH * at) if at >= SINGLE else 1)
        if quota - at - step < max(least, step / 2):
            step = quota - at
        found.append(min(quota, at + step))
    return tuple(found)
