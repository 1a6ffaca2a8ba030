"""What every poison of ours promises beyond the checks that ship (`tests/contracts/test_checks.py`)."""

import itertools

import numpy as np
import pytest

from attacks.poison import POISONS, VARIANTS, choose_poison
from securenb.data.dataset import load_dataset
from securenb.data.partition import deal
from securenb.experiments.scenario import Scenario
from securenb.robust.spec import choose_rule
from securenb.schema.features import Categorical, Numeric
from securenb.schema.records import Records
from securenb.schema.schema import Schema

SCHEMA = Schema(
    ("a", "b", "c"), (Categorical("c", ("x", "y", "z")), Numeric("n", 0, 1), Categorical("d", ("u", "v")))
)


def rng():
    return np.random.default_rng(7)


@pytest.mark.parametrize("name", [name for name in POISONS if POISONS[name].aim in ("target", "backdoor")])
def test_what_a_targeted_poison_wants_can_be_measured(name):
    rng_ = rng()
    records = Records(
        np.column_stack([rng_.integers(0, 3, 40), rng_.integers(0, 65, 40), rng_.integers(0, 2, 40)]).astype(
            np.int32
        ),
        rng_.integers(0, 3, 40).astype(np.int32),
    )
    wanted = choose_poison(name).wanted(SCHEMA, records)
    assert 0 < len(wanted) < 40
    assert len(np.unique(wanted.labels)) == 1


def test_a_federation_runs_with_poisoned_nodes_and_refuses_the_malformed_ones():
    data = load_dataset("phishing")
    scenario = Scenario.checked(
        dataset="phishing", nodes=10, protocol="plain", epsilon="1", group_size=1, seed=3, rule="median"
    )
    federation = scenario.federation(data)
    nodes = scenario.deal(data)
    clean = federation.run(nodes)
    for name in POISONS:
        poisoned = choose_poison(name).brief().nodes(nodes, [2, 5], data.schema, federation.rule, rng())
        assert [node.id for node in poisoned] == [node.id for node in nodes]
        round_ = federation.run(poisoned)
        expected = {"node-0003", "node-0006"} if POISONS[name].aim == "denial" else set()
        assert set(round_.refused) == expected
        assert round_.digests()["rows"] != clean.digests()["rows"]


def test_poisoned_nodes_keep_their_noise_back_unless_told_otherwise():
    data = load_dataset("phishing")
    nodes = deal(data.train, 2, 4, rng=rng())
    noise = np.full(data.schema.length, 3)
    quiet, loud = (
        choose_poison(spelling).nodes(nodes, [0], data.schema, choose_rule("sum"), rng())[0]
        for spelling in ("zero", "zero:noisy")
    )
    assert not quiet.contribution(data.schema, noise, 2).any()
    assert np.array_equal(loud.contribution(data.schema, noise, 2), noise)


def test_all_variants_are_spelt_in_any_order_and_others_refused():
    for variants in itertools.permutations(VARIANTS):
        poison = choose_poison(":".join(["alie", *variants]))
        assert poison.inside
        assert poison.local
        assert poison.noisy
    with pytest.raises(ValueError, match="unknown parameter 'outside' in alie:outside"):
        choose_poison("alie:outside")
    with pytest.raises(ValueError, match="unknown poison 'alien'; known: adaptive, agr_tailored, alie"):
        choose_poison("alien")
