"""What a malicious aggregator opens when it also chooses, for each node apart, whom that node masks with.

Plays the rules of nodes on the complete graph without their cryptography, and tries every choice of lists and
survivors for every honest node. The lemma is in docs/decisions/survivors-are-proved-not-signed.md.
"""

from dataclasses import dataclass
from itertools import chain, combinations, product

import pytest


@dataclass(frozen=True)
class Told:
    """What the aggregator tells one honest node: whom to mask with, and who survived (`None`: nothing)."""

    going: frozenset
    survived: frozenset | None


class Group:
    """Nodes 0 … size - 1, of whom the last `corrupt` confirm everything and give all shares away."""

    def __init__(self, size, threshold, corrupt):
        self.size, self.threshold = size, threshold
        self.honest = frozenset(range(size - corrupt))
        self.corrupt = frozenset(range(size)) - self.honest

    def sets(self, node, within):
        """The sets with a node that it accepts."""
        others = within - {node}
        sizes = range(self.threshold - 1, len(others) + 1)
        return [frozenset(c) | {node} for c in chain(*(combinations(sorted(others), n) for n in sizes))]

    def choices(self, node):
        going = self.sets(node, frozenset(range(self.size)))
        return [Told(g, s) for g in going for s in [None, *self.sets(node, g)]]

    def answering(self, told):
        """The honest nodes that unmask: the threshold has confirmed their set to them."""

        def confirmed(v):
            return sum(
                w in self.corrupt or told[w].survived == told[v].survived
                for w in told[v].survived  # a holder outside it is asked for no proof
            )

        return {v for v in self.honest if told[v].survived is not None and confirmed(v) >= self.threshold}

    def sums(self, told):
        """The smallest sets of honest nodes of which the aggregator computes the sum; who answered."""
        answering = self.answering(told)

        def rebuilt(shows):
            return {
                v
                for v in self.honest
                if len(self.corrupt) + sum(shows(told[w], v) for w in answering) >= self.threshold
            }

        seeds = rebuilt(lambda t, v: v in t.survived)
        keys = rebuilt(lambda t, v: v in t.going - t.survived)

        def hidden(u, v):
            """Whether the mask between the two is known to them alone."""
            return u in self.honest and v in self.honest and not {u, v} & keys

        usable = set(seeds)
        while True:
            stuck = {
                u
                for u in usable
                for v in told[u].going - {u}
                if hidden(u, v) and not (v in usable and u in told[v].going)
            }
            if not stuck:
                break
            usable -= stuck
        parts = []
        while usable:
            part, edge = set(), {min(usable)}
            while edge:
                part |= edge
                edge = {v for u in edge for v in told[u].going if v != u and hidden(u, v)} - part
            parts.append(frozenset(part))
            usable -= part
        return parts, answering


@pytest.mark.parametrize(
    ("size", "threshold", "corrupt"), [(3, 3, 0), (3, 3, 1), (4, 3, 1), (5, 4, 2), (6, 5, 3)]
)
def test_above_the_bound_no_choice_of_lists_opens_anything_but_one_whole_set_of_survivors(
    size, threshold, corrupt
):
    assert 2 * threshold > size + corrupt
    group = Group(size, threshold, corrupt)
    opened = 0
    for told in product(*(group.choices(node) for node in sorted(group.honest))):
        parts, answering = group.sums(told)
        assert len(parts) <= 1
        for part in parts:
            (survived,) = {told[node].survived for node in answering}
            assert part == survived & group.honest
            assert len(survived) >= threshold
            opened += 1
    assert opened


@pytest.mark.parametrize(("size", "threshold", "corrupt"), [(4, 3, 2), (5, 4, 3), (6, 4, 2), (9, 6, 3)])
def test_on_the_bound_one_list_opens_one_vector(size, threshold, corrupt):
    """Node 0 masks with nobody honest but those who then fall silent; all others are asked for all."""
    assert 2 * threshold == size + corrupt
    group = Group(size, threshold, corrupt)
    everybody = frozenset(range(size))
    silent = frozenset(range(1, size - threshold))
    survived = everybody - silent
    told = [Told(everybody, survived) for _ in sorted(group.honest)]
    for node in silent:
        told[node] = Told(everybody, None)
    told[0] = Told(group.corrupt | silent | {0}, None)
    assert len(told[0].going) >= threshold
    assert len(survived) > threshold
    assert frozenset({0}) in group.sums(told)[0]
