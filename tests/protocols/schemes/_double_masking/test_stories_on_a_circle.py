"""What a malicious server opens on the sparse graph when it tells nodes around it different stories.

Plays the rules of nodes without their cryptography: an honest node answers for one set, if enough of its
holders stand in it and have confirmed it. Whom a node masks with, the aggregator chooses for each node, too.
The proof is in docs/protocols/secagg_plus.md.
"""

import numpy as np
import pytest


class Circle:
    """`size` nodes with `half` neighbours on either side; the corrupt ones do whatever is wanted."""

    def __init__(self, size, half, threshold, corrupt):
        self.size, self.half, self.threshold = size, half, threshold
        self.corrupt = frozenset(corrupt)
        self.honest = frozenset(range(size)) - self.corrupt

    def around(self, node):
        return {(node + step) % self.size for step in range(-self.half, self.half + 1)}

    def answering(self, told, going):
        """The honest nodes that unmask what they were told."""
        confirming = {
            v
            for v in self.honest
            if v in told[v]
            and len(self.around(v) & told[v]) >= self.threshold
            and self.around(v) & told[v] <= going[v]
        }

        def confirmed(v):
            standing = self.around(v) & told[v]
            return sum(w in self.corrupt or (w in confirming and told[w] == told[v]) for w in standing)

        return {v for v in confirming if confirmed(v) >= self.threshold}

    def sums(self, told, going=None):
        """The sets of honest nodes of which the aggregator learns the sum, as small as they come.

        `going` says for each node with whom around it it masks: by default everybody.
        """
        going = {v: self.around(v) for v in range(self.size)} if going is None else going
        answering = self.answering(told, going)

        def opened(survived):
            """Whose seed (or key) is rebuilt, or known from a corrupt owner."""
            return self.corrupt | {
                v
                for v in self.honest
                if sum(
                    w in self.corrupt or (w in answering and v in going[w] and (v in told[w]) == survived)
                    for w in self.around(v)
                )
                >= self.threshold
            }

        seeds, keys = opened(survived=True), opened(survived=False)
        assert not seeds & keys & self.honest, "both secrets of an honest node"
        summed = seeds & self.honest
        while hidden := {
            v for v in summed for w in going[v] - keys - {v} if w not in summed or v not in going[w]
        }:
            summed -= hidden
        parts = []
        while summed:
            part, edge = set(), {min(summed)}
            while edge:
                part |= edge
                edge = {w for v in edge for w in going[v]} & summed - part
            parts.append(part)
            summed -= part
        return parts, answering


def stories(rng, size, half):
    """Arcs of the circle that are told one of three stories, with runs of silent nodes where arcs meet."""
    cuts = np.sort(rng.choice(size, int(rng.integers(1, 5)), replace=False))
    arc = np.searchsorted(cuts, np.arange(size)) % len(cuts)
    kinds = []
    for _ in range(3):
        alive = rng.random(size) > rng.choice([0.0, 0.05, 0.1])
        for cut in cuts:
            if rng.random() < 0.5:
                alive[(cut + np.arange(int(rng.integers(0, 2 * half + 1)))) % size] = False
        kinds.append(frozenset(np.flatnonzero(alive).tolist()))
    which = rng.integers(int(rng.integers(1, 4)), size=len(cuts))
    return {node: kinds[which[arc[node]]] for node in range(size)}


def lists(rng, circle, told):
    """Whom each node masks with: around some arcs all, elsewhere survivors, or as few as it accepts."""
    cut = int(rng.integers(circle.size))
    length = circle.size if rng.random() < 0.5 else int(rng.integers(1, circle.size))
    story = set(told[cut])
    rate, survivors_only = rng.choice([0.0, 0.2, 1.0]), rng.random() < 0.5
    going = {}
    for v in range(circle.size):
        around = circle.around(v)
        if (v - cut) % circle.size < length and v in circle.honest and rng.random() < rate:
            # rather than survivors it masks with those whose masks the aggregator knows, or may come to know
            known = sorted(around - {v}, key=lambda w: (w in story and w not in circle.corrupt, rng.random()))
            around = around & story if survivors_only else {v, *known[: circle.threshold - 1]}
        going[v] = around
    return going


def sized(rng, half):
    """A circle whose threshold is the smallest that the proof allows for its corrupt nodes."""
    size = int(rng.integers(4 * half, 8 * half))
    corrupt = rng.choice(size, int(rng.integers(0, size // (4 * half) + 1)), replace=False).tolist()
    circle = Circle(size, half, 0, corrupt)
    most = max(len(circle.around(node) & circle.corrupt) for node in range(size))
    holders = 2 * half + 1
    circle.threshold = max(most + half + 2, (2 * holders + 2 * most + 1) // 3 + 1)
    return circle


def test_with_the_threshold_of_the_proof_one_sum_of_one_story_is_opened_or_none():
    rng = np.random.default_rng(16)
    opened = split = 0
    for _ in range(600):
        circle = sized(rng, half=int(rng.integers(4, 8)))
        told = stories(rng, circle.size, circle.half)
        parts, answering = circle.sums(told)
        split += len({told[node] for node in answering}) > 1
        assert len(parts) <= 1
        for part in parts:
            (story,) = {told[node] for node in answering}
            assert part == story & circle.honest
            opened += 1
    assert opened > 50
    assert split > 10  # two stories do find believers, on arcs apart from each other; neither is opened


def test_lists_that_the_aggregator_chooses_for_each_node_open_nothing_more():
    rng = np.random.default_rng(17)
    opened = narrowed = 0
    for _ in range(600):
        circle = sized(rng, half=int(rng.integers(4, 8)))
        told = stories(rng, circle.size, circle.half)
        going = lists(rng, circle, told)
        parts, answering = circle.sums(told, going)
        assert len(parts) <= 1
        for part in parts:
            (story,) = {told[node] for node in answering}
            assert part == story & circle.honest
            opened += 1
            narrowed += any(len(going[v]) < 2 * circle.half + 1 for v in circle.honest)
    assert opened > 50
    assert narrowed > 10


@pytest.mark.parametrize("alike", [True, False])
def test_the_threshold_of_the_curious_profile_would_let_two_arcs_be_summed_apart(alike):
    """Why the malicious profile asks for more: six silent nodes in a row, and half the holders suffice."""
    circle = Circle(40, 6, threshold=7, corrupt=())
    left, right = frozenset(range(14)), frozenset(range(20, 34))
    both = left | right
    told = {v: both if alike else (left if v in left else right) for v in range(40)}
    parts, _ = circle.sums(told)
    assert parts == [left, right]
    circle.threshold = 10
    assert circle.sums(told)[0] == []
