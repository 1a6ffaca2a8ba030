"""Rounds of increments: one path by messages and ideally, proven, charged, and certified afterwards."""

from dataclasses import replace

import numpy as np
import pytest

from attacks.poison import PoisonedNode
from securenb.bayes.model import NaiveBayes
from securenb.bayes.staircase.model import StaircaseModel
from securenb.certify.staircase import radii, withstands
from securenb.experiments.scenario import Scenario
from securenb.privacy.accountant import Query
from securenb.schema.increments import Increments


def scenario(**choices):
    usual = {"dataset": "phishing", "nodes": 8, "protocol": "verified", "epsilon": "8", "seed": 7}
    return Scenario.checked(**{**usual, "rule": "staircase(quota=60)", **choices})


@pytest.fixture(scope="module")
def made():
    choices = scenario()
    data = choices.load()
    return choices, data, choices.deal(data)


@pytest.mark.parametrize("protocol", ["verified", "plain", "secagg"])
def test_messages_and_ideal_open_the_same_row_and_make_the_same_model(made, protocol):
    _, data, nodes = made
    rule = "staircase(quota=60)" if protocol == "verified" else "staircase(quota=60):unchecked"
    federation = scenario(protocol=protocol, rule=rule).federation(data)
    assert federation.proven == (protocol == "verified")
    by_messages, ideally = federation.run(nodes), federation.run(nodes, by="ideal")
    assert np.array_equal(by_messages.opened.rows, ideally.opened.rows)
    assert np.array_equal(by_messages.model.parameters.table, ideally.model.parameters.table)
    assert by_messages.model.balanced_score(data.test) > 0.8


def test_without_noise_the_row_is_the_sum_of_honest_increments(made):
    _, data, nodes = made
    federation = scenario(epsilon="none").federation(data)
    silent = np.zeros(federation.layout.length, dtype=np.int64)
    expected = sum(node.contribution(federation.layout, silent, 1) for node in nodes)
    assert np.array_equal(federation.run(nodes).opened.rows[0], expected)


@pytest.mark.parametrize(
    ("forge", "family"),
    [
        (lambda table, layout: table[0].__setitem__(0, layout.steps[0, 0] + 1), "increment out of range"),
        (lambda table, layout: table[0].__setitem__(0, 0), "features do not hold equally many records"),
        (lambda table, layout: table.__setitem__(slice(None), np.resize(layout.steps[0], layout.width)),
         "more records of a class than its quota"),
    ],
)  # fmt: skip
def test_what_no_records_have_is_left_out_and_blamed_by_family(made, forge, family):
    _, data, nodes = made
    federation = scenario().federation(data)
    layout = federation.layout
    honest = nodes[0].contribution(layout, np.zeros(layout.length, dtype=np.int64), 1)
    table = honest.reshape(2, layout.width).copy()
    forge(table, layout)
    liar = PoisonedNode(nodes[0].id, nodes[0].records, table, False)
    round_ = federation.run([liar, *nodes[1:]])
    assert nodes[0].id not in round_.opened.members[0]
    assert any(blame.whom == nodes[0].id and family in blame.reason for blame in round_.transcript.blames)


def test_the_dose_is_for_twice_the_features_and_charged_exactly(made):
    _, data, _ = made
    federation = scenario(epsilon="1").federation(data)
    layout, mechanism = federation.layout, federation.mechanism
    features = len(data.schema.features)
    laws = {mechanism.noise(layout, block, 1) for block in layout.blocks}
    (law,) = laws
    assert law.pure(1) * 2 * features == 1  # what a full node moves: two increments of every feature
    charge = mechanism.charge(layout, 1)
    assert (charge.add_remove, charge.replace_one, charge.delta) == (1, 2, 0)
    assert Query(law, 1, 2 * features).times == 2 * features


def test_a_saved_model_is_the_same_model(made, tmp_path):
    choices, data, nodes = made
    model = choices.federation(data).run(nodes, by="ideal").model
    model.save(tmp_path / "model.json")
    again = NaiveBayes.load(tmp_path / "model.json")
    assert isinstance(again, StaircaseModel)
    assert np.array_equal(again.parameters.table, model.parameters.table)
    assert np.array_equal(radii(again, data.test.codes, 3), radii(model, data.test.codes, 3))


def test_a_certified_prediction_is_that_of_the_others(made):
    """Brute force: whatever two nodes sent, proven or not, and whatever noise the row has."""
    _, data, nodes = made
    federation = scenario(epsilon="3").federation(data)
    layout, codes = federation.layout, data.test.codes
    assert isinstance(layout, Increments)
    silent = np.zeros(layout.length, dtype=np.int64)
    sent = np.array([node.contribution(layout, silent, 1) for node in nodes]).reshape(8, 2, -1)
    steps = np.concatenate(
        [np.tile(layout.steps, (1, part.shape[-2])) for part in layout.cells(sent[0])], axis=1
    )
    certified, moved = 0, 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        noise = federation.mechanism.share(layout, 1, federation.noise_sources("test", seed)).reshape(2, -1)
        bad = rng.choice(8, 2, replace=False)
        lies = rng.integers(0, steps + 1, (2, *steps.shape)) * rng.integers(0, 2, (2, *steps.shape))
        if seed % 2:  # all that a box allows
            lies = np.where(rng.random(lies.shape) < 0.5, 0, steps)
        others = np.delete(sent, bad, axis=0).sum(axis=0) + noise
        attacked = StaircaseModel(layout, others + lies.sum(axis=0), 8, 0.48)
        alone = StaircaseModel(layout, others, 6, 0.48)
        # with the constant of this row, as the theorem says
        floor = attacked.parameters.table - alone.parameters.table
        sure = withstands(attacked, codes, 2)
        same = attacked.predict_codes(codes) == alone.predict_codes(codes)
        assert same[sure].all(), floor
        certified, moved = certified + int(sure.sum()), moved + int((~same).sum())
    assert certified > 1000
    assert moved > 100


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"rule": "staircase"}, "needs a public quota"),
        ({"rule": "staircase(quota=0)"}, "positive number"),
        ({"rule": "staircase(quota=40/40/40)"}, "3 numbers for 2 classes"),
        ({"rule": "staircase(quota=60, tolerate=0.5)"}, "in \\[0, 0.5\\)"),
        ({"epsilon": "0.001"}, "drowns in noise"),
        ({"dataset": "breast_cancer"}, "--numeric histogram"),
    ],
)
def test_bad_choices_are_refused_with_what_helps(choices, words):
    def tried():
        made = scenario(**choices)
        return made.federation(made.load()).layout

    with pytest.raises(ValueError, match=words):
        tried()


def test_increments_that_nobody_proves_are_refused_unless_asked_for(made):
    _, data, nodes = made
    with pytest.raises(
        ValueError, match=r"prove their increments: protocol verified, or staircase.*:unchecked"
    ):
        scenario(protocol="secagg").federation(data).prepare(nodes)


def test_more_malicious_nodes_than_are_trimmed_are_refused(made):
    _, data, nodes = made
    scenario(malicious_bound=3).federation(data).run(nodes, by="ideal")
    with pytest.raises(ValueError, match="withstands 3 malicious ones, not 4"):
        scenario(malicious_bound=4).federation(data).run(nodes, by="ideal")


def test_several_submissions_of_a_node_are_refused_for_certificates_count_nodes(made):
    _, data, nodes = made
    with pytest.raises(ValueError, match="submit once"):
        replace(scenario().federation(data), submissions={nodes[0].id: 2})


def test_more_than_two_classes():
    choices = Scenario.checked(
        dataset="digits", nodes=10, protocol="plain", epsilon="none", numeric="histogram", seed=7,
        rule="staircase(quota=14):unchecked",
    )  # fmt: skip
    data = choices.load()
    model = choices.federation(data).run(choices.deal(data), by="ideal").model
    assert model.balanced_score(data.test) > 0.8
