"""What every inference does, over the catalogue: it finds out all without protection, and little with it."""

import inspect
from fractions import Fraction

import numpy as np
import pytest

from attacks.inference import INFERENCES, look
from protocols.schemes.masking import Masking
from protocols.schemes.plain import Plain
from securenb.data.dataset import load_dataset
from securenb.federation.federation import Federation
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.none import NoNoise
from securenb.robust.rules.sum import Sum

DATA = load_dataset("phishing")
NODES = DATA.deal(20, seed=2)
TRIALS = 25


def federation(protocol, mechanism, **choices):
    return Federation(DATA.schema, protocol, mechanism, Sum(), **choices)


def success(name, protocol, mechanism, nodes=NODES, **choices):
    return INFERENCES[name]().measure(
        federation(protocol, mechanism, **choices), nodes, trials=TRIALS, seed=1
    )


@pytest.mark.parametrize("name", INFERENCES)
def test_an_inference_is_documented(name):
    assert inspect.getdoc(INFERENCES[name])


@pytest.mark.parametrize("name", INFERENCES)
def test_without_noise_and_secrecy_the_view_adds_a_lot(name):
    found = success(name, Plain(), NoNoise())
    # membership of average records is hard even then
    assert found.gain_low > (0.05 if name == "membership" else 0.2)
    assert found.low <= found.right <= found.high
    assert found.trials == TRIALS


@pytest.mark.parametrize("name", INFERENCES)
def test_with_a_dose_on_every_row_the_view_adds_little(name):
    found = success(name, Masking(), DiscreteLaplace(Fraction(1, 10)))
    assert found.gain_low < 0.1
    assert found.gain < 0.2


@pytest.mark.parametrize("name", INFERENCES)
def test_the_same_seed_gives_the_same_success(name):
    assert success(name, Masking(), DiscreteLaplace(Fraction(1))) == success(
        name, Masking(), DiscreteLaplace(Fraction(1))
    )


@pytest.mark.parametrize("name", INFERENCES)
def test_no_trials_are_refused(name):
    with pytest.raises(ValueError, match="at least one trial, got 0"):
        INFERENCES[name]().measure(federation(Plain(), NoNoise()), NODES, trials=0, seed=1)


def test_knowing_everybody_else_makes_a_sum_without_noise_as_telling_as_a_vector():
    found = success("class_counts", Masking(), NoNoise())
    assert found.right == 1


def test_a_view_holds_vectors_where_they_are_read_and_sums_of_groups_elsewhere():
    plain = look(federation(Plain(), NoNoise()), NODES, seed=3)
    grouped = look(federation(Masking(), NoNoise(), group_size=5), NODES, seed=3)
    assert plain.members == tuple((node.id,) for node in NODES)
    assert sorted(map(len, grouped.members)) == [5, 5, 5, 5]
    first = grouped.members[0]
    sums = sum(node.statistics(DATA.schema).table for node in NODES if node.id in first)
    assert np.array_equal(grouped.rows[0], sums)
    assert not grouped.noise.any()


def test_witness_cells_are_no_part_of_a_view():
    mechanism = DiscreteLaplace(Fraction(1))
    one, other = (look(federation(Masking(), mechanism, witnesses=cells), NODES, seed=3) for cells in (0, 50))
    assert one.rows.shape == other.rows.shape


def test_the_noise_that_a_view_states_is_the_noise_it_has():
    mechanism = DiscreteLaplace(Fraction(1))
    views = [look(federation(Masking(), mechanism), NODES, seed=seed) for seed in range(200)]
    exact = sum(node.statistics(DATA.schema).table for node in NODES)
    measured = np.mean([(view.rows[0] - exact) ** 2 for view in views], axis=(0, 1))
    assert np.allclose(measured, views[0].noise[0], rtol=6 * (5 / 400) ** 0.5)
