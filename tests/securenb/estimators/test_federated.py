"""A federated round where scikit-learn expects an estimator."""

import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from securenb.data.dataset import DATASETS
from securenb.estimators.federated import FederatedNB, spent
from securenb.privacy.journal import LedgerFile
from securenb.schema.features import Numeric
from securenb.schema.schema import Schema

SOURCE = DATASETS["phishing"]()
SCHEMA = SOURCE.schema
TABLE = SOURCE.read()[0]
X = TABLE[[feature.name for feature in SCHEMA.features]]
Y = TABLE[SCHEMA.label].astype(int).to_numpy()
SITES = np.array([f"site-{index % 7}" for index in range(len(Y))])


def estimator(**choices):
    return FederatedNB(SCHEMA, **{"epsilon": "none", "seed": 1} | choices)


def test_without_noise_it_is_the_pooled_model_whoever_holds_the_records():
    dealt, named = estimator().fit(X, Y), estimator().fit(X, Y, nodes=SITES)
    assert dealt.round_.digests() == named.round_.digests()
    assert len(named.round_.opened.members[0]) == 7


def test_classes_have_the_type_of_y_and_scores_are_those_of_the_model():
    fitted = estimator().fit(X, Y)
    assert fitted.classes_.tolist() == [0, 1]
    records = SCHEMA.records(TABLE)
    assert fitted.score(X, Y) == fitted.round_.model.score(records)
    assert np.allclose(fitted.predict_proba(X).sum(axis=1), 1)


def test_arrays_in_the_schemas_order_are_as_good_as_tables():
    assert np.array_equal(
        estimator().fit(X.to_numpy(), Y).predict(X.to_numpy()), estimator().fit(X, Y).predict(X)
    )


def test_it_can_be_cloned_searched_and_put_into_a_pipeline():
    assert clone(estimator(rule="median", group_size=3)).get_params()["rule"] == "median"
    search = GridSearchCV(estimator(epsilon=1), {"epsilon": [0.01, 10]}, cv=3).fit(X, Y)
    assert search.best_params_ == {"epsilon": 10}
    pipeline = make_pipeline(FunctionTransformer(), estimator())
    assert cross_val_score(pipeline, X, Y, cv=3).mean() > 0.85


def test_nodes_are_routed_as_metadata():
    with sklearn.config_context(enable_metadata_routing=True):
        routed = estimator().set_fit_request(nodes=True)
        result = cross_validate(routed, X, Y, cv=2, params={"nodes": SITES}, return_estimator=True)
    assert {len(fitted.round_.opened.members[0]) for fitted in result["estimator"]} == {7}


def test_the_ledger_says_what_the_fit_cost():
    assert estimator(epsilon=0.5).fit(X, Y).round_.ledger.epsilon("add-remove") == 0.5


@pytest.mark.parametrize(
    ("choices", "reason"),
    [
        ({"epsilon": 0}, "positive"),
        ({"protocol": "magic"}, "unknown protocol 'magic'"),
        ({"rule": "median"}, "it needs 3"),
        ({"n_nodes": 10**6}, "1000000 nodes"),
        ({"threshold": 99}, "threshold"),
    ],
)
def test_choices_that_do_not_fit_are_refused(choices, reason):
    with pytest.raises(ValueError, match=reason):
        estimator(**choices).fit(X, Y)


def test_epsilon_has_no_default():
    with pytest.raises(TypeError, match="epsilon"):
        FederatedNB(SCHEMA)


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        (X.drop(columns=X.columns[0]), Y, "missing column"),
        (X.to_numpy()[:, 1:], Y, "the schema has 9 features"),
        (X, Y[1:], "there are 1250 records"),
        (X, np.full(len(Y), 7), "row 1, column"),
    ],
)
def test_records_that_do_not_fit_the_schema_are_refused(x, y, reason):
    with pytest.raises(ValueError, match=reason):
        estimator().fit(pd.DataFrame(x) if isinstance(x, pd.DataFrame) else x, y)


# labels

NUMBERS = pd.DataFrame({"x": np.r_[np.linspace(0, 4, 50), np.linspace(6, 10, 50)]})
TRUTH = np.arange(100) >= 50


def two(classes, **choices):
    schema = Schema(tuple(classes), (Numeric("x", 0, 10),), "y")
    return FederatedNB(schema, **{"epsilon": "none", "n_nodes": 4, "random_state": 1} | choices)


TEXT = np.where(TRUTH, "yes", "no")
LABELS = {
    "booleans": (["False", "True"], TRUTH, [False, True]),
    "booleans, true first": (["True", "False"], TRUTH, [False, True]),
    "booleans as 0 and 1": (["0", "1"], TRUTH, [False, True]),
    "objects that are booleans": (["False", "True"], TRUTH.astype(object), [False, True]),
    "nullable booleans": (["false", "true"], pd.array(TRUTH, dtype="boolean"), [False, True]),
    "integers": (["0", "1"], TRUTH.astype(np.int8), [0, 1]),
    "integers in another order": (["10", "9"], TRUTH + 9, [9, 10]),
    "integers that a byte does not hold": (["0", "1", "300"], TRUTH.astype(np.uint8), [0, 1, 300]),
    "nullable integers": (["0", "1"], pd.array(TRUTH.astype(int), dtype="Int64"), [0, 1]),
    "floats of whole numbers": (["0", "1"], TRUTH.astype(float), [0, 1]),
    "text": (["no", "yes"], TEXT, ["no", "yes"]),
    "text, unsorted, one that is longer and absent": (
        ["yes", "unknown", "no"],
        TEXT,
        ["no", "unknown", "yes"],
    ),
    "objects that are text": (["yes", "no"], TEXT.astype(object), ["no", "yes"]),
    "a series of text": (["yes", "no"], pd.Series(TEXT, dtype="string"), ["no", "yes"]),
    "a category": (["yes", "no"], pd.Series(TEXT, dtype="category"), ["no", "yes"]),
    "a list": (["yes", "no"], TEXT.tolist(), ["no", "yes"]),
}


@pytest.mark.parametrize("kind", LABELS)
def test_classes_are_right_whatever_the_type_of_y(kind):
    names, y, classes = LABELS[kind]
    fitted = two(names).fit(NUMBERS, y)
    assert fitted.classes_.tolist() == classes
    assert fitted.predict(NUMBERS).tolist() == list(y)
    assert fitted.score(NUMBERS, y) == 1
    shares = fitted.predict_proba(NUMBERS)
    assert fitted.classes_[shares.argmax(axis=1)].tolist() == list(y)


@pytest.mark.parametrize(
    ("names", "y", "reason"),
    [
        (["no", "yes"], TRUTH, "y is of type bool, which has no class 'no'"),
        (["a", "b"], TRUTH.astype(int), "which has no class 'a'"),
        (["1", "01"], TRUTH.astype(int), "are the same"),
        (["False", "True"], TEXT, "row 1, column 'y': 'no' is not in the schema"),
        (["no", "yes"], np.where(TRUTH, " yes", "no"), "row 51, column 'y': ' yes' is not in the schema"),
        (["0", "1"], np.where(TRUTH, np.nan, 1), "y, row 51: NaN"),
        (["no", "yes"], np.where(TRUTH, None, "no"), "y, row 51: NaN"),
        (["0", "1"], np.c_[TRUTH, TRUTH], "shape"),
        (["0.5", "1.5"], TRUTH + 0.5, "Unknown label type: continuous"),
    ],
)
def test_labels_that_are_no_classes_are_refused(names, y, reason):
    with pytest.raises(ValueError, match=reason):
        two(names).fit(NUMBERS, y)


# who holds the records


@pytest.mark.parametrize(
    ("nodes", "reason"),
    [
        (["a", "b", "c"], r"nodes has shape \(3,\); there are 100 records"),
        (["a", "b", "c"] * 100, "there are 100 records"),
        ([["a"], ["b"]] * 50, "there are 100 records"),
        ("a", "there are 100 records"),
        (["a"] * 99 + [None], "row 100: the node that holds it has no name, got None"),
        ([np.nan, *range(99)], "row 1: .* no name"),
        (pd.Series([pd.NA] + ["a"] * 99), "row 1: .* no name"),
        (["a"] * 98 + [" ", "b"], "row 99: .* no name, got ' '"),
    ],
)
def test_nodes_that_do_not_fit_the_records_are_refused(nodes, reason):
    with pytest.raises(ValueError, match=reason):
        two(["False", "True"]).fit(NUMBERS, TRUTH, nodes=nodes)


@pytest.mark.parametrize(
    "make", [list, np.array, pd.Series, lambda names: pd.Series(names, dtype="category")]
)
def test_names_of_nodes_may_be_numbers_or_text_in_any_sequence(make):
    for names in ([index % 4 for index in range(100)], [f"site {index % 4}" for index in range(100)]):
        fitted = two(["False", "True"]).fit(NUMBERS, TRUTH, nodes=make(names))
        assert len(fitted.round_.opened.members[0]) == 4


# probabilities and randomness


def test_logs_of_probabilities_are_those_of_the_model_and_do_not_underflow():
    fitted = two(["True", "False"]).fit(pd.DataFrame({"x": np.where(TRUTH, 9.0, 1.0)}), TRUTH)
    logs = fitted.predict_log_proba(NUMBERS)
    assert np.isfinite(logs).all()
    assert np.allclose(np.exp(logs), fitted.predict_proba(NUMBERS))
    joint = fitted.round_.model.log_joint(fitted.schema.encode(NUMBERS))[:, ::-1]
    assert np.allclose(logs[:, 0] - logs[:, 1], joint[:, 0] - joint[:, 1])


def test_random_state_is_scikit_learns():
    def digests(**choice):
        return estimator(**{"epsilon": 1, "seed": None} | choice).fit(X, Y).round_.digests()

    assert digests(random_state=3) == digests(random_state=3) == digests(seed=3)
    assert digests(random_state=3) != digests(random_state=4)
    assert digests() != digests()
    assert digests(random_state=np.random.RandomState(5)) == digests(random_state=np.random.RandomState(5))
    shared = np.random.RandomState(5)
    assert digests(random_state=shared) != digests(random_state=shared)


def test_an_ensemble_gives_every_member_noise_of_its_own():
    bagged = BaggingClassifier(two(["False", "True"], epsilon=1), n_estimators=3, random_state=0)
    members = bagged.fit(NUMBERS.to_numpy(), TRUTH).estimators_
    assert len({member.random_state for member in members}) == 3


def test_seed_and_random_state_are_one_choice():
    with pytest.raises(ValueError, match="seed 1 and random_state 2 are one choice"):
        estimator(random_state=2).fit(X, Y)


def test_refinements_can_be_chosen():
    fits = [
        estimator(epsilon=0.05, consistency=consistency, shrinkage=shrinkage).fit(X, Y).predict_log_proba(X)
        for consistency, shrinkage in [(True, False), (False, False), (True, True), (True, None)]
    ]
    assert np.array_equal(fits[2], fits[3])
    assert not np.array_equal(fits[0], fits[1])
    assert not np.array_equal(fits[0], fits[2])


# what cross-validation costs


def test_every_fold_charges_the_ledger(tmp_path):
    charged = estimator(epsilon=0.5, ledger=tmp_path / "people", budget=3)
    result = cross_validate(charged, X, Y, cv=5, return_estimator=True)
    account = LedgerFile(tmp_path / "people").account()
    assert len(account.payments) == 5
    assert account.epsilon(0) == Fraction(5, 2)
    assert spent(result["estimator"]) == Fraction(5, 2)
    assert spent(result["estimator"], "replace-one") == 5
    charged.fit(X, Y)
    with pytest.raises(ValueError, match="budget exceeded"):
        charged.fit(X, Y)


def test_copies_in_other_processes_charge_the_same_ledger(tmp_path):
    charged = two(["False", "True"], epsilon=1, ledger=str(tmp_path / "people"), budget="2")
    for travelled in (clone(charged), pickle.loads(pickle.dumps(charged))):
        travelled.fit(NUMBERS, TRUTH)
    with pytest.raises(ValueError, match="budget exceeded"):
        charged.fit(NUMBERS, TRUTH)


def test_what_exceeds_the_budget_is_not_opened(tmp_path):
    refused = estimator(epsilon=2, ledger=tmp_path / "people", budget=1)
    with pytest.raises(ValueError, match="budget exceeded"):
        refused.fit(X, Y)
    assert not hasattr(refused, "round_")
    assert LedgerFile(tmp_path / "people").payments() == ()


@pytest.mark.parametrize("choice", [{"ledger": "people"}, {"budget": 1}])
def test_a_ledger_without_a_budget_is_refused(choice):
    with pytest.raises(ValueError, match="ledger and budget go together"):
        estimator(**choice).fit(X, Y)


def test_what_is_not_private_has_no_cost():
    assert spent([estimator(epsilon=1).fit(X, Y), estimator().fit(X, Y)]) is None


def test_predictions_of_folds_are_those_of_their_classes():
    shares = cross_val_predict(two(["True", "False"]), NUMBERS, TRUTH, cv=4, method="predict_proba")
    assert (shares.argmax(axis=1) == TRUTH).all()
