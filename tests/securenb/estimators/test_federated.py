"""A federated round where scikit-learn expects an estimator."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from securenb.data.dataset import DATASETS
from securenb.estimators.federated import FederatedNB

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
