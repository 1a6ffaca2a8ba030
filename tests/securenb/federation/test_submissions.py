"""Nodes larger than the cap: several submissions, one identity, one dose, the same sum."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from attacks.sweeps.poisoning_grid import AttackGrid
from protocols.schemes.verified import Verified
from securenb.data.dataset import load_dataset
from securenb.data.node import Node
from securenb.experiments.scenario import Scenario
from securenb.federation.federation import Federation
from securenb.federation.proven import proven_in_words
from securenb.federation.submissions import identities, parts
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.none import NoNoise
from securenb.robust.rules.verified_sum import VerifiedSum
from securenb.schema.statistics import Statistics

DATA = load_dataset("phishing")
CAP = 100


def unequal():
    """A node with 250 records, and six with 80."""
    ends = np.cumsum([0, 250, *[80] * 6])
    return [
        Node(f"node-{index}", DATA.train[int(start) : int(end)])
        for index, (start, end) in enumerate(itertools.pairwise(ends))
    ]


def federation(mechanism=None, allowed=3, threshold=None, **choices):
    return Federation(
        DATA.schema,
        Verified(threshold),
        mechanism or NoNoise(),
        VerifiedSum(),
        record_cap=CAP,
        proven=True,
        seed=1,
        submissions={"node-0": allowed},
        **choices,
    )


def test_a_large_node_takes_part_whole_in_capped_submissions():
    nodes = unequal()
    round_ = federation().run(nodes)
    assert round_.opened.members[0][:3] == ("node-0#1", "node-0#2", "node-0#3")
    assert round_.transcript.blames == []
    held = sum((node.statistics(DATA.schema) for node in nodes), Statistics.zero(DATA.schema))
    assert round_.opened.rows[0].tolist() == held.vector().tolist()


@pytest.mark.parametrize("allowed", [3, 5])
def test_every_record_is_in_one_submission_and_their_number_does_not_depend_on_it(allowed):
    node = unequal()[0]
    made = parts(node, allowed, CAP)
    assert [len(part.records) for part in made] == [100, 100, 50, 0, 0][:allowed]
    assert np.array_equal(np.concatenate([part.records.codes for part in made]), node.records.codes)
    fewer = Node(node.id, node.records[1:])
    assert [part.id for part in parts(fewer, allowed, CAP)] == [part.id for part in made]


def test_one_record_more_moves_the_sum_of_submissions_as_it_moves_that_of_the_node():
    """So sensitivities are what they are without splitting."""
    node = unequal()[0]
    fewer = Node(node.id, node.records[1:])

    def total(of):
        return sum((part.statistics(DATA.schema) for part in parts(of, 3, CAP)), Statistics.zero(DATA.schema))

    moved = total(node).table - total(fewer).table
    assert np.array_equal(moved, Statistics.of(DATA.schema, node.records[:1]).table)


@pytest.mark.parametrize("group_size", [None, 3])
def test_an_identity_is_in_one_row_and_pays_one_dose_however_often_it_submits(group_size):
    choice = federation(DiscreteLaplace(Fraction(1)), threshold=4, group_size=group_size)
    round_ = choice.run(unequal())
    rows = [identities(row) for row in round_.opened.members]
    assert sum("node-0" in row for row in rows) == 1
    assert [release.nodes for release in round_.ledger.releases] == rows
    assert round_.ledger.epsilon("add-remove") == 1
    again = choice.update(round_, unequal())
    assert again.ledger.epsilon("add-remove") == 2


def test_nobody_submits_more_than_the_registry_allows():
    with pytest.raises(
        ValueError, match="node-0 holds 250 records; it may submit 2 times, and .* cap is 100"
    ):
        federation(allowed=2).prepare(unequal())
    large = Node("node-7", DATA.train[:101])
    with pytest.raises(ValueError, match="node-7 holds 101 records; it may submit once"):
        federation().prepare([*unequal(), large])


def test_the_submissions_of_one_node_alone_open_nothing():
    with pytest.raises(ValueError, match="one node makes 3: .* threshold of at least 4"):
        federation(threshold=3).prepare(unequal())


@pytest.mark.parametrize(
    ("node", "allowed"), [("node-0", 0), ("node#0", 2)], ids=["no submission", "a name like a submission"]
)
def test_a_registry_that_makes_no_sense_is_refused(node, allowed):
    with pytest.raises(ValueError, match=node):
        Federation(
            DATA.schema,
            Verified(),
            NoNoise(),
            VerifiedSum(),
            record_cap=CAP,
            proven=True,
            submissions={node: allowed},
        )
    if "#" in node:
        with pytest.raises(ValueError, match="kept for the submissions"):
            federation().prepare([*unequal(), Node(node, DATA.train[:5])])


def test_what_is_proven_is_said_of_submissions():
    assert "no submission counts for more than 100 records" in proven_in_words(federation().registry, 80)


def test_a_scenario_lets_nodes_above_the_cap_split_and_no_other_protocol_does():
    choices = {"dataset": "phishing", "nodes": 6, "sizes": "exponential", "epsilon": "none", "seed": 7}
    scenario = Scenario.checked(
        protocol="verified", rule="verified_sum", record_cap=200, split=True, **choices
    )
    nodes = scenario.deal(DATA)
    needed = {n.id: -(-len(n.records) // 200) for n in nodes if len(n.records) > 200}
    assert needed
    assert scenario.federation(DATA).submissions == needed
    unsplit = Scenario.checked(protocol="verified", rule="verified_sum", record_cap=200, **choices)
    with pytest.raises(ValueError, match="may submit once"):
        unsplit.federation(DATA).prepare(nodes)
    with pytest.raises(ValueError, match="split only under the protocol verified"):
        Scenario.checked(protocol="plain", record_cap=200, split=True, **choices).federation(DATA)
    with pytest.raises(ValueError, match="split needs record_cap"):
        Scenario.checked(protocol="verified", split=True, **choices).federation(DATA)


def test_an_attack_on_a_rule_that_relies_on_a_cap_needs_verified_inputs():
    grid = {"dataset": "phishing", "rules": ["verified_sum"], "attacks": ["label_flip"], "epsilon": "none"}
    AttackGrid(inputs=["verified"], **grid)
    with pytest.raises(ValueError, match="verified_sum relies on a proven cap"):
        AttackGrid(**grid)
