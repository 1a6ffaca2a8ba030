"""What must hold before a robust rule is worth running: bounds, contaminated groups, counts above noise.

A malicious node makes the row of its whole group malicious. A rule that withstands t of G rows withstands
f nodes only as far as they fall into at most t groups, which is chance when groups are drawn at random
after the nodes are fixed.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from protocols.grouping import Groups
from securenb.bayes.parameters import Floats
from securenb.robust.points import check_bound
from securenb.robust.rule import RULES, Rows, Rule

FAILURE = 1e-6
"""Malicious nodes contaminate more groups than planned at most with this probability."""


def contaminated(sizes: Sequence[int], malicious: int) -> Floats:
    """The distribution of the number of groups that hold a malicious node, shape (G + 1,).

    Exact (to rounding; all terms are positive) for `malicious` nodes placed uniformly at random: groups
    are filled one after the other, each with a hypergeometric number of them.

    Parameters
    ----------
    sizes
        Of the groups, G of them.
    malicious
        How many of all nodes are malicious.

    Raises
    ------
    ValueError
        If there are more malicious nodes than nodes.
    """
    from scipy.stats import hypergeom  # takes a second, which most commands can do without

    nodes = sum(sizes)
    if not 0 <= malicious <= nodes:
        raise ValueError(f"there cannot be {malicious} malicious of {nodes} nodes")
    if set(sizes) == {1}:
        certain: Floats = (np.arange(len(sizes) + 1) == malicious).astype(np.float64)
        return certain
    # state[left, k]: so many malicious nodes are still to be placed, k groups are contaminated
    state = np.zeros((malicious + 1, len(sizes) + 1))
    state[malicious, 0] = 1.0
    left, remaining = np.arange(malicious + 1), nodes
    for size in sizes:
        after = np.zeros_like(state)
        possible = np.minimum(left, remaining)
        for taken in range(min(size, malicious) + 1):
            chances = np.asarray(hypergeom.pmf(taken, remaining, possible, size))
            chance = chances[taken:, None] * state[taken:]
            target = after[: len(chance)]
            if taken:
                target[:, 1:] += chance[:, :-1]
            else:
                target += chance
        state, remaining = after, remaining - size
    distribution: Floats = state[0]
    return distribution


def contaminated_bound(sizes: Sequence[int], malicious: int, failure: float = FAILURE) -> int:
    """The fewest groups t such that more than t are contaminated with probability at most `failure`."""
    # summed from the far end, where terms are small
    beyond = np.append(np.cumsum(contaminated(sizes, malicious)[::-1])[::-1][1:], 0.0)
    return int(np.argmax(beyond <= failure))


def check_rule(rule: Rule, sizes: Sequence[int], malicious: int) -> int:
    """How many rows `rule` must withstand, if `malicious` nodes are in random groups of these sizes.

    Raises
    ------
    ValueError
        If it does not withstand as many, with the probability that they are more than it does.
    """
    needed = contaminated_bound(sizes, malicious)
    most = rule.tolerance(len(sizes))
    what = f"the rule {RULES.name_of(rule)!r}"
    if needed <= most or max(sizes) == 1 or most < 0:
        check_bound(len(sizes), needed, most, what)
        return needed
    chance = float(contaminated(sizes, malicious)[most + 1 :].sum())
    raise ValueError(
        f"{what} withstands {most} malicious of {len(sizes)} rows; {malicious} malicious of {sum(sizes)} "
        f"nodes contaminate more groups than that with probability {chance:.2g}, above {FAILURE:g}; "
        "choose smaller groups"
    )


def armed(rule: Rule, groups: Groups, malicious: int, *, proven: bool) -> Rule:
    """The rule, told how many rows it must withstand; refuses as `check_rule` if it is any.

    One that relies on what nodes prove, a cap or increments, is refused where nothing is `proven`
    (`Rule.unproven`).
    """
    if not proven and (needed := rule.unproven()):
        raise ValueError(f"the rule {RULES.name_of(rule)!r} needs {needed}")
    if not malicious or rule.capped:
        return rule
    if rule.increments:
        for group in groups:
            rule.check_nodes(len(group), malicious)
        return rule
    return replace(rule, malicious=check_rule(rule, [len(group) for group in groups], malicious))


def breakdown_share(cap_ratio: float) -> float:
    """φ* = 1 / (1 + κ), the share of malicious nodes from which label flips outvote the honest in a sum.

    Parameters
    ----------
    cap_ratio
        κ, the most records that a node may contribute over the mean records of an honest node.
    """
    if not cap_ratio > 0:
        raise ValueError(f"the cap is a positive multiple of an honest node's records, got {cap_ratio}")
    return 1 / (1 + cap_ratio)


def check_counts(rows: Rows, spread: float) -> None:
    """Refuse rows whose class counts drown in their noise.

    Parameters
    ----------
    rows
        As opened.
    spread
        Standard deviation of the noise on a count of a row.

    Raises
    ------
    ValueError
        If in some class the median count is below the noise, with the group size that would help.
    """
    medians = np.median(rows.tables[..., 0], axis=0)
    worst = int(np.argmin(medians))
    if spread > 0 and medians[worst] < spread:
        size = float(np.mean(rows.sizes))
        enough = int(np.ceil(size * spread / max(float(medians[worst]), spread / len(rows.sizes))))
        raise ValueError(
            f"class {rows.schema.classes[worst]!r}: rows count {medians[worst]:.0f} records in the median, "
            f"below the noise of ±{spread:.0f} on each; a robust rule would rank noise, not nodes; "
            f"use groups of at least {enough}, or less noise"
        )
