"""Many runs at once are the runs of the contributor itself; where they are not, each run is its own."""

from dataclasses import replace

import numpy as np
import pytest
from small_release import SCHEMA, federation, nodes, target

from attacks.audit import view_level
from attacks.audit.federation_target import FederationTarget
from attacks.audit.neighbours import neighbours
from attacks.audit.round_runs import OWN, learned, runs
from attacks.audit.run import run_audit
from attacks.audit.worst_neighbour import crowd_pair, named_sizes
from protocols.schemes.plain import Plain
from securenb.privacy.samplers import FastNoise


def sources(seed=0):
    noise = FastNoise(np.random.default_rng(seed))
    return lambda *name: noise


def test_what_lands_cell_by_cell_is_learned_and_drawn_at_once():
    subject = target()
    records = subject.nodes[0].records

    def added(given):
        return subject.release(records, given("me"))

    sender = learned(added)
    assert sorted(sender.lands) == list(range(SCHEMA.length))
    made = runs(added, sender, np.arange(SCHEMA.length), 50, sources)
    assert made.shape == (50, SCHEMA.length)
    assert len(np.unique(made, axis=0)) > 40


def test_what_lands_otherwise_is_run_by_itself():
    subject = target()

    def halved(given):
        return subject.release(subject.nodes[0].records, given("me")) // 2

    assert learned(halved) is None
    assert len(runs(halved, None, np.arange(3), 10 * OWN, sources)) == OWN


def test_a_second_implementation_that_differs_is_not_used():
    subject = target()
    sender = learned(lambda given: subject.release(subject.nodes[0].records, given("me")))

    def other(given):
        return subject.release(subject.nodes[1].records, given("me"))

    made = runs(other, sender, np.arange(SCHEMA.length), 10 * OWN, sources)
    assert len(made) == OWN


def test_few_nodes_share_the_dose_of_many_and_claim_the_same():
    many = target(count=40)
    few = many.few()
    assert len(few.nodes) == 6
    assert few.claimed("add-remove") == many.claimed("add-remove")


@pytest.mark.parametrize("view", ["node", "group", "sum"])
def test_few_groups_stand_for_many(view):
    many = FederationTarget(replace(federation(group_size=1), protocol=Plain()), nodes(300, 1), view)
    few = many.few()
    assert len(few.nodes) == 6
    assert few.claimed("add-remove") == many.claimed("add-remove")
    whole = FederationTarget(federation(group_size=3), nodes(10), "node")  # groups of 3, 3 and 4
    assert whole.few().nodes == whole.nodes


def test_whole_rounds_of_many_nodes_are_few(monkeypatch):
    monkeypatch.setattr(view_level, "WORK", 750)
    ran = []

    class Counting(FederationTarget):
        def ends(self, records, trials, rng):
            ran.append(trials)

    for count in (30, 60):
        many = replace(federation(group_size=1), protocol=Plain())
        run_audit(Counting(many, nodes(count, 1), "model"), "add-remove", ["L3"], seed=1, trials=1_000_000)
    assert ran == [25, 25, 20, 20]


def test_a_crowd_is_halved_to_neighbours_of_which_one_is_odd():
    subject = target()
    found = neighbours(SCHEMA, "add-remove", np.random.default_rng(1))
    pool = subject.encode(found.pool)
    rare = found.crowd[1234]

    def replayed(rows):
        if rare in rows:
            return None
        return subject.replay(pool[np.array(rows, dtype=np.int64)], traced=False)

    pair = crowd_pair(found, found.crowd, replayed, "add-remove", None)
    assert set(pair.after) - set(pair.before) == {rare}


def test_sizes_that_the_code_names_are_found():
    def limited(count):
        return count > 321

    assert named_sizes(lambda: limited(5)) == [5, 321]  # the 5 is what the run itself names
