"""Layer 1: neighbouring inputs replayed with frozen noise; deterministic, so a violation is certain."""

import numpy as np

from attacks.audit.neighbours import neighbours
from attacks.audit.target import Target
from attacks.audit.verdict import Finding
from securenb.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.sensitivity import Adjacency

LAYER = "L1 replay"
MOST = 6
"""Witnesses shown."""


def replay(target: Target, adjacency: Adjacency, pairs: int, rng: np.random.Generator) -> Finding:
    """Noise that depends on the records, cells without noise, and moves beyond the claim."""
    claimed = target.claimed(adjacency)
    mechanism = getattr(target, "mechanism", None)
    pure = mechanism is None or isinstance(mechanism, DiscreteLaplace)
    found: dict[tuple[str, int], str] = {}
    worst = 0.0
    for what, base, other in neighbours(target.schema, adjacency, pairs, rng):
        before, after = target.replay(base), target.replay(other)
        shift = after.values - before.values
        for label, column in np.argwhere(before.laws != after.laws):
            name = target.schema.column_name(int(column))
            line = f"noise depends on data, {before.laws[label, column]} against {after.laws[label, column]}"
            found.setdefault(("depends", int(column)), f"{name}, class {label}: {line} ({what})")
        bare = (shift != 0) & np.array([[law is None for law in row] for row in before.laws])
        for label, column in np.argwhere(bare):
            name = target.schema.column_name(int(column))
            line = f"moves by {shift[label, column]:g} without noise"
            found.setdefault(("bare", int(column)), f"{name}, class {label}: {line} ({what})")
        if pure and not bare.any():
            worst = max(worst, target.loss(before, shift))
            if claimed is not None and worst > float(claimed) * (1 + 1e-9):
                line = f"one change costs {worst:g}, claimed {float(claimed):g} under {adjacency} ({what})"
                found.setdefault(("cost", 0), line)
    if found:
        kinds = sorted(found, key=lambda key: (key[1], key[0]))
        first = [next(k for k in kinds if k[0] == kind) for kind in dict.fromkeys(k[0] for k in kinds)]
        shown = [*first, *(key for key in kinds if key not in first)][:MOST]
        return Finding(LAYER, "FAIL", tuple(found[key] for key in shown))
    if not pure:
        line = (
            f"{pairs} pairs: the same noise for both; how far they move it cannot price without pure epsilon"
        )
        return Finding(LAYER, "INCONCLUSIVE", (line,))
    return Finding(LAYER, "PASS", (f"{pairs} pairs, the costliest change {worst:.4g}",))
