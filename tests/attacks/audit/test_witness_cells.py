"""Witness cells cost no epsilon: the audit says so, and sees where that is not true."""

from fractions import Fraction

import numpy as np
import pytest
from small_release import federation, nodes

from attacks.audit.federation_target import FederationTarget
from attacks.audit.run import run_audit
from securenb.data.node import Node
from securenb.privacy.mechanism import Mechanism
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace

contribution, share = Node.contribution, Mechanism.share
CELLS = 60


def audited(levels=("L0", "L1")):
    subject = FederationTarget(
        federation(mechanism=DiscreteLaplace.from_epsilon("1"), witnesses=CELLS), nodes(), epsilon=Fraction(1)
    )
    return run_audit(subject, "add-remove", levels, seed=1, trials=2_000)


def test_cells_are_on_no_records_path_and_no_record_touches_them():
    found = audited()
    assert found.verdict == "PASS", found.conclusion()
    about = [finding for finding in found.findings if "witness cell" in finding.check]
    assert [finding.level for finding in about] == ["L0", "L1"]
    assert f"{CELLS} cells behind" in about[0].evidence
    claim = next(finding for finding in found.findings if finding.check.startswith("the claim"))
    assert claim.bound == 1


def a_record_in_a_cell(self, schema, noise, grid=1):
    sent = contribution(self, schema, noise, grid)
    sent[-1] += len(self.records)
    return sent


def a_constant_in_a_cell(self, schema, noise, grid=1):
    sent = contribution(self, schema, noise, grid)
    sent[-1] += 7
    return sent


def twice_the_noise_in_cells(self, schema, among, noise, shares=1, witnesses=0):
    drawn = share(self, schema, among, noise, shares)
    return np.concatenate([drawn, share(self, schema, 2 * among, noise, shares, witnesses)[len(drawn) :]])


def no_noise_in_cells(self, schema, among, noise, shares=1, witnesses=0):
    drawn = share(self, schema, among, noise, shares)
    return np.concatenate([drawn, np.zeros(witnesses, dtype=np.int64)])


@pytest.mark.parametrize(
    ("owner", "name", "wrong"),
    [
        (Node, "contribution", a_record_in_a_cell),
        (Node, "contribution", a_constant_in_a_cell),
        (Mechanism, "share", twice_the_noise_in_cells),
        (Mechanism, "share", no_noise_in_cells),
    ],
)
def test_a_cell_that_a_record_touches_or_that_gets_other_noise_is_seen(owner, name, wrong, monkeypatch):
    monkeypatch.setattr(owner, name, wrong)
    failed = [finding for finding in audited(["L1"]).findings if finding.verdict == "FAIL"]
    assert any("witness cell" in finding.check for finding in failed), failed
    assert all("witness" in finding.evidence for finding in failed)
