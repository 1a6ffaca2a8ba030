"""Releases of known privacy, in the interpreter of the code that is judged: an adapter like any other.

Standard library alone, kept to the syntax of Python 3.8.
"""

from __future__ import annotations

import math
import random
from typing import Any

_RNG = random.SystemRandom()


def about() -> dict[str, Any]:
    """See the contract of adapters."""
    return {"name": "control", "version": "1", "level": "primitive", "own": True}


def releases() -> list[dict[str, Any]]:
    """A count with discrete Laplace noise of the right scale, and of a third of it."""
    return [{"name": name, "adjacency": "add-remove"} for name in ("planted right", "planted wrong")]


def release(name: str, data: dict[str, Any], epsilon: float, runs: int) -> list[list[int]]:
    """Runs of one of them."""
    rate = epsilon if name == "planted right" else 3 * epsilon
    # the difference of two geometric numbers is a discrete Laplace one
    return [[len(data["x"]) + _geometric(rate) - _geometric(rate)] for _ in range(runs)]


def _geometric(rate: float) -> int:
    return int(math.log(1.0 - _RNG.random()) / -rate)
