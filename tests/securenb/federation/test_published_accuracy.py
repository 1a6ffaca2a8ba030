"""Without noise, the federated model is the model that everybody knows."""

import numpy as np
import pytest
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from protocols.protocol import PROTOCOLS
from securenb.bayes.model import balanced_accuracy
from securenb.federation.federation import Federation
from securenb.privacy.mechanisms.none import NoNoise
from securenb.robust.rules.sum import Sum


def federated(data, nodes=20):
    choice = Federation(data.schema, PROTOCOLS["plain"](), NoNoise(), Sum(), seed=1)
    return choice.run(data.deal(nodes, seed=1)).model


def test_adult_reaches_its_known_accuracy(dataset):
    data = dataset("adult")
    model = federated(data)
    assert model.score(data.test) == pytest.approx(0.831, abs=0.005)
    assert model.balanced_score(data.test) == pytest.approx(0.721, abs=0.01)


def test_mushroom_agrees_with_scikit_learns_categorical_model(dataset):
    data = dataset("mushroom")
    levels = [len(feature.levels) for feature in data.schema.features]
    reference = CategoricalNB(alpha=1.0, min_categories=levels).fit(data.train.codes, data.train.labels)
    predicted = reference.predict(data.test.codes)
    model = federated(data)
    assert model.score(data.test) == pytest.approx(np.mean(predicted == data.test.labels), abs=0.01)
    assert model.balanced_score(data.test) == pytest.approx(
        balanced_accuracy(data.test.labels, predicted), abs=0.01
    )


@pytest.mark.parametrize("name", ["skin", "breast_cancer", "accelerometer"])
def test_numeric_data_agree_with_scikit_learns_gaussian_model_on_the_grid(name, dataset):
    data = dataset(name)
    # the same codes in double precision: what is left is our variance floor and smoothed priors
    reference = GaussianNB(var_smoothing=0).fit(data.train.codes.astype(float), data.train.labels)
    agreement = np.mean(
        reference.predict(data.test.codes.astype(float)) == federated(data).predict_codes(data.test.codes)
    )
    assert agreement >= 0.995
