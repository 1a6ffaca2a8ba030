"""Runs the layers that were asked for, cheapest first."""

from collections.abc import Callable, Sequence

import numpy as np

from attacks.audit.canaries import one_run
from attacks.audit.ledger import check_claim
from attacks.audit.replay import replay
from attacks.audit.statistical import measure
from attacks.audit.target import Target
from attacks.audit.verdict import Finding
from securenb.feature import Numeric
from securenb.records import Records
from securenb.schema import Schema
from securenb.sensitivity import Adjacency

LEVELS = ("L0", "L1", "L2", "L3")
CANARIES = 10_000
"""Rows in the one run of layer 3."""


def audit(
    target: Target,
    adjacency: Adjacency,
    levels: Sequence[str],
    *,
    pairs: int,
    trials: int,
    rng: np.random.Generator,
    step: Callable[[str], None] = lambda _: None,
) -> list[Finding]:
    """What each layer says.

    Raises
    ------
    ValueError
        If a level is unknown.
    """
    for level in levels:
        if level not in LEVELS:
            raise ValueError(f"unknown level {level!r}; known: {', '.join(LEVELS)}")
    found = []
    if "L0" in levels:
        step("ledger")
        found.append(check_claim(target, adjacency))
    if "L1" in levels:
        step("replay")
        found.append(replay(target, adjacency, pairs, rng))
    if "L2" in levels:
        found.append(measure(target, extreme_pair(target.schema), adjacency, trials, rng, step))
    if "L3" in levels:
        step("canaries")
        found.append(one_run(target, extreme_pair(target.schema), CANARIES, rng))
    return found


def extreme_pair(schema: Schema) -> tuple[Records, Records]:
    """One record of the first class in the middle of its range; and one more at the top of it."""
    middle, top = (
        [(f.steps if isinstance(f, Numeric) else len(f.levels) - 1) // divisor for f in schema.features]
        for divisor in (2, 1)
    )
    labels = np.zeros(2, dtype=np.int32)
    both = Records(np.array([middle, top], dtype=np.int32), labels)
    return both[:1], both
