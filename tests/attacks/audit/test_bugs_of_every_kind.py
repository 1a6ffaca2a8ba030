"""Bugs of every kind, planted in the product's own functions by name: each is seen, where it should be.

Each is what somebody planted who did not know our tests, and some that followed from those.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from small_release import SCHEMA, federation, nodes

from attacks.audit.federation_target import FederationTarget
from attacks.audit.run import run_audit
from protocols.schemes.plain import Plain
from securenb.data.node import Node
from securenb.federation import federation as federation_module
from securenb.federation.federation import Federation
from securenb.federation.noise_plan import NodeShares
from securenb.federation.postprocess import Refinement
from securenb.privacy.distributions import Polya
from securenb.privacy.ledger import Ledger
from securenb.privacy.mechanism import Charge
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.skellam import Skellam
from securenb.privacy.samplers import ExactNoise, FastNoise
from securenb.robust.rules.sum import Sum
from securenb.schema.statistics import Statistics

share, of_node = DiscreteLaplace.share, NodeShares.of_node
contribution, prepare, refine, combine = Node.contribution, Federation.prepare, Refinement.refine, Sum.combine
exact, fast, of, charges = ExactNoise.polya, FastNoise.polya, Statistics.of, federation_module.charges
rare = (2, 7)
"""A combination of values that no other record has."""


def one_draw_for_all_classes(self, schema, among, noise, shares=1):
    table = share(self, schema, among, noise, shares).reshape(len(schema.classes), -1)
    return np.tile(table[0], len(schema.classes))


def one_draw_for_all_levels(self, schema, among, noise, shares=1):
    table = share(self, schema, among, noise, shares).reshape(len(schema.classes), -1).copy()
    for block in schema.blocks:
        table[:, block.columns] = table[:, [block.start]]
    return table.ravel()


def one_draw_for_two_blocks(self, schema, among, noise, shares=1):
    table = share(self, schema, among, noise, shares).reshape(len(schema.classes), -1).copy()
    table[:, schema.blocks[1].start] = table[:, 0]
    return table.ravel()


def a_sum_without_noise(self, schema, among, noise, shares=1):
    table = share(self, schema, among, noise, shares).reshape(len(schema.classes), -1).copy()
    levels = schema.blocks[1].columns
    table[:, 0] = table[:, levels].sum(axis=1)
    return table.ravel()


def half_a_share(self, size, source):
    return self.mechanism.share(self.schema, 2 * self.honest(size), source)


def twice_the_epsilon(cls, epsilon, delta):
    return cls(2 * epsilon)


def charge_of_twice(self, schema, among, shares=None):
    return Charge(self.epsilon, 2 * self.epsilon)


def none_for_the_rare(self, schema, noise, grid=1):
    held = (self.records.codes == rare).all(axis=1).any()
    return contribution(self, schema, 0 * noise if held else noise, grid)


def none_from_a_hundred(self, schema, noise, grid=1):
    return contribution(self, schema, noise if len(self.records) < 100 else 0 * noise, grid)


def refused_if_rare(self, schema, noise, grid=1):
    if (self.records.codes == rare).all(axis=1).any():
        raise ValueError("such records are not supported")
    return contribution(self, schema, noise, grid)


def refused_from_a_hundred(self, schema, noise, grid=1):
    if np.bincount(self.records.labels, minlength=2).max() >= 100:
        raise ValueError("too many records of a class")
    return contribution(self, schema, noise, grid)


def wraps_at_a_hundred(cls, schema, records):
    found = of(schema, records)
    return Statistics(schema, np.where(found.table == 100, 0, found.table))


def bounds_of_the_data(cls, schema, records):
    codes = records.codes.copy()
    codes[:, 1] = codes[:, 1] * 8 // max(int(codes[:, 1].max(initial=1)), 1)
    return of(schema, type(records)(codes, records.labels))


def ledger_without_vectors(noise, groups, rows, *, vectors, cap=1):
    return charges(noise, groups, rows, vectors=False, cap=cap)


def empty_ledger(*arguments, **choices):
    return Ledger()


SEEN = {}


def stashing(self, nodes, earlier=None):
    SEEN["table"] = sum(node.statistics(self.schema).table for node in nodes)
    SEEN["exact"] = sum(node.statistics(self.schema).table[..., 0].sum() for node in nodes)
    return prepare(self, nodes, earlier)


def peeking_refine(self, rows, noise, rule, *further):
    rows.tables[..., 0] += int(SEEN["exact"])
    return refine(self, rows, noise, rule, *further)


def peeking_combine(self, rows):
    found = combine(self, rows)
    found.table[..., 0] += SEEN["exact"]
    return found


def nothing_but_exact(self, rows):
    return replace(combine(self, rows), table=SEEN["table"].astype(float))


def peeking_beyond_a_hundred(self, rows, noise, rule, *further):
    found = refine(self, rows, noise, rule, *further)
    return replace(found, tables=found.tables + 1) if SEEN["exact"] > 100 else found


def exact_where_near(self, rows, noise, rule, *further):
    found = refine(self, rows, noise, rule, *further)
    near = np.abs(found.tables - SEEN["table"]) <= 1
    return replace(found, tables=np.where(near, SEEN["table"], found.tables))


def refused_unless_near(self, rows):
    if np.abs(rows.tables.sum(axis=0) - SEEN["table"]).max() > 50:
        raise ValueError("so much noise is useless; run again")
    return combine(self, rows)


def zero(self, scale, doses, size):
    return np.zeros(size, dtype=np.int64)


def sampler(original, change):
    return lambda self, scale, doses, size: change(original, self, scale, doses, size)


def half(original, self, scale, doses, size):
    return original(self, scale / 2, doses, size)


def one_sided(original, self, scale, doses, size):
    return np.abs(original(self, scale, doses, size))


def even(original, self, scale, doses, size):
    return original(self, scale, doses, size) // 2 * 2


def each_twice(original, self, scale, doses, size):
    return np.repeat(original(self, scale, doses, (size + 1) // 2), 2)[:size]


def taken_back(original, self, scale, doses, size):
    drawn = original(self, scale, doses, size)
    drawn[1::2] = -drawn[: len(drawn) // 2 * 2 : 2]
    return drawn


LAPLACE, PLAN = (DiscreteLaplace, "share"), (NodeShares, "of_node")
BUGS = {
    "one draw of noise for all classes": ([(*LAPLACE, one_draw_for_all_classes)], "L1"),
    "one draw of noise for all levels": ([(*LAPLACE, one_draw_for_all_levels)], "L1"),
    "one draw of noise for two blocks": ([(*LAPLACE, one_draw_for_two_blocks)], "L1"),
    "a count less its levels without noise": ([(*LAPLACE, a_sum_without_noise)], "L1"),
    "half a dose in the round's own share": ([(*PLAN, half_a_share)], "L1"),
    "a claim that follows the noise": ([(DiscreteLaplace, "of", classmethod(twice_the_epsilon))], "L0"),
    "no noise for a rare combination": ([(Node, "contribution", none_for_the_rare)], "L1"),
    "no noise from a hundred records on": ([(Node, "contribution", none_from_a_hundred)], "L1"),
    "a refusal of a rare combination": ([(Node, "contribution", refused_if_rare)], "L1"),
    "a refusal from a hundred records on": ([(Node, "contribution", refused_from_a_hundred)], "L1"),
    "a count that jumps at a hundred": ([(Statistics, "of", classmethod(wraps_at_a_hundred))], "L1"),
    "bounds that are the data's": ([(Statistics, "of", classmethod(bounds_of_the_data))], "L1"),
    "an empty ledger": ([(federation_module, "charges", empty_ledger)], "L0"),
    "post-processing that peeks": (
        [(Federation, "prepare", stashing), (Refinement, "refine", peeking_refine)], "L1",
    ),
    "a rule that peeks": ([(Federation, "prepare", stashing), (Sum, "combine", peeking_combine)], "L1"),
    "a rule that gives exact counts, and is refused for it": (
        [(Federation, "prepare", stashing), (Sum, "combine", nothing_but_exact)], "L1",
    ),
    "a rule that refuses rows far from exact ones": (
        [(Federation, "prepare", stashing), (Sum, "combine", refused_unless_near)], "L1",
    ),
    "post-processing that peeks from a hundred records on": (
        [(Federation, "prepare", stashing), (Refinement, "refine", peeking_beyond_a_hundred)], "L1",
    ),
    "post-processing that peeks where noise is small": (
        [(Federation, "prepare", stashing), (Refinement, "refine", exact_where_near)], "L1",
    ),
    **{
        f"the {kind} sampler: {change.__name__}": ([(owner, "polya", sampler(original, change))], "L2")
        for kind, owner, original in (("exact", ExactNoise, exact), ("fast", FastNoise, fast))
        for change in (half, one_sided, even, each_twice, taken_back)
    },
    "the exact sampler: zero": ([(ExactNoise, "polya", zero)], "L2"),
    "the fast sampler: zero": ([(FastNoise, "polya", zero)], "L2"),
}  # fmt: skip


def audited(levels, **choices):
    mechanism = DiscreteLaplace.from_epsilon("1")
    subject = FederationTarget(federation(mechanism=mechanism, **choices), nodes(), epsilon=Fraction(1))
    return run_audit(subject, "add-remove", levels, seed=1, trials=20_000)


@pytest.mark.slow
@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_is_seen_where_it_should_be(bug, monkeypatch):
    planted, level = BUGS[bug]
    for owner, name, wrong in planted:
        monkeypatch.setattr(owner, name, wrong)
    found = audited(["L0", "L1"] if level != "L2" else ["L2"])
    failed = [finding for finding in found.findings if finding.verdict == "FAIL"]
    assert level in {finding.level for finding in failed}, found.conclusion()
    assert all(finding.evidence for finding in failed)


def test_without_a_bug_nothing_fails_and_all_is_settled():
    for levels in (["L0", "L1"], ["L2"]):
        assert audited(levels).verdict == "PASS"


def test_vectors_that_are_read_and_not_charged_are_seen(monkeypatch):
    def plain():
        subject = replace(federation(), protocol=Plain())
        return run_audit(FederationTarget(subject, nodes(), "node"), "add-remove", ["L0"], seed=1)

    assert plain().verdict == "PASS"
    monkeypatch.setattr(federation_module, "charges", ledger_without_vectors)
    assert "the vector of node-0" in plain().conclusion()


def test_what_was_asked_for_is_recomputed_for_less_than_a_dose():
    from attacks.audit.asked_level import Moved, _less_than_a_dose

    for scale, doses, shift in ((1, "1/2", 1), (5, "1/10", 2), (40, "9/10", 7)):
        law = Polya(Fraction(scale), Fraction(doses))
        mine = _less_than_a_dose(Moved("polya", law.scale, law.doses, shift))
        assert mine == pytest.approx(float(law.pure(shift)), rel=1e-6)


def test_up_to_a_delta_it_says_when_it_cannot_be_recomputed():
    from importlib.util import find_spec

    subject = FederationTarget(
        federation(mechanism=Skellam.from_epsilon("1", 1e-6)), nodes(), epsilon=Fraction(1)
    )
    found = {f.check: f for f in run_audit(subject, "add-remove", ["L0"], seed=1).findings}
    line = found["the noise in the ledger is what was asked for, and claimed"]
    assert line.verdict == "PASS"
    assert ("recomputed" if find_spec("dp_accounting") else "not recomputed") in line.evidence


def test_the_schema_has_the_rare_combination():
    assert SCHEMA.features[0].levels[rare[0]] == "z"
