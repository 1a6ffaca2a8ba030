"""What single levels of the audit know by themselves."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from small_release import SCHEMA, target

from attacks.audit.federation_target import FederationTarget
from attacks.audit.ledger_level import reach, span
from attacks.audit.neighbours import KINDS, neighbours
from attacks.audit.replay_level import audit_replay
from attacks.audit.run import run_audit
from protocols.ring import Capacity
from protocols.schemes.ideal import Ideal
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.privacy.cost import epsilon_at
from securenb.privacy.mechanism import Charge
from securenb.privacy.mechanisms.skellam import Skellam
from securenb.privacy.sensitivity import ADJACENCIES
from securenb.robust.rules.sum import Sum
from securenb.schema.features import Numeric
from securenb.schema.records import Records
from securenb.schema.schema import Schema

NUMBERS = Schema(("a", "b"), tuple(Numeric(name, 0, 1, steps=8) for name in "xyz"))


def over(schema, mechanism):
    nothing = Records(np.zeros((0, len(schema.features)), dtype=np.int32), np.zeros(0, dtype=np.int32))
    choices = Federation(schema, Ideal(), mechanism, Sum(), seed=1)
    return FederationTarget(choices, [Node(f"node-{index}", nothing) for index in range(9)], "group")


def problems(audit, level):
    return {f.check: f.evidence for f in audit.findings if f.level == level and f.verdict == "FAIL"}


def test_what_the_ledger_level_finds_by_trying_is_what_the_schema_derives():
    for line in target().lines():
        assert reach(SCHEMA, line) == line.block.reach
        assert line.block.kind == "levels" or span(SCHEMA, line) == line.block.span


@dataclass(frozen=True)
class LeavesOnly(Skellam):
    """Forgets that a replaced record may stay in its class and jump across all bounds."""

    def charge(self, schema, among, shares=None):
        cost = super().charge(schema, among, shares)
        leaving, _ = self.cost(schema, "replace-one", among, shares or among).options
        return Charge(cost.add_remove, epsilon_at(leaving, self.delta), self.delta)


def test_a_forgotten_jump_within_a_class_is_seen_in_the_ledger_and_in_a_replay():
    for kind, failing in ((Skellam, []), (LeavesOnly, ["L0", "L1"])):
        audit = run_audit(over(NUMBERS, kind(Fraction(1), 1e-6)), "replace-one", ["L0", "L1"], seed=1)
        assert sorted({f.level for f in audit.findings if f.verdict == "FAIL"}) == failing


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_every_kind_of_special_record_is_in_some_pair_for_every_class(adjacency):
    found = neighbours(SCHEMA, adjacency, np.random.default_rng(1), random=0)
    for kind in KINDS:
        assert sum(f"({kind})" in pair.what for pair in found.pairs) >= len(SCHEMA.classes)
    assert any(not pair.before for pair in found.pairs) == (adjacency == "add-remove")


class Trusting(FederationTarget):
    """Lets through what is no number."""

    def encode(self, frame):
        missing = frame["size"].isna()
        encoded = super().encode(frame.assign(size=frame["size"].mask(missing, 0)))
        object.__setattr__(self, "missing", missing.any())
        return encoded

    def replay(self, records, *, traced=True):
        found = super().replay(records, traced=traced)
        return replace(found, values=found.values + np.nan) if self.missing else found


def test_a_missing_number_that_is_released_is_seen_in_a_replay():
    pairs = neighbours(SCHEMA, "add-remove", np.random.default_rng(1), random=0)
    found = {finding.check: finding for finding in audit_replay(target(Trusting), "add-remove", pairs)}
    refused = found["what the schema does not have is refused at the node"]
    assert (refused.verdict, refused.evidence) == ("FAIL", "nan in 'size' is released")


def test_values_that_no_schema_has_are_refused_by_our_own_nodes():
    audit = run_audit(target(), "add-remove", ["L1"], seed=1)
    assert audit.findings[0].evidence == "10 of 10 such values"


def test_sums_that_may_wrap_are_refused_before_an_audit_could_see_them():
    with pytest.raises(ValueError, match="sums could wrap"):
        run_audit(target(record_cap=1 << 62), "add-remove", ["L0"], seed=1)


def test_a_ring_that_was_planned_too_small_is_seen_in_the_ledger():
    class Short(FederationTarget):
        def capacity(self):
            return Capacity(4, 9, 10)

    found = problems(run_audit(target(Short, record_cap=100), "add-remove", ["L0"], seed=1), "L0")
    assert list(found) == ["sums do not wrap"]
    assert found["sums do not wrap"].endswith("the ring is planned for 46")
