"""A whole federated round behind scikit-learn's interface: fit, predict, search, cross-validate."""

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from securenb.bayes.parameters import Floats
from securenb.data.partition import deal, gather
from securenb.experiments.choices import Choices
from securenb.schema.schema import Schema


class FederatedNB(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Naive Bayes, fitted in one federated round.

    Parameters
    ----------
    schema
        The public description of the records. X is a table with its columns, or an array with its
        features in their order; y holds its classes.
    epsilon
        What one opened row costs a record, or ``"none"``. It has no default.
    n_nodes
        How many nodes the records are dealt to when `fit` is not told who holds them.
    protocol, rule, mechanism, delta, group_size, threshold, colluding, malicious_bound, record_cap, seed
        See `securenb.experiments.choices.Choices`.

    Attributes
    ----------
    round_
        The round: model, ledger, transcript.
    classes_
        The schema's classes, of the type of y.
    """

    def __init__(
        self,
        schema: Schema,
        *,
        epsilon: float | str,
        n_nodes: int = 10,
        protocol: str = "masking",
        rule: str = "sum",
        mechanism: str = "discrete_laplace",
        delta: float | None = None,
        group_size: int | None = None,
        threshold: int | None = None,
        colluding: int = 0,
        malicious_bound: int = 0,
        record_cap: int | None = None,
        seed: int | None = None,
    ) -> None:
        self.schema = schema
        self.epsilon = epsilon
        self.n_nodes = n_nodes
        self.protocol = protocol
        self.rule = rule
        self.mechanism = mechanism
        self.delta = delta
        self.group_size = group_size
        self.threshold = threshold
        self.colluding = colluding
        self.malicious_bound = malicious_bound
        self.record_cap = record_cap
        self.seed = seed

    def fit(self, X: Any, y: ArrayLike, nodes: ArrayLike | None = None) -> Self:
        """Run the round.

        Parameters
        ----------
        X
            Records, shape (n, F).
        y
            Their classes, shape (n,).
        nodes
            The name of the node that holds each record, shape (n,); may be routed as metadata.

        Raises
        ------
        ValueError
            If the choices do not fit the records, or a value is not in the schema.
        """
        choices = Choices.checked(
            **{name: getattr(self, name) for name in Choices.model_fields if hasattr(self, name)}
        )
        frame = self._frame(X)
        labels = np.asarray(y)
        if labels.shape != (len(frame),):
            raise ValueError(f"y has shape {labels.shape}; there are {len(frame)} records")
        records = self.schema.records(frame.assign(**{self.schema.label: labels}))
        if nodes is None:
            held = deal(records, len(self.schema.classes), self.n_nodes, rng=choices.streams.rng("deal"))
        else:
            held = gather(records, np.asarray(nodes, dtype=object))
        self.n_features_in_ = len(self.schema.features)
        self.feature_names_in_ = np.array([feature.name for feature in self.schema.features], dtype=object)
        self.classes_ = np.asarray(self.schema.classes).astype(labels.dtype)
        self.round_ = choices.federation_over(self.schema).run(held)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each record, shape (n,)."""
        check_is_fitted(self, "round_")
        best = self.round_.model.predict_codes(self.schema.encode(self._frame(X)))
        classes: NDArray[Any] = self.classes_[best]
        return classes

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, shape (n, C)."""
        check_is_fitted(self, "round_")
        return self.round_.model.predict_proba(self._frame(X))

    def _frame(self, X: Any) -> pd.DataFrame:
        """X as a table with the schema's columns."""
        if isinstance(X, pd.DataFrame):
            return X
        values = np.asarray(X)
        features = self.schema.features
        if values.ndim != 2 or values.shape[1] != len(features):
            raise ValueError(f"X has shape {values.shape}; the schema has {len(features)} features")
        return pd.DataFrame(values, columns=[feature.name for feature in features])
