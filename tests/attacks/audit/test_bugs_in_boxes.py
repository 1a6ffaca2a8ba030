"""Bugs planted in noise that several cells share, in samplers, mechanism and ledger: audits find each."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from attacks.audit import boxed
from attacks.audit.federation_target import FederationTarget
from attacks.audit.run import run_audit
from attacks.audit.sampler_level import audit_samplers
from protocols.schemes.verified import Verified
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.privacy import box as boxes
from securenb.privacy import joint
from securenb.privacy.box import Box
from securenb.privacy.joint import BoxNoise
from securenb.privacy.mechanisms import k_norm
from securenb.privacy.mechanisms.k_norm import KNorm
from securenb.privacy.samplers import ExactNoise, FastNoise
from securenb.robust.rules.sum import Sum
from securenb.schema.features import Categorical, Numeric
from securenb.schema.records import Records
from securenb.schema.schema import Schema

SCHEMA = Schema(
    ("a", "b"),
    (
        Categorical("sex", ("f", "m")),
        Numeric("size", 0, 10, steps=16),
        Numeric("age", 0, 10, steps=32),
        Categorical("colour", ("x", "y", "z")),
    ),
)


TEN = Schema(tuple("abcdefghij"), SCHEMA.features[:3])
"""Many classes, for as many draws in fewer runs."""


def target(schema=SCHEMA):
    rng, codes = np.random.default_rng(0), [feature.size for feature in schema.features]
    nodes = [
        Node(
            f"node-{at}",
            Records(
                rng.integers(codes, size=(6, len(codes))).astype(np.int32),
                rng.integers(2, size=6).astype(np.int32),
            ),
        )
        for at in range(4)
    ]
    federation = Federation(
        schema, Verified(), KNorm(Fraction(1), 0.8), Sum(), record_cap=2000, proven=True, seed=1
    )
    return FederationTarget(federation, nodes, epsilon=Fraction(1))


def failed(findings, level):
    return [each.evidence for each in findings if each.verdict == "FAIL" and each.level == level]


def test_without_a_bug_nothing_is_found():
    for adjacency in ("add-remove", "replace-one"):
        audit = run_audit(target(), adjacency, ["L0", "L1"], seed=1)
        assert audit.verdict == "PASS", audit.conclusion()
    assert not failed(audit_samplers(target(TEN), 0.025), "L2")


# one draw of a point in each sampler, with what the bug makes of it


def points(box, noise, radii):
    """Points of boxes, |x| ≤ radii · reach, (size, width); `radii` (size, dimension), reals."""
    rng = np.random.default_rng(int(noise.box_seed()))
    most = np.floor(radii[:, 1 + box.pairs :] * np.array(box.reaches)).astype(np.int64)
    whole = np.floor(radii[:, : 1 + box.pairs]).astype(np.int64)
    odds = (whole[:, :1] / (whole[:, :1] + 1)) ** (box.pairs + 1)
    many = whole + (rng.random((len(radii), 1)) * (1 + odds) < 1)
    w = 2 * rng.integers(many) - many + 1
    if box.pairs:  # one radius a block: the difference must still have the parity of the count
        w[:, 1:] += (w[:, 1:] - w[:, :1]) % 2
    return box._cells(w, rng.integers(-most, most, endpoint=True))


def radii_of(box, noise, size):
    if isinstance(noise, FastNoise):
        table = boxes.fast_table(box)
        return np.searchsorted(table, noise._rng.random(size) * table[-1], side="right")
    return np.array([boxes.radius(box, noise._bits.word) for _ in range(size)])


def floor(box, noise, size):
    return points(
        box, noise, np.repeat(radii_of(box, noise, size)[:, None] + 1 - 1e-9, box.dimension, axis=1)
    )


def rounded(box, noise, size):
    return points(
        box, noise, np.repeat(radii_of(box, noise, size)[:, None] + 0.5 - 1e-9, box.dimension, axis=1)
    )


def half_a_reach(box, noise, size):
    radii = np.repeat(radii_of(box, noise, size)[:, None], box.dimension, axis=1).astype(float)
    radii[:, -1] /= 2
    return points(box, noise, radii)


def a_radius_for_each_block(box, noise, size):
    radii = [radii_of(box, noise, size) for _ in range(box.dimension)]
    return points(box, noise, np.stack(radii, axis=1).astype(float))


def one_radius_for_all_classes(box, noise, size):
    radius = radii_of(box, noise, 1)
    return points(box, noise, np.full((size, box.dimension), float(radius[0])))


def copied(box, noise, size):
    """The last number is the one before, scaled."""
    point = box.draw_fast(np.random.default_rng(int(noise.box_seed())), size)
    point[:, -1] = point[:, -3] * box.reaches[-1] // box.reaches[-3]
    return point


def levels_apart(box, noise, size):
    point = box.draw_fast(np.random.default_rng(int(noise.box_seed())), size)
    point[:, 1] += 1
    return point


BUGS = [
    floor,
    rounded,
    half_a_reach,
    a_radius_for_each_block,
    one_radius_for_all_classes,
    copied,
    levels_apart,
]


EACH = [(bug, sampler) for at, bug in enumerate(BUGS) for sampler in (FastNoise, ExactNoise)[: 2 - (at > 3)]]
"""The bugs that the law is about in both samplers, and the rest in one."""


@pytest.mark.parametrize(("bug", "sampler"), EACH)
def test_a_bug_in_a_sampler_of_boxes_is_found(bug, sampler, monkeypatch):
    def seed(self):
        return self._rng.integers(1 << 60) if isinstance(self, FastNoise) else self._bits.word(7)

    monkeypatch.setattr(sampler, "box_seed", seed, raising=False)
    monkeypatch.setattr(sampler, "box", lambda self, box, size: bug(box, self, size))
    found = failed(audit_samplers(target(TEN), 0.025), "L2")
    assert found, f"{bug.__name__} in {sampler.__name__} is not found"


def wrong_reach(epsilon, blocks, shares):
    true = OF_BLOCKS(epsilon, blocks, shares)
    reaches = (true.box.reaches[0] // 2, *true.box.reaches[1:])
    return BoxNoise(Box(epsilon, true.box.pairs, reaches), true.blocks, shares)


def swapped_reaches(epsilon, blocks, shares):
    true = OF_BLOCKS(epsilon, blocks, shares)
    return BoxNoise(Box(epsilon, true.box.pairs, true.box.reaches[::-1]), true.blocks, shares)


def more_epsilon(epsilon, blocks, shares):
    return OF_BLOCKS(epsilon * 2, blocks, shares)


OF_BLOCKS = joint.of_blocks


@pytest.mark.parametrize("bug", [wrong_reach, swapped_reaches, more_epsilon])
def test_a_box_that_is_too_small_is_found_in_the_ledger(bug, monkeypatch):
    monkeypatch.setattr(k_norm, "of_blocks", bug)
    monkeypatch.setattr(BoxNoise, "cost", lambda self, adjacency, cap: joint.Pure(Fraction(4, 5)))
    audit = run_audit(target(), "add-remove", ["L0"], seed=1)
    assert failed(audit.findings, "L0")


def one_class_for_all(self, noise, size):
    return np.repeat(DRAW(self, noise, 1), size, axis=0)


def swapped_cells(self, noise, size):
    return DRAW(self, noise, size)[:, [*range(self.box.width - 2), self.box.width - 1, self.box.width - 2]]


def other_box(self, noise, size):
    return DRAW(replace(self, box=Box(self.box.epsilon * 2, self.box.pairs, self.box.reaches)), noise, size)


def a_cell_without_noise(self, noise, size):
    drawn = DRAW(self, noise, size)
    drawn[:, -1] = 0
    return drawn


def a_box_for_each_number(self, noise, size):
    drawn = DRAW(self, noise, size)
    for at, reach in enumerate(self.box.reaches):
        drawn[:, 3 + at] = noise.box(Box(self.box.epsilon, 0, (reach,)), size)[:, 1]
    return drawn


DRAW = BoxNoise.draw


@pytest.mark.parametrize(
    "bug", [one_class_for_all, swapped_cells, other_box, a_cell_without_noise, a_box_for_each_number]
)
def test_a_bug_between_the_box_and_its_cells_is_found(bug, monkeypatch):
    monkeypatch.setattr(BoxNoise, "draw", bug)
    audit = run_audit(target(), "add-remove", ["L1"], seed=1)
    assert failed(audit.findings, "L1")


def test_what_no_draw_moves_costs_without_bound_and_what_crosses_boxes_costs_each():
    box = Box(Fraction(1, 2), 1, (8,))
    assert boxed.loss(box, np.array([1, 1, 0, 8])) == Fraction(1, 2)
    assert boxed.loss(box, np.array([1, 0, 1, 9])) == 1
    assert boxed.loss(box, np.array([0, 1, -1, 0])) == 1
    assert boxed.loss(box, np.array([1, 0, 0, 0])) == float("inf")


def test_sizes_of_boxes_have_the_chances_of_the_definition():
    box = Box(Fraction(1), 1, (3,))
    _, below = boxed.sizes(box)
    counts = [box.points(r) for r in range(200)]
    weights = [
        np.exp(-r) * float(count - before)
        for r, (before, count) in enumerate(zip([0, *counts[:-1]], counts, strict=True))
    ]
    expected = np.cumsum(weights) / sum(weights)
    assert np.allclose(below[:: boxed.QUARTERS][:60], expected[:60])
