"""Bugs planted in the product's own code, and `securenb audit` as a user runs it: it fails every one."""

import numpy as np
import pytest

from protocols.opened import Opened
from securenb.cli.main import main
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.privacy.mechanism import Charge
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace

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


BUGS = {
    "noise scaled to the node's own data": (Node, "contribution", local_sensitivity, "L1"),
    "half the scale": (DiscreteLaplace, "share", half_scale, "L1"),
    "a missing cell": (DiscreteLaplace, "share", missing_cell, "L1"),
    "an empty class without noise": (Node, "contribution", unnoised_empty_class, "L1"),
    "floating-point Laplace noise": (DiscreteLaplace, "share", float_laplace, "L1"),
    "shares for all nodes though some may drop out": (Federation, "among", all_nodes, "L0"),
    "a forgotten factor two": (DiscreteLaplace, "charge", forgotten_two, "L1"),
    "a session that is released twice": (Federation, "open", twice, "L0"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_makes_the_audit_fail(bug, monkeypatch, capsys):
    owner, name, wrong, level = BUGS[bug]
    monkeypatch.setattr(owner, name, wrong)
    adjacency = "replace-one" if wrong is forgotten_two else "add-remove"
    assert main(["audit", "phishing", "--nodes", "12", "--adjacency", adjacency, "--level", "L0,L1"]) == 1
    printed = capsys.readouterr().out
    assert f"FAIL: certainly not (1, 0)-DP under {adjacency}" in printed
    assert f"the view group; {level} " in printed


def test_without_a_bug_the_same_audits_do_not_fail():
    for adjacency in ("add-remove", "replace-one"):
        arguments = ["audit", "phishing", "--nodes", "12", "--adjacency", adjacency, "--level", "L0,L1"]
        assert main(arguments) == 0
