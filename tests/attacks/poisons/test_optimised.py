"""Optimised attacks are stronger than those they begin with, whatever the rule, and stay what they may be."""

import numpy as np
import pytest

from attacks.checks import check_poison
from attacks.poison import Knowledge, Poison, choose_poison
from attacks.sweeps.poisoning import measure
from attacks.sweeps.poisoning_grid import AttackGrid
from protocols.contract import BrokenContract
from securenb.experiments.checked import checked

OPTIMISED = ("gradient", "gradient_rule", "gradient_calibrated", "gradient_backdoor", "evolution")


def measured(attacks, column="balanced_accuracy", **choices):
    base = {"dataset": "phishing", "nodes": 20, "trials": 1, "malicious": 0.3, "epsilon": "none"}
    found = {}
    for cell in checked(AttackGrid, **base | {"attacks": attacks} | choices).cells():
        for line in measure(cell):
            found.setdefault((line["rule"], cell["attack"]), []).append(line[column])
    return {key: float(np.mean(scores)) for key, scores in found.items()}


PROVEN = {"group_size": "all", "inputs": "verified"}


@pytest.mark.parametrize("rule", ["median", "krum", "nnm+median"])
def test_gradient_rule_hurts_a_rule_that_sees_rows_more_than_flips_and_alie(rule):
    found = measured(["gradient_rule(steps=60)", "tight_cluster", "alie"], rules=[rule])
    strongest = found.pop((rule, "gradient_rule(steps=60)"))
    assert strongest < min(found.values()) + 0.01
    assert strongest < found[rule, "none"] - 0.01


def test_gradient_calibrated_hurts_a_calibrated_sum_more_than_misleading_records():
    attacks = ["gradient_calibrated(steps=40):inside", "worst_records:inside"]
    found = measured(attacks, rules="calibrated_sum", malicious=0.45, trusted_records=60, **PROVEN)
    strongest = found.pop(("calibrated_sum", "gradient_calibrated(steps=40):inside"))
    assert strongest <= min(found.values())


def test_within_the_cap_the_optimised_backdoor_succeeds_more_often():
    attacks = ["backdoor:inside", "gradient_backdoor:inside"]
    found = measured(attacks, "success", rules="sum", malicious=0.1, **PROVEN)
    assert found["sum", "gradient_backdoor:inside"] >= found["sum", "backdoor:inside"]


def test_evolution_asks_a_rule_of_anybodys_for_scores_alone():
    found = measured(["evolution(evaluations=40)", "worst_records"], rules=["median"], malicious=0.4)
    assert found["median", "evolution(evaluations=40)"] <= found["median", "worst_records"]


class Cheat(Poison):
    """Sends flipped statistics."""

    def forge(self, known, rng):
        return list(np.roll(known.own, 1, axis=1))


class _OverCap(Cheat):
    def sent(self, known, rng):
        return [known.cap * 3 * table for table in super().sent(known, rng)]


class _OthersNodes(Cheat):
    def nodes(self, nodes, malicious, *given, **more):
        return super().nodes(nodes, [*malicious, 0], *given, **more)


class _MoreNodes(Cheat):
    def forge(self, known, rng):
        return [*super().forge(known, rng), known.own[0]]


class _HearsNoise(Cheat):
    def forge(self, known, rng):
        if known.noise is not None and hasattr(known.noise, "sources"):
            known.noise.sources("helper-1", 0)
        return super().forge(known, rng)


class _SeesOthers(Cheat):
    def sent(self, known, rng):
        return list(known.others[: len(known.own)])


class _WritesRecords(Cheat):
    def nodes(self, nodes, *given, **more):
        result = super().nodes(nodes, *given, **more)
        nodes[0].records.labels[:] = 0
        return result


CHEATS = (_OverCap, _OthersNodes, _MoreNodes, _HearsNoise, _SeesOthers, _WritesRecords)


@pytest.mark.parametrize("cheat", CHEATS)
def test_an_attack_that_cheats_fails_the_contract(cheat):
    check_poison(Cheat())
    with pytest.raises((BrokenContract, ValueError)):
        check_poison(cheat())


def test_a_knowledge_of_the_noise_is_of_its_law():
    from attacks.checks import SCHEMA, known
    from securenb.federation.noise_plan import StreamSources, WholeDoses
    from securenb.privacy.spec import choose_mechanism
    from securenb.randomness import Streams

    some = known()
    plan = WholeDoses(choose_mechanism("discrete_laplace", "1", None), SCHEMA, 2, StreamSources(Streams(1)))
    knowledge = Knowledge(SCHEMA, some.own, some.others, some.rule, 1, 60, noise=plan)
    assert np.abs(knowledge.noise_draws(2, np.random.default_rng(0))).max() > 0
    with pytest.raises(ValueError, match="know the law of the noise, not what helper drew"):
        knowledge.noise.sources("helper")


def test_local_optimisers_draw_from_their_own_nodes_alone():
    from attacks.checks import known

    some, other = known(1), known(5)
    for name in OPTIMISED:
        poison = choose_poison(f"{name}:local:inside").brief()
        first = poison.sent(some, np.random.default_rng(1))
        second = poison.sent(
            Knowledge(some.schema, some.own, other.others, some.rule, 1, some.cap), np.random.default_rng(1)
        )
        assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_what_is_claimed_where_nothing_is_checked_is_not_refused_at_the_door():
    base = {
        "dataset": "breast_cancer",
        "nodes": 4,
        "trials": 1,
        "malicious": 0.25,
        "rules": "median",
        "epsilon": "none",
    }
    attacks = [
        "gradient_rule(starts=1, steps=2, records=60, rounds=0)",
        "evolution(evaluations=8, records=60)",
    ]
    for cell in checked(AttackGrid, **base | {"attacks": attacks, "test_records": 100}).cells():
        (line,) = measure(cell)
        assert line["refused"] == 0
