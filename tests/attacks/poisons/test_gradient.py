"""Gradient is stronger on a sum within invariants and cap than every attack that is not optimised."""

import numpy as np
import pytest

from attacks.poison import POISONS
from attacks.sweeps.poisoning import measure
from attacks.sweeps.poisoning_grid import AttackGrid
from securenb.experiments.checked import checked

OPTIMISED = ("gradient", "gradient_rule", "gradient_calibrated", "evolution")


def measured(attacks, **choices):
    base = {
        "dataset": "phishing",
        "nodes": 20,
        "rules": "sum",
        "group_size": "all",
        "inputs": "verified",
        "trials": 2,
        "malicious": 0.3,
    }
    cells = checked(AttackGrid, **base | {"attacks": attacks} | choices).cells()
    found = {}
    for cell in cells:
        (line,) = measure(cell)
        found.setdefault(cell["attack"], []).append(line["balanced_accuracy"])
    return {attack: float(np.mean(scores)) for attack, scores in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["none", "1"])
def test_no_other_poison_within_the_invariants_hurts_a_sum_more(epsilon):
    others = [
        f"{name}:inside" for name in POISONS if POISONS[name].aim == "accuracy" and name not in OPTIMISED
    ]
    found = measured([*others, "gradient:inside"], epsilon=epsilon)
    strongest = found.pop("gradient:inside")
    assert strongest < min(found.values()) + 0.01
    assert strongest < found["none"] - 0.1


def test_knowing_only_its_own_data_it_is_nearly_as_strong():
    found = measured(["gradient:inside", "gradient:inside:local"], epsilon="none")
    assert found["gradient:inside:local"] < found["none"] - 0.1
    assert found["gradient:inside"] <= found["gradient:inside:local"] + 0.05
