"""Naive Bayes with mixed features as scikit-learn knows estimators: no federation, no privacy."""

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from securenb.bayes.parameters import Floats
from securenb.estimators.moments import Moments


class MixedNB(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Gaussian and categorical Naive Bayes side by side.

    The state is exact counts and exact sums, so `partial_fit` in any batching equals `fit`.

    Parameters
    ----------
    categorical_features
        Names or indices of the categorical columns; ``"auto"`` takes those of a table that are not
        numbers, or those of an array that cannot be read as numbers.
    smoothing
        Pseudo-count of every category, see `sklearn.naive_bayes.CategoricalNB`.
    var_smoothing
        Share of the largest variance that is added to every variance, see
        `sklearn.naive_bayes.GaussianNB`.

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
    ) -> None:
        self.categorical_features = categorical_features
        self.smoothing = smoothing
        self.var_smoothing = var_smoothing

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit to X (n, F), a table or an array, and y (n,)."""
        for name in ("classes_", "categorical_"):
            self.__dict__.pop(name, None)
        return self.partial_fit(X, y, classes=np.unique(np.asarray(y)))

    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Add a batch.

        Parameters
        ----------
        classes
            All classes; needed at the first call unless the first batch has them all.
        """
        first = not hasattr(self, "classes_")
        columns, labels = self._validated(X, y, reset=first)
        if first:
            check_classification_targets(labels)
            self.classes_ = np.unique(np.asarray(labels if classes is None else classes))
            if len(self.classes_) < 2:
                raise ValueError(f"needs at least two classes, got one class: {self.classes_[0]!r}")
            self._counts = np.zeros(len(self.classes_), dtype=np.int64)
            self._state: list[list[Any]] = [
                [{} if categorical else Moments() for _ in self.classes_] for categorical in self.categorical_
            ]
        places = np.searchsorted(self.classes_, labels)
        known = self.classes_[np.minimum(places, len(self.classes_) - 1)] == labels
        if not known.all():
            raise ValueError(
                f"class {labels[~known].tolist()[0]!r} is not one of the classes {self.classes_.tolist()}"
            )
        self._counts += np.bincount(places, minlength=len(self.classes_))
        for state, column in zip(self._state, columns, strict=True):
            for index in range(len(self.classes_)):
                state[index] = _added(state[index], column[places == index])
        self._estimate()
        return self

    def _estimate(self) -> None:
        with np.errstate(divide="ignore"):
            self.class_log_prior_ = np.log(self._counts / self._counts.sum())
        self.categories_: list[list[Any]] = []
        self._tables: list[Floats] = []
        pooled = [sum(state, Moments()) for state in self._state if isinstance(state[0], Moments)]
        floor = self.var_smoothing * max((float(moments.variance) for moments in pooled), default=0.0)
        for state in self._state:
            if isinstance(state[0], Moments):
                mean = [float(moments.mean) for moments in state]
                variance = [max(float(moments.variance) + floor, np.finfo(float).tiny) for moments in state]
                self.categories_.append([])
                self._tables.append(np.array([mean, variance]))
            else:
                levels = sorted(set().union(*state), key=str)
                counts = np.array([[own.get(level, 0) for level in levels] for own in state]) + self.smoothing
                self.categories_.append(levels)
                self._tables.append(np.log(counts / counts.sum(axis=1, keepdims=True)))

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Log of p(class, features), shape (n, C); a category never seen says nothing."""
        check_is_fitted(self, "classes_")
        columns, _ = self._validated(X, None, reset=False)
        result = np.tile(self.class_log_prior_, (len(columns[0]), 1))
        for column, levels, table in zip(columns, self.categories_, self._tables, strict=True):
            if levels:
                index = pd.Index(levels, dtype=object).get_indexer(pd.Index(column, dtype=object))
                result += np.append(table, np.zeros((len(table), 1)), axis=1).T[index]
            else:
                mean, variance = table
                distance = (column[:, None] - mean) ** 2 / variance
                result -= 0.5 * (np.log(2 * np.pi * variance) + distance)
        return result

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row, shape (n,)."""
        joint = self.predict_joint_log_proba(X)
        best: NDArray[Any] = self.classes_[np.argmax(joint, axis=1)]
        return best

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, shape (n, C)."""
        joint = self.predict_joint_log_proba(X)
        weights = np.exp(joint - joint.max(axis=1, keepdims=True))
        shares: Floats = weights / weights.sum(axis=1, keepdims=True)
        return shares

    def predict_log_proba(self, X: Any) -> Floats:
        """Log of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _validated(self, X: Any, y: ArrayLike | None, *, reset: bool) -> tuple[list[NDArray[Any]], Any]:
        """The columns, numbers as float64, and y."""
        numbers = None
        if isinstance(X, pd.DataFrame):
            numbers = [pd.api.types.is_numeric_dtype(dtype) for dtype in X.dtypes]
        given = {} if y is None else {"y": y}
        checked = validate_data(self, X, **given, dtype=None, reset=reset)
        values, y = checked if y is not None else (checked, None)
        if reset:
            self.categorical_ = self._categorical(values, numbers)
        columns = [
            values[:, index].astype(object) if categorical else values[:, index].astype(np.float64)
            for index, categorical in enumerate(self.categorical_)
        ]
        return columns, y

    def _categorical(self, values: NDArray[Any], numbers: list[bool] | None) -> list[bool]:
        if isinstance(self.categorical_features, str):
            if self.categorical_features != "auto":
                raise ValueError(
                    f"categorical_features is a list or 'auto', got {self.categorical_features!r}"
                )
            if numbers is not None:
                return [not number for number in numbers]
            return [not _readable(values[:, index]) for index in range(values.shape[1])]
        names = list(getattr(self, "feature_names_in_", range(values.shape[1])))
        wanted = [names[item] if isinstance(item, int) else item for item in self.categorical_features]
        if unknown := [item for item in wanted if item not in names]:
            raise ValueError(f"categorical_features: {unknown[0]!r} is not a column")
        return [name in wanted for name in names]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _added(state: Any, column: NDArray[Any]) -> Any:
    """State of one class and column with more values."""
    if isinstance(state, Moments):
        return state + Moments.of(column)
    result = dict(state)
    levels, counts = np.unique(column.astype(str), return_counts=True)
    first = {str(value): value for value in column}
    for level, count in zip(levels.tolist(), counts.tolist(), strict=True):
        result[first[level]] = result.get(first[level], 0) + count
    return result


def _readable(column: NDArray[Any]) -> bool:
    """Whether every value of a column is a number."""
    try:
        column.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True
