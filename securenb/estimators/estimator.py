"""Naive Bayes with mixed features as scikit-learn knows estimators: no federation, no privacy."""

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from securenb.bayes.parameters import Floats
from securenb.estimators.columns import Column, columns_of
from securenb.estimators.labels import Labels, places, plain
from securenb.estimators.moments import UNIT, Moments, Weights
from securenb.estimators.weights import counted, given_weights, weight_of

FARTHEST = 1e300
"""What a squared distance counts at most, so that a record far from all classes has probabilities still."""


class MixedNB(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Gaussian and categorical Naive Bayes side by side.

    The state is exact counts and exact sums, so `partial_fit` in any batching equals `fit`, with weights
    and without. Missing values, infinity, dates and columns of mixed kinds are refused by name.

    Parameters
    ----------
    categorical_features
        Names or indices of the categorical columns; ``"auto"`` takes those of a table that are not
        numbers (text, booleans, pandas' categories), or those of an array that cannot be read as numbers.
    smoothing
        Pseudo-count of every category, positive, see `sklearn.naive_bayes.CategoricalNB`.
    var_smoothing
        Share of the largest variance that is added to every variance, see
        `sklearn.naive_bayes.GaussianNB`.
    priors
        Probabilities of the classes in their sorted order, shape (C,); `None` takes those of the records.

    Attributes
    ----------
    classes_
        Sorted, of the type of y.
    class_count_, class_prior_, class_log_prior_
        Weight of each class, its probability, and the log of that, shape (C,).
    categories_, category_count_
        Of each column, its categories and their weights (C, levels); empty for numbers.
    theta_, var_
        Mean and variance of each column that is a number, shape (C, columns of numbers).

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20, 30, 60, 70], "colour": ["red", "red", "blue", "red"]})
    >>> MixedNB().fit(table, ["no", "no", "yes", "yes"]).predict(table).tolist()
    ['no', 'no', 'yes', 'yes']
    """

    def __init__(
        self,
        categorical_features: str | list[str] | list[int] = "auto",
        smoothing: float = 1.0,
        var_smoothing: float = 1e-9,
        priors: ArrayLike | None = None,
    ) -> None:
        self.categorical_features = categorical_features
        self.smoothing = smoothing
        self.var_smoothing = var_smoothing
        self.priors = priors

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, F), a table or an array, y (n,), and weights (n,) that are not negative."""
        self.__dict__.pop("classes_", None)
        return self.partial_fit(X, y, np.unique(plain(y)), sample_weight)

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add a batch.

        Parameters
        ----------
        classes
            All classes; needed at the first call, and the same at every other that gives them.
        """
        first = not hasattr(self, "classes_")
        columns = self._columns(X, reset=first)
        labels = plain(y)
        check_consistent_length(columns[0].values, labels)
        check_classification_targets(labels)
        self._check_parameters()
        weights = given_weights(sample_weight, len(labels))
        if first:
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            self._begin(columns, np.unique(plain(classes)))
        elif classes is not None and not np.array_equal(np.sort(plain(classes)), self.classes_):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_}"
            )
        self._add(columns, labels, weights)
        self._estimate()
        return self

    def _begin(self, columns: list[Column], classes: Labels) -> None:
        self.classes_ = classes
        self.categorical_ = self._categorical(columns)
        self._kinds = [column.kind for column in columns]
        self._counts = [0 for _ in classes]
        self._state: list[list[Any]] = [
            [{} if categorical else Moments() for _ in classes] for categorical in self.categorical_
        ]

    def _add(self, columns: list[Column], labels: Labels, weights: Weights | None) -> None:
        """Add to the exact state; nothing is added if anything is refused."""
        where = places(labels, self.classes_)
        if (where < 0).any():
            unknown = np.unique(labels[where < 0])
            raise ValueError(
                f"The target label(s) {unknown} in y do not exist in the initial classes {self.classes_}"
            )
        values = self._values(columns)
        for index in range(len(self.classes_)):
            own = where == index
            if weights is not None:
                own &= weights != 0  # what weighs nothing brings no category either
            weighed = None if weights is None else weights[own]
            self._counts[index] += weight_of(weighed, int(own.sum()))
            for state, column in zip(self._state, values, strict=True):
                if isinstance(state[index], Moments):
                    state[index] += Moments.of(column[own], weighed)
                else:
                    state[index] = counted(state[index], column[own], weighed)

    def _estimate(self) -> None:
        total = sum(self._counts)
        self.class_count_ = np.array([count / UNIT for count in self._counts])
        prior = [count / total for count in self._counts] if self.priors is None else self._given_priors()
        self.class_prior_ = np.array(prior, dtype=np.float64)
        with np.errstate(divide="ignore"):
            self.class_log_prior_ = np.log(self.class_prior_)
        self.categories_: list[list[Any]] = []
        self.category_count_: list[Floats] = []
        self._tables: list[Floats] = []
        pooled = [sum(state, Moments()) for state in self._state if isinstance(state[0], Moments)]
        floor = self.var_smoothing * max((moments.variance for moments in pooled), default=0.0)
        for state in self._state:
            levels: list[Any] = []
            counts = np.zeros((len(self.classes_), 0))
            if isinstance(state[0], Moments):
                mean = [moments.mean for moments in state]
                variance = [max(moments.variance + floor, np.finfo(float).tiny) for moments in state]
                self._tables.append(np.array([mean, variance]))
            else:
                levels = sorted(set().union(*state))
                counts = np.array([[own.get(level, 0) / UNIT for level in levels] for own in state])
                smoothed = counts + self.smoothing
                self._tables.append(np.log(smoothed / smoothed.sum(axis=1, keepdims=True)))
            self.categories_.append(levels)
            self.category_count_.append(counts)
        numbers = [
            t for t, categorical in zip(self._tables, self.categorical_, strict=True) if not categorical
        ]
        shape = (len(numbers), len(self.classes_))
        self.theta_ = np.array([table[0] for table in numbers]).reshape(shape).T
        self.var_ = np.array([table[1] for table in numbers]).reshape(shape).T

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Log of p(class, features), shape (n, C); a category never seen says nothing."""
        check_is_fitted(self, "classes_")
        values = self._values(self._columns(X, reset=False))
        result = np.tile(self.class_log_prior_, (len(values[0]), 1))
        for column, levels, table, categorical in zip(
            values, self.categories_, self._tables, self.categorical_, strict=True
        ):
            if categorical:
                index = pd.Index(levels, dtype=object).get_indexer(pd.Index(column, dtype=object))
                result += np.append(table, np.zeros((len(table), 1)), axis=1).T[index]
            else:
                mean, variance = table
                with np.errstate(over="ignore"):
                    distance = np.minimum(((column[:, None] - mean) / np.sqrt(variance)) ** 2, FARTHEST)
                result -= 0.5 * (np.log(2 * np.pi * variance) + distance)
        return result

    def predict(self, X: Any) -> Labels:
        """The most probable class of each row, shape (n,)."""
        joint = self.predict_joint_log_proba(X)
        best: Labels = self.classes_[np.argmax(joint, axis=1)]
        return best

    def predict_log_proba(self, X: Any) -> Floats:
        """Log of the class probabilities, shape (n, C), also where these are too small for a float."""
        joint = self.predict_joint_log_proba(X)
        logs: Floats = joint - logsumexp(joint, axis=1, keepdims=True)
        return logs

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, shape (n, C)."""
        probabilities: Floats = np.exp(self.predict_log_proba(X))
        return probabilities

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy, for labels of whatever type `fit` takes."""
        return float(super().score(X, plain(y), sample_weight))

    def _columns(self, X: Any, *, reset: bool) -> list[Column]:
        """The columns, after scikit-learn's own checks of shape and names."""
        if isinstance(X, pd.DataFrame):
            if not X.size:
                raise ValueError(
                    f"Found array with {len(X)} sample(s) and {X.shape[1]} feature(s) (shape={X.shape}) "
                    "while a minimum of 1 is required."
                )
            if not X.columns.is_unique:
                raise ValueError(f"column {X.columns[X.columns.duplicated()][0]!r} is there twice")
            validate_data(self, X, reset=reset, skip_check_array=True)
            return columns_of(X)
        return columns_of(validate_data(self, X, dtype=None, reset=reset))

    def _values(self, columns: list[Column]) -> list[NDArray[Any]]:
        """Each column as the kind of numbers or categories that it was fitted as."""
        return [
            column.categories(kind) if categorical else column.numbers()
            for column, categorical, kind in zip(columns, self.categorical_, self._kinds, strict=True)
        ]

    def _categorical(self, columns: list[Column]) -> list[bool]:
        if isinstance(self.categorical_features, str):
            if self.categorical_features != "auto":
                raise ValueError(
                    f"categorical_features is a list or 'auto', got {self.categorical_features!r}"
                )
            return [column.category for column in columns]
        names = list(getattr(self, "feature_names_in_", range(len(columns))))
        wanted = [
            names[item] if isinstance(item, int) and -len(names) <= item < len(names) else item
            for item in self.categorical_features
        ]
        if unknown := [item for item in wanted if item not in names]:
            raise ValueError(f"categorical_features: {unknown[0]!r} is not a column")
        return [name in wanted for name in names]

    def _check_parameters(self) -> None:
        for name, value, least in (
            ("smoothing", self.smoothing, 0),
            ("var_smoothing", self.var_smoothing, -1),
        ):
            if not (least < value < np.inf and value >= 0):
                kind = "positive" if least == 0 else "not negative"
                raise ValueError(f"{name} must be finite and {kind}, got {value}")

    def _given_priors(self) -> Floats:
        priors = np.asarray(self.priors, dtype=np.float64)
        if priors.shape != self.classes_.shape:
            raise ValueError(
                f"Number of priors must match number of classes: {len(self.classes_)}, got {priors.shape}"
            )
        if not (priors >= 0).all():
            raise ValueError(f"Priors must be non-negative, got {priors.tolist()}")
        if not np.isclose(priors.sum(), 1.0):
            raise ValueError(f"The sum of the priors should be 1, got {priors.sum()}")
        return priors

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
