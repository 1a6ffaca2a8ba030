"""Layer 0: what is claimed against what the noise costs, recomputed; static and certain."""

from fractions import Fraction

from attacks.audit.target import Noised, Target
from attacks.audit.verdict import Finding
from securenb.accountant import worst
from securenb.ledger import Ledger, shown
from securenb.sensitivity import Adjacency

LAYER = "L0 ledger"


def check_claim(target: Target, adjacency: Adjacency) -> Finding:
    """Every public cell noised, shares that make a dose, and the claim no smaller than the cost."""
    if not isinstance(target, Noised):
        return Finding(LAYER, "INCONCLUSIVE", ("it publishes no ledger: scales come from data",))
    wrong = []
    if target.present < target.among:
        wrong.append(
            f"a dose takes {target.among} shares, and only {target.present} honest ones are in the row"
        )
    wrong += [
        f"{target.schema.column_name(block.start)} ({block.kind}) is released without noise"
        for block in target.schema.blocks
        if target.mechanism.noise(target.schema, block, target.among, target.present) is None
    ]
    claimed = target.claimed(adjacency)
    if claimed is None:
        wrong.append(f"nothing is claimed under {adjacency}")
    elif not wrong:
        costs = target.mechanism.queries(target.schema, adjacency, target.among, target.present)
        assert costs is not None
        cost = worst(costs, target.mechanism.delta)
        if cost is None or cost > claimed:
            wrong.append(f"claims epsilon {shown(claimed)} under {adjacency}; it costs {shown(cost)}")
    if wrong:
        return Finding(LAYER, "FAIL", tuple(wrong))
    charge = target.mechanism.charge(target.schema, target.among, target.present)
    sides = f"{shown(charge.add_remove)} (add-remove), {shown(charge.replace_one)} (replace-one)"
    return Finding(LAYER, "PASS", (f"epsilon {sides}, {len(target.schema.blocks)} queries a class",))


def check_ledger(ledger: Ledger, claimed: Fraction, adjacency: Adjacency) -> Finding:
    """What all releases cost together; the same row released twice costs twice."""
    spent = ledger.epsilon(adjacency)
    if spent is None or spent > claimed:
        line = f"claims epsilon {shown(claimed)} under {adjacency}; its releases cost {shown(spent)}"
        return Finding(LAYER, "FAIL", (line,))
    return Finding(LAYER, "PASS", (f"releases cost {shown(spent)} ≤ {shown(claimed)}",))
