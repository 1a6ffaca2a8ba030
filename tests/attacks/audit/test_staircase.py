"""The audit of staircase sums: PASS at what is charged, for a node that is full; FAIL where m is charged."""

from dataclasses import replace
from functools import cached_property

import pytest

from attacks.audit.federation_target import FederationTarget
from attacks.audit.full_node import filled
from attacks.audit.run import run_audit
from securenb.data.node import Node
from securenb.data.partition import node_ids
from securenb.experiments.scenario import Scenario
from securenb.schema.features import Categorical
from securenb.schema.increments import Increments
from securenb.schema.schema import Schema

SCHEMA = Schema(
    ("no", "yes"),
    (Categorical("a", ("x", "y", "z")), Categorical("b", ("u", "v")), Categorical("c", ("s", "t"))),
)


def audited(adjacency, monkeypatch=None):
    if monkeypatch is not None:
        blocks = Increments.blocks.func

        def charged_for_m(layout):
            return tuple(replace(block, moves=1) for block in blocks(layout))

        too_few = cached_property(charged_for_m)
        too_few.__set_name__(Increments, "blocks")
        monkeypatch.setattr(Increments, "blocks", too_few)
    chosen = Scenario.checked(
        dataset="phishing", nodes=30, protocol="verified", epsilon="1", rule="staircase(quota=6)", seed=3
    )
    federation = chosen.federation_over(SCHEMA, nodes=30)
    empty = filled(SCHEMA)
    nodes = [Node(name, empty) for name in node_ids(30)]
    target = FederationTarget(federation, nodes, "group", federation.mechanism.epsilon)
    return run_audit(target, adjacency, ["L0", "L1"], seed=1, confidence=0.95)


@pytest.mark.parametrize(("adjacency", "loss"), [("add-remove", 1), ("replace-one", 2)])
def test_a_full_node_loses_what_is_charged_and_no_more(adjacency, loss):
    audit = audited(adjacency)
    assert audit.verdict == "PASS", audit.conclusion()
    pairs = next(f for f in audit.findings if f.check == "no pair loses more than is claimed")
    assert f"largest loss {loss}" in pairs.evidence


def test_a_dose_for_one_increment_of_each_feature_is_found(monkeypatch):
    audit = audited("add-remove", monkeypatch)
    failed = {finding.level for finding in audit.findings if finding.verdict == "FAIL"}
    assert failed == {"L0", "L1"}
