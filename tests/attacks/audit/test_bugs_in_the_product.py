"""Bugs planted in the product's own code, and `securenb audit` as a user runs it: it fails every one."""

import re

import numpy as np
import pytest

from protocols.entropy import seeded
from protocols.opened import Opened
from securenb.cli.main import main
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.federation.noise_plan import NodeShares, StreamSources, WholeDoses
from securenb.privacy.mechanism import Charge
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.samplers import FastNoise
from securenb.randomness import Streams

share, charge = DiscreteLaplace.share, DiscreteLaplace.charge
contribution, opening = Node.contribution, Federation.open


def local_sensitivity(self, schema, noise, grid=1):
    """Scales noise to the largest value that the node holds, as a part of the largest there may be."""
    largest = max(int(self.records.codes.max(initial=0)), 1)
    return contribution(
        self, schema, noise * largest // int(max(len(f.levels) - 1 for f in schema.features)), grid
    )


def half_scale(self, schema, among, noise, shares=1):
    return share(DiscreteLaplace(self.epsilon * 2), schema, among, noise, shares)


def missing_cell(self, schema, among, noise, shares=1):
    drawn = share(self, schema, among, noise, shares)
    drawn[schema.width + 3] = 0
    return drawn


def unnoised_empty_class(self, schema, noise, grid=1):
    held = np.bincount(self.records.labels, minlength=len(schema.classes)) > 0
    return contribution(self, schema, noise * np.repeat(held, schema.width), grid)


def float_laplace(self, schema, among, noise, shares=1):
    scale = float(self.scale(schema, schema.blocks[0]))
    return np.random.default_rng(1).laplace(0.0, scale, schema.length)


def all_nodes(self, size):
    return size


def forgotten_two(self, schema, among, shares=None):
    whole = charge(self, schema, among, shares)
    return Charge(whole.add_remove, whole.add_remove)


def twice(self, contributions, *arguments, **choices):
    once = opening(self, contributions, *arguments, **choices)
    opened = Opened(np.concatenate([once.opened.rows] * 2), once.opened.members * 2, once.opened.lost)
    object.__setattr__(once, "opened", opened)
    return once


def no_noise(self, node, size, earlier=None):
    return np.zeros(self.schema.length, dtype=np.int64)


def one_stream(self, node, size, earlier=None):
    return self.noise.of_node(size, self.noise_sources("node"))


def too_many_contributors(self, node, size, earlier=None):
    return self.mechanism.share(self.schema, 10**6, self.noise_sources(node.id))


def own_source(self, node, size, earlier=None):
    return self.noise.of_node(size, FastNoise(np.random.default_rng(7)))


def share_of_zero(self, size, source):
    self.mechanism.share(self.schema, self.honest(size), source)
    return np.zeros(self.schema.length, dtype=np.int64)


def forgotten_noise(self, schema, noise, grid=1):
    return contribution(self, schema, 0 * noise, grid)


def first_node_only(self, node, size, earlier=None):
    drawn = self.noise.of_node(size, self.noise_sources(node.id))
    return drawn if node.id.endswith("0") else 0 * drawn


def nameless(self, *name):
    return FastNoise(self.streams.rng("noise"))


def constant_seed_in_releases(self):
    return seeded(7 if self.seed is None else self.seed)


BUGS = {
    "no noise at all": (Federation, "share", no_noise, "L1"),
    "one stream for all nodes": (Federation, "share", one_stream, "L1"),
    "shares for a million nodes": (Federation, "share", too_many_contributors, "L1"),
    "a source of the share's own": (Federation, "share", own_source, "L1"),
    "a share that is drawn and not added": (NodeShares, "of_node", share_of_zero, "L1"),
    "a node that forgets its noise": (Node, "contribution", forgotten_noise, "L1"),
    "noise at some nodes only": (Federation, "share", first_node_only, "L1"),
    "streams that ignore the name": (StreamSources, "__call__", nameless, "L1"),
    "a constant seed in releases": (Streams, "entropy_for", property(constant_seed_in_releases), "L1"),
    "noise scaled to the node's own data": (Node, "contribution", local_sensitivity, "L1"),
    "half the scale": (DiscreteLaplace, "share", half_scale, "L1"),
    "a missing cell": (DiscreteLaplace, "share", missing_cell, "L1"),
    "an empty class without noise": (Node, "contribution", unnoised_empty_class, "L1"),
    "floating-point Laplace noise": (DiscreteLaplace, "share", float_laplace, "L1"),
    "shares for all nodes though some may drop out": (NodeShares, "honest", all_nodes, "L0"),
    "a forgotten factor two": (DiscreteLaplace, "charge", forgotten_two, "L1"),
    "a session that is released twice": (Federation, "open", twice, "L0"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_makes_the_audit_fail(bug, monkeypatch, capsys):
    owner, name, wrong, level = BUGS[bug]
    monkeypatch.setattr(owner, name, wrong)
    adjacency = "replace-one" if wrong is forgotten_two else "add-remove"
    assert (
        main(
            [
                "audit",
                "phishing",
                "--nodes",
                "12",
                "--epsilon",
                "1",
                "--adjacency",
                adjacency,
                "--level",
                "L0,L1",
            ]
        )
        == 1
    )
    printed = capsys.readouterr().out
    assert f"FAIL: certainly not (1, 0)-DP under {adjacency}" in printed
    assert "for the view group; " in printed
    assert re.search(rf"^{level} +FAIL", printed, re.MULTILINE)


def no_dose(self, aggregator, session, group):
    return np.zeros(self.schema.length, dtype=np.int64)


def half_a_dose(self, aggregator, session, group):
    return self.mechanism.share(self.schema, 2, self.sources(f"{aggregator} {session.id.hex()} {group}"))


def one_dose_for_all_groups(self, aggregator, session, group):
    return self.mechanism.share(self.schema, 1, self.sources(aggregator))


def one_dose_for_all_aggregators(self, aggregator, session, group):
    return self.mechanism.share(self.schema, 1, self.sources(session.id.hex(), group))


PROVEN = """
dataset = "phishing"
protocol = "verified"
record_cap = 200
nodes = 12
group_size = 6
epsilon = "1"
seed = 1
"""


def audited_proven(tmp_path):
    path = tmp_path / "proven.toml"
    path.write_text(PROVEN)
    return main(["audit", "phishing", "--scenario", str(path), "--level", "L0,L1"])


@pytest.mark.parametrize(
    "wrong", [no_dose, half_a_dose, one_dose_for_all_groups, one_dose_for_all_aggregators]
)
def test_a_bug_in_the_doses_of_aggregators_makes_the_audit_fail(wrong, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(WholeDoses, "dose", wrong)
    assert audited_proven(tmp_path) == 1
    assert "FAIL: certainly not (1, 0)-DP under add-remove" in capsys.readouterr().out


def test_a_proven_round_without_a_bug_passes(tmp_path):
    assert audited_proven(tmp_path) == 0


def test_without_a_bug_the_same_audits_do_not_fail():
    for adjacency in ("add-remove", "replace-one"):
        arguments = [
            "audit",
            "phishing",
            "--nodes",
            "12",
            "--epsilon",
            "1",
            "--adjacency",
            adjacency,
            "--level",
            "L0,L1",
        ]
        assert main(arguments) == 0
