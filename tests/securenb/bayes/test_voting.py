"""Models that vote: predictions, ties, what they withstand, and that they are saved whole."""

import itertools

import numpy as np
import pytest

from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import Parameters, estimate
from securenb.bayes.voting import Voting
from securenb.experiments.montecarlo import Scorer
from securenb.schema.features import Categorical, Numeric
from securenb.schema.records import UNKNOWN, Records
from securenb.schema.schema import Schema

SCHEMA = Schema(
    ("a", "b", "c"), (Categorical("c", ("x", "y", "z")), Numeric("n", 0, 1), Categorical("d", ("u", "v")))
)


def models(rng, count):
    return estimate(SCHEMA, rng.integers(-5, 60, (count, 3, SCHEMA.width)).astype(float))


def records(rng, count=40):
    codes = np.column_stack([rng.integers(0, size, count) for size in (3, 65, 2)]).astype(np.int32)
    return Records(codes, rng.integers(0, 3, count).astype(np.int32))


def some(parameters, chosen):
    return Voting(Parameters(SCHEMA, parameters.table[chosen], parameters.defined[chosen]))


def test_the_vote_is_that_of_the_single_models_and_the_first_class_wins_ties():
    rng = np.random.default_rng(1)
    for count in (1, 2, 5, 8):
        parameters, codes = models(rng, count), records(rng).codes
        codes[::5, 0] = UNKNOWN
        single = [
            NaiveBayes(Parameters(SCHEMA, table, known)).predict_codes(codes)
            for table, known in zip(parameters.table, parameters.defined, strict=True)
        ]
        votes = np.array(
            [[sum(choice == y for choice in column) for y in range(3)] for column in np.transpose(single)]
        )
        vote = Voting(parameters)
        assert np.array_equal(vote.votes(codes), votes)
        assert np.array_equal(vote.predict_codes(codes), votes.argmax(axis=1))
        assert np.isfinite(vote.log_joint(codes)).all()


def test_whichever_models_are_left_out_as_many_as_withstood_change_nothing_and_one_more_may():
    rng = np.random.default_rng(2)
    for count in (3, 4, 6):
        parameters, codes = models(rng, count), records(rng).codes
        vote = Voting(parameters)
        truth = vote.predict_codes(codes)
        changed = np.full(len(codes), count)
        for out in range(1, count):
            for kept in itertools.combinations(range(count), count - out):
                other = some(parameters, list(kept)).predict_codes(codes) != truth
                changed[other] = np.minimum(changed[other], out)
        withstood = vote.withstood(codes)
        assert np.array_equal(np.minimum(withstood, count - 1), changed - 1)


def test_bulk_scores_are_those_of_predictions():
    rng = np.random.default_rng(3)
    vote, judged = Voting(models(rng, 7)), records(rng, 300)
    accuracy, balanced = Scorer.of(SCHEMA, judged).judged(vote)
    assert accuracy == pytest.approx(vote.score(judged))
    assert balanced == pytest.approx(vote.balanced_score(judged))


def test_a_vote_is_saved_and_loaded_whole(tmp_path):
    vote = Voting(models(np.random.default_rng(4), 3))
    vote.save(tmp_path / "model.json")
    again = NaiveBayes.load(tmp_path / "model.json")
    assert isinstance(again, Voting)
    assert np.array_equal(again.parameters.table, vote.parameters.table)
    assert "3 Naive Bayes models" in vote._repr_html_()
    assert "3 models" in repr(vote)


def test_what_is_no_vote_is_refused():
    parameters = models(np.random.default_rng(5), 2)
    with pytest.raises(ValueError, match=r"at least one model, got shape \(3, "):
        Voting(Parameters(SCHEMA, parameters.table[0], parameters.defined[0]))
    with pytest.raises(ValueError, match="at least one model, got shape"):
        some(parameters, [])
    table = parameters.table.copy()
    table[1, 0, 2] = np.nan
    with pytest.raises(ValueError, match="finite"):
        Voting(Parameters(SCHEMA, table, parameters.defined))
