"""Bugs that readers planted who knew no test of ours, in the product's own functions: each is seen."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from small_release import federation, nodes

from attacks.audit.federation_target import FederationTarget
from attacks.audit.peeking import concludes
from attacks.audit.run import run_audit
from protocols import opened as opened_module
from protocols.opened import enough_present
from protocols.protocol import Protocol
from protocols.schemes.ideal import Ideal
from securenb.data.node import Node
from securenb.federation import postprocess
from securenb.federation.federation import Federation
from securenb.federation.postprocess import Refinement
from securenb.federation.readout import Readout
from securenb.privacy import cost as cost_module
from securenb.privacy import exact_sampler
from securenb.privacy import mechanism as mechanism_module
from securenb.privacy.distributions import Polya
from securenb.privacy.ledger import Ledger
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.samplers import ExactNoise
from securenb.robust.rules.krum import Krum
from securenb.robust.rules.sum import Sum
from securenb.schema.features import Categorical, Numeric
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

share, contribution, prepare = DiscreteLaplace.share, Node.contribution, Federation.prepare
refine, combine, of, shrunk = Refinement.refine, Sum.combine, Statistics.of, postprocess.shrunk
sent, own, model, pure = Federation.contribution, Federation.share, Readout.model, Polya.pure
record, dosed, encode_level = Ledger.record, Federation.dosed, Categorical.encode
encode_number, added, survivors = Numeric.encode, Numeric.added, Protocol.survivors
of_records, laplace, binomial = Schema.records, exact_sampler.discrete_laplace, ExactNoise.polya
together, cost = mechanism_module.together, mechanism_module.Mechanism.cost
SEEN = {}


def tables(noise_table, schema):
    return noise_table.reshape(len(schema.classes), -1).copy()


# noise


def signs_of_another_class(self, schema, among, noise, shares=1):
    table = tables(share(self, schema, among, noise, shares), schema)
    table[1] = np.where(table[0] % 2 == 0, table[0], -table[0])
    return table.ravel()


def the_square_of_another_cell(self, schema, among, noise, shares=1):
    table = tables(share(self, schema, among, noise, shares), schema)
    table[:, -1] = np.sign(table[:, 0]) * table[:, 0] ** 2
    return table.ravel()


def rolled_by_the_data(self, schema, noise, grid=1):
    return contribution(self, schema, np.roll(noise, len(self.records) % 2), grid)


def noise_of_a_full_class_only(self, schema, noise, grid=1):
    held = np.bincount(self.records.labels, minlength=len(schema.classes))
    return contribution(self, schema, np.where(np.repeat(held == 7, schema.width), 0, noise), grid)


def less_noise_in_the_middle(self, schema, noise, grid=1):
    return contribution(self, schema, noise // 2 if 30 <= len(self.records) < 60 else noise, grid)


def noise_of_the_first_round(self, node, size, earlier=None):
    return own(self, node, size, None)


# samplers


def zero_twice(bits, scale):
    while True:
        drawn = laplace(bits, scale)
        if drawn or bits.below(2):
            return drawn


def one_binomial(self, scale, doses, size):
    drawn = binomial(self, scale, doses, size)
    return np.where(np.arange(size) % 2 == 1, np.abs(drawn), drawn)


def cut_far_out(self, scale, doses, size):
    return np.clip(binomial(self, scale, doses, size), -1 - int(scale), 1 + int(scale))


# encoding


def missing_is_the_most_frequent(self, column):
    codes = encode_level(self, column)
    known = codes[codes >= 0]
    return np.where(codes < 0, np.bincount(known).argmax() if len(known) else 0, codes).astype(np.int32)


def missing_is_the_mean(self, column):
    codes = encode_number(self, column)
    known = codes[codes >= 0]
    return np.where(codes < 0, int(known.mean()) if len(known) else 0, codes).astype(np.int32)


def not_clipped(self, column):
    codes, found = encode_number(self, column), np.array([float(value or 0) for value in column])
    far = np.isfinite(found) & (np.abs(found) < 1e6)
    found = np.where(far, found, self.lower)
    return np.where(far, np.rint((found - self.lower) / self.step), codes).astype(np.int32)


def squares_around_zero(self, codes):
    found = added(self, codes)
    found[..., 1] += self.square_offset
    return found


def classes_of_the_table(self, table, rows=None):
    found = of_records(self, table, rows)
    _, labels = np.unique(found.labels, return_inverse=True)
    return type(found)(found.codes, labels.astype(np.int32))


def sorted_rows(self, table, rows=None):
    found = of_records(self, table, rows)
    return found[np.lexsort(found.codes.T)]


def last_record_twice(cls, schema, records):
    return of(
        schema, records[np.append(np.arange(len(records)), [len(records) - 1])] if len(records) else records
    )


def every_level_below(cls, schema, records):
    found = of(schema, records)
    levels = schema.blocks[1].columns
    table = found.table.copy()
    table[:, levels] = np.cumsum(table[:, levels], axis=1)
    return Statistics(schema, table)


# post-processing and rules


def stashing(self, nodes, earlier=None):
    SEEN["count"] = sum(len(node.records) for node in nodes)
    SEEN["table"] = sum(node.statistics(self.schema).table for node in nodes)
    return prepare(self, nodes, earlier)


def peeking_in_a_band(self, rows, noise, rule, *further):
    found = refine(self, rows, noise, rule, *further)
    return replace(found, tables=found.tables + 1) if 130 < SEEN["count"] < 190 else found


def a_rule_in_a_band(self, rows):
    found = combine(self, rows)
    found.table[..., 0] += float(60 < SEEN["table"][0, 0] < 85)
    return found


def exact_rows_in_a_band(self, rows, noise, rule, *further):
    found = refine(self, rows, noise, rule, *further)
    middle = (found.tables > 40) & (found.tables < 52)
    return replace(found, tables=np.where(middle, SEEN["table"], found.tables))


def shrunk_to_the_exact(schema, table, noise, of_counts):
    found = shrunk(schema, table, noise, of_counts)
    few = SEEN["table"][..., 0].min()
    return found + (found[..., :1] > 20) * (20 < few < 33)


def refused_in_a_band(self, rows):
    if 300 < SEEN["count"] < 420:
        raise ValueError("try again")
    return combine(self, rows)


def a_model_that_keeps_counts(self, opened):
    found = model(self, opened)
    found.records = SEEN["count"]
    return found


# refusals and caps


def empty_nodes_refused(self, nodes, earlier=None):
    if any(len(node.records) == 0 for node in nodes):
        raise ValueError("a node holds no records")
    return prepare(self, nodes, earlier)


def one_class_refused(self, nodes, earlier=None):
    if any(len(set(node.records.labels.tolist())) == 1 for node in nodes):
        raise ValueError("a node holds records of one class only")
    return prepare(self, nodes, earlier)


def full_nodes_refused(self, node, size, earlier=None):
    if len(node.records) == self.record_cap:
        raise ValueError("too many records")
    return sent(self, node, size, earlier)


def no_cap(self, node, size, earlier=None):
    return node.contribution(self.layout, self.share(node, size, earlier), self.mechanism.grid)


# protocols


def opened_with_few(session, present, survivors):
    return enough_present(session, present, lambda size: 2)


def too_many_survivors(self, size):
    return size if survivors(self, size) else 0


def last_node_left_out(self, vectors, session):
    last = max(vectors)
    return ideal(self, {**vectors, last: 0 * vectors[last]}, session)


ideal = Ideal.ideal

# ledgers and accountants


def half_the_loss(self, shift):
    return pure(self, shift) / 2


def each_once(self, release):
    if release not in self._releases:
        record(self, release)


def counted_once(costs):
    return cost_module.Together(tuple(dict.fromkeys(costs)))


def replacing_like_adding(self, schema, adjacency, among, shares, cap=1):
    return cost(self, schema, "add-remove", among, shares, cap)


LAPLACE = DiscreteLaplace, "share"
PEEK = Federation, "prepare", stashing
BUGS = {
    "the noise of another class, with its signs": ([(*LAPLACE, signs_of_another_class)], "L1"),
    "the square of another cell's noise": ([(*LAPLACE, the_square_of_another_cell)], "L1"),
    "noise whose place is the data's": ([(Node, "contribution", rolled_by_the_data)], "L1"),
    "no noise for seven records of a class": ([(Node, "contribution", noise_of_a_full_class_only)], "L1"),
    "half the noise for 30 to 60 records": ([(Node, "contribution", less_noise_in_the_middle)], "L1"),
    "the noise of the first round in the second": ([(Federation, "share", noise_of_the_first_round)], "L1"),
    "a binomial instead of a difference": ([(ExactNoise, "polya", one_binomial)], "L2"),
    "draws that are cut": ([(ExactNoise, "polya", cut_far_out)], "L2"),
    "missing levels that are frequent ones": ([(Categorical, "encode", missing_is_the_most_frequent)], "L1"),
    "missing numbers that are the mean": ([(Numeric, "encode", missing_is_the_mean)], "L1"),
    "numbers that are not clipped": ([(Numeric, "encode", not_clipped)], "L1"),
    "squares around zero": ([(Numeric, "added", squares_around_zero)], "L1"),
    "classes that are the table's": ([(Schema, "records", classes_of_the_table)], "L1"),
    "records that are sorted": ([(Schema, "records", sorted_rows)], "L1"),
    "a last record that counts twice": ([(Statistics, "of", classmethod(last_record_twice))], "L1"),
    "levels that are summed up": ([(Statistics, "of", classmethod(every_level_below))], "L1"),
    "post-processing that peeks in a band": ([PEEK, (Refinement, "refine", peeking_in_a_band)], "L1"),
    "a rule that peeks in a band of a class": ([PEEK, (Sum, "combine", a_rule_in_a_band)], "L1"),
    "exact counts for rows in a band": ([PEEK, (Refinement, "refine", exact_rows_in_a_band)], "L1"),
    "shrinkage that peeks in a band": ([PEEK, (postprocess, "shrunk", shrunk_to_the_exact)], "L1"),
    "a rule that refuses in a band": ([PEEK, (Sum, "combine", refused_in_a_band)], "L1"),
    "a model that keeps counts": ([PEEK, (Readout, "model", a_model_that_keeps_counts)], "L1"),
    "a refusal of nodes without records": ([(Federation, "prepare", empty_nodes_refused)], "L1"),
    "a refusal of nodes of one class": ([(Federation, "prepare", one_class_refused)], "L1"),
    "a refusal of nodes at the cap": ([(Federation, "contribution", full_nodes_refused)], "L1"),
    "a cap that is not heeded": ([(Federation, "contribution", no_cap)], "L1"),
    "rows of too few nodes": ([(opened_module, "enough_present", opened_with_few)], "L1"),
    "a node that is left out": ([(Ideal, "ideal", last_node_left_out)], "L1"),
    "a claim of half the loss": ([(Polya, "pure", half_the_loss)], "L0"),
    "a ledger of each release once": ([(Ledger, "record", each_once)], "L1"),
    "queries of one law that are charged once": ([(mechanism_module, "together", counted_once)], "L0"),
    "replacing charged like adding": ([(mechanism_module.Mechanism, "cost", replacing_like_adding)], "L0"),
}  # fmt: skip


def audited(levels, **choices):
    mechanism = DiscreteLaplace.from_epsilon("1")
    subject = FederationTarget(
        federation(mechanism=mechanism, record_cap=3000, **choices), nodes(), epsilon=Fraction(1)
    )
    return run_audit(subject, "add-remove", levels, seed=1, trials=20_000)


def failed_levels(found):
    return {finding.level for finding in found.findings if finding.verdict == "FAIL"}


@pytest.mark.slow
@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_of_an_outsider_is_seen(bug, monkeypatch):
    planted, level = BUGS[bug]
    for owner, name, wrong in planted:
        monkeypatch.setattr(owner, name, wrong)
    found = audited(["L0", "L1"] if level != "L2" else ["L2"])
    assert level in failed_levels(found), found.conclusion()


def test_rules_that_need_many_rows_are_audited_with_as_many():
    subject = replace(federation(), rule=Krum(), group_size=3)
    whole = FederationTarget(subject, nodes(24))
    assert not concludes(whole.few().federation, whole.few().nodes)
    records = nodes(1, size=60)[0].records
    assert whole.peeks(records, records[:3], company=True, noisy=False) == ""


@pytest.mark.slow
def test_without_a_bug_nothing_is_seen():
    assert audited(["L0", "L1"]).verdict == "PASS"
