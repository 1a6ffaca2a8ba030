"""Bugs on the path from a table to a ledger, planted in the product's own functions: each is seen."""

import os
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from small_release import federation, nodes

from attacks.audit.federation_target import FederationTarget
from attacks.audit.run import run_audit
from protocols import protocol as protocol_module
from protocols.entropy import seeded
from protocols.opened import opened_sums as opened
from securenb.data.node import Node
from securenb.federation import postprocess
from securenb.federation.federation import Federation
from securenb.federation.noise_plan import NodeShares, StreamSources
from securenb.privacy.exact_sampler import Bits
from securenb.privacy.ledger import Ledger
from securenb.privacy.mechanism import Mechanism
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.samplers import FastNoise
from securenb.randomness import Streams
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

read, of, contribution, prepare = Schema.records, Statistics.of, Node.contribution, Federation.prepare
source, consistent, fast = StreamSources.__call__, postprocess.consistent, FastNoise.polya
event, cost = Mechanism.event, Mechanism.cost
SEEN = {}


def stashing(self, nodes, earlier=None):
    SEEN["exact"] = sum(len(node.records) for node in nodes)
    return prepare(self, nodes, earlier)


def with_bounds_of_the_table(self, table, rows=None):
    found = read(self, table, rows)
    codes = found.codes.copy()
    codes[:, 1] = codes[:, 1] * 8 // max(int(codes[:, 1].max(initial=1)), 1)
    return Records(codes, found.labels)


def without_duplicates(self, table, rows=None):
    found = read(self, table, rows)
    _, first = np.unique(np.c_[found.codes, found.labels], axis=0, return_index=True)
    return found[np.sort(first)]


def first_vector_only(session, vectors, survivors):
    first = {node: vectors[node] for node in vectors}
    for group in session.groups:
        first.update({node: 0 * vectors[node] for node in group[1:] if node in vectors})
    return opened(session, first, survivors)


def without_empty_nodes(self, nodes, earlier=None):
    return prepare(self, [node for node in nodes if len(node.records)] or nodes, earlier)


def bits_used_again(self, size):
    if self._at + size > len(self._pool):
        self._pool, self._at = self._pool or self._entropy(4096), 0
    self._at += size
    return int.from_bytes(self._pool[self._at - size : self._at], "big")


def remembered_draws(self, scale, doses, size):
    kept = self.__dict__.setdefault("kept", {})
    if scale not in kept:
        kept[scale] = fast(self, scale, doses, 500)
    return np.resize(kept[scale], size)


def event_that_forgets(self, *arguments, **choices):
    found = event(self, *arguments, **choices)
    return replace(found, replace_one=found.add_remove)


def cost_of_one(self, schema, adjacency, among, shares, cap=1):
    return cost(self, schema, adjacency, among, shares, 1)


def largest_only(self, adjacency, seen="row"):
    return max((r.charge.epsilon(adjacency) for r in self.releases if r.seen == seen), default=Fraction(0))


def few_bits(self):
    return seeded(os.urandom(1)[0] if self.seed is None else self.seed)


def sign_of_the_label(self, schema, noise, grid=1):
    return contribution(self, schema, -noise if self.records.labels[:1].any() else noise, grid)


def never_far_below(self, schema, noise, grid=1):
    return np.maximum(contribution(self, schema, noise, grid), -3)


def counted_elsewhere(self, schema, noise, grid=1):
    sent = contribution(self, schema, noise, grid).copy()
    sent[1] += int((self.records.labels == 1).sum())
    return sent


def none_beyond_1500(cls, schema, records):
    return of(schema, records if len(records) < 1500 else records[:0])


def each_seventh_thrice(cls, schema, records):
    rows = np.arange(len(records))
    return of(schema, records[np.sort(np.concatenate([rows, rows[6::7], rows[6::7]]))])


def half_in_large_groups(self, size, source):
    return self.mechanism.share(self.schema, self.honest(size) * (2 if size > 8 else 1), source)


class HalfNoise(FastNoise):
    """Half the scale."""

    def polya(self, scale, doses, size):
        return fast(self, scale / 2, doses, size)


def half_of_a_source(self, *name):
    found = source(self, *name)
    return HalfNoise(found._rng) if isinstance(found, FastNoise) else found


def cut(self, scale, doses, size):
    return np.clip(fast(self, scale, doses, size), -int(scale), int(scale))


def peeking_levels(schema, table, noise, *tied):
    found = consistent(schema, table, noise, *tied)
    return found + np.random.default_rng(int(SEEN["exact"])).integers(0, 5, found.shape)


BUGS = {
    "bounds of the table that is read": ([(Schema, "records", with_bounds_of_the_table)], "L1"),
    "duplicates that are dropped": ([(Schema, "records", without_duplicates)], "L1"),
    "a row that is one node's vector": ([(protocol_module, "opened_sums", first_vector_only)], "L1"),
    "nodes without records left out": ([(Federation, "prepare", without_empty_nodes)], "L1"),
    "random bits that are used again": ([(Bits, "word", bits_used_again)], "L1"),
    "draws that are remembered": ([(FastNoise, "polya", remembered_draws)], "L2"),
    "an event that forgets replacing": ([(Mechanism, "event", event_that_forgets)], "L1"),
    "a node's records charged as one": ([(Mechanism, "cost", cost_of_one)], "L1"),
    "a ledger that takes the largest": ([(Ledger, "epsilon", largest_only)], "L1"),
    "streams of eight bits in releases": ([(Streams, "entropy_for", property(few_bits))], "L1"),
    "noise whose sign is the data's": ([(Node, "contribution", sign_of_the_label)], "L1"),
    "sums that are never far below zero": ([(Node, "contribution", never_far_below)], "L1"),
    "a class that counts in another": ([(Node, "contribution", counted_elsewhere)], "L1"),
    "records beyond 1500 that do not count": ([(Statistics, "of", classmethod(none_beyond_1500))], "L1"),
    "a record that counts thrice": ([(Statistics, "of", classmethod(each_seventh_thrice))], "L1"),
    "half a dose in large groups": ([(NodeShares, "of_node", half_in_large_groups)], "L1"),
    "half the noise from the simulation's source": ([(StreamSources, "__call__", half_of_a_source)], "L2"),
    "the fast sampler: cut": ([(FastNoise, "polya", cut)], "L2"),
    "post-processing with a seed of the data's": (
        [(Federation, "prepare", stashing), (postprocess, "consistent", peeking_levels)], "L1",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_on_the_path_is_seen_where_it_should_be(bug, monkeypatch):
    planted, level = BUGS[bug]
    for owner, name, wrong in planted:
        monkeypatch.setattr(owner, name, wrong)
    subject = FederationTarget(
        federation(mechanism=DiscreteLaplace.from_epsilon("1")), nodes(), epsilon=Fraction(1)
    )
    levels = ["L0", "L1"] if level != "L2" else ["L2"]
    found = run_audit(subject, "add-remove", levels, seed=1, trials=20_000)
    failed = [finding for finding in found.findings if finding.verdict == "FAIL"]
    assert level in {finding.level for finding in failed}, found.conclusion()
    assert all(finding.evidence for finding in failed)
