"""scikit-learn's own tests of its Gaussian and categorical Naive Bayes, run against `MixedNB`.

The tests come from the scikit-learn that is installed. They see two thin adapters, which have the names of
parameters that the originals have, and nothing else.
"""

import importlib.util
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
import sklearn

from securenb.estimators.estimator import MixedNB
from securenb.estimators.labels import plain

NOT_OURS = {
    "test_discretenb_predict_proba": "Bernoulli and multinomial only",
    "test_mnnb": "multinomial only",
    "test_mnb_prior_unobserved_targets": "multinomial only",
    "test_bnb": "Bernoulli only",
    "test_bnb_feature_log_prob": "Bernoulli only",
    "test_cnb": "complement only",
    "test_alpha_vector": "multinomial only",
    "test_check_alpha": "Bernoulli only",
    "test_gnb_check_update_with_no_data": "a private method of GaussianNB; our state is exact sums",
    "test_gnb_array_api_compliance": "MixedNB takes NumPy arrays and pandas tables",
    "test_categoricalnb": "categories are values, not codes 0 … max: none is negative, none is implied",
    "test_categoricalnb_with_min_categories": "the same: there are no categories that were never seen",
    "test_categoricalnb_min_categories_errors": "the same",
    "test_alpha": "a pseudo-count of zero is refused, where scikit-learn warns and takes 1e-10",
    "test_categorical_input_tag": "one estimator for both takes categories, and says so",
}
"""Tests that do not apply, and why."""


class Gaussian(MixedNB):
    def __init__(self, *, priors=None, var_smoothing=1e-9):
        super().__init__(categorical_features=[], var_smoothing=var_smoothing, priors=priors)


class Categories(MixedNB):
    def __init__(self, *, alpha=1.0, fit_prior=True, class_prior=None):
        self.alpha, self.fit_prior, self.class_prior = alpha, fit_prior, class_prior
        super().__init__(smoothing=alpha)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        self.categorical_features = list(range(np.shape(X)[1]))
        self.priors = self.class_prior
        if not self.fit_prior and self.class_prior is None:
            known = np.unique(plain(classes)) if classes is not None else self.classes_
            self.priors = np.full(len(known), 1 / len(known))
        return super().partial_fit(X, y, classes, sample_weight)


def _originals():
    """Their module, in which `GaussianNB` and `CategoricalNB` are the adapters."""
    path = Path(sklearn.__file__).parent / "tests" / "test_naive_bayes.py"
    spec = importlib.util.spec_from_file_location("scikit_learns_test_naive_bayes", path)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.multiple("sklearn.naive_bayes", GaussianNB=Gaussian, CategoricalNB=Categories):
        spec.loader.exec_module(module)
    # the lists that their tests are parametrized with
    module.DISCRETE_NAIVE_BAYES_CLASSES[:] = [Categories]
    module.ALL_NAIVE_BAYES_CLASSES[:] = [Categories, Gaussian]
    return module


ORIGINALS = {name: test for name, test in vars(_originals()).items() if name.startswith("test_")}
globals().update({name: test for name, test in ORIGINALS.items() if name not in NOT_OURS})
pytest.mark.slow(ORIGINALS["test_check_accuracy_on_digits"])


@pytest.fixture(params=range(3))
def global_random_seed(request):
    return request.param


@pytest.fixture
def global_dtype():
    return np.float64


def test_most_of_what_concerns_us_is_run():
    assert len(ORIGINALS.keys() - NOT_OURS.keys()) >= 14
    assert "test_gnb_sample_weight" in ORIGINALS
    assert "test_discretenb_sample_weight_multiclass" in ORIGINALS
