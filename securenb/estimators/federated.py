"""A whole federated round behind scikit-learn's interface: fit, predict, search, cross-validate."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from securenb.bayes.parameters import Floats
from securenb.data.partition import deal, gather
from securenb.estimators.labels import Labels, classes_like, places, plain
from securenb.experiments.choices import Choices
from securenb.privacy.budget import Budget
from securenb.privacy.journal import LedgerFile
from securenb.privacy.sensitivity import Adjacency
from securenb.schema.schema import Schema

LARGEST_SEED = 2**31 - 1


class FederatedNB(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Naive Bayes, fitted in one federated round.

    **Every fit is a release.** Cross-validation, a grid search and a refit fit again on overlapping
    people, and what each fit costs adds up: ten folds at epsilon 1 cost a person up to 10, and a search
    over m candidates m times that. Clones share no memory, and may live in other processes; with `ledger`
    and `budget` all of them charge one file before they open anything, and refuse what exceeds the budget.
    `spent` adds up fitted estimators that are at hand.

    Parameters
    ----------
    schema
        The public description of the records. X is a table with its columns, or an array with its
        features in their order; y holds its classes, as text or as the booleans or numbers that they spell.
    epsilon
        What one opened row costs a record, or ``"none"``. It has no default.
    n_nodes
        How many nodes the records are dealt to when `fit` is not told who holds them.
    protocol, rule, mechanism, delta, group_size, threshold
        See `securenb.experiments.choices.Choices`.
    colluding, malicious_bound, record_cap, curator, witnesses
        See there, too.
    consistency, shrinkage
        Free post-processing, see `securenb.federation.postprocess.Refinement`.
    ledger, budget
        A file that every fit charges, see `securenb.privacy.journal.LedgerFile`, and the epsilon
        (add/remove) that its people may spend in all, ``"EPS,DELTA"`` for noise up to a delta. Both, or
        neither.
    random_state
        An integer makes the round a reproducible simulation in which nothing is secret; a
        `numpy.random.RandomState` draws such an integer at every fit. `None` takes noise and keys from the
        operating system, as a release must.
    seed
        The package's own name for an integer `random_state`; give one of the two.

    Attributes
    ----------
    round_
        The round: model, ledger, transcript.
    classes_
        The schema's classes, of the type of y, sorted.
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
        witnesses: int | None = None,
        curator: bool = False,
        consistency: bool = True,
        shrinkage: bool | None = None,
        ledger: str | Path | None = None,
        budget: float | str | None = None,
        random_state: int | np.random.RandomState | None = None,
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
        self.witnesses = witnesses
        self.curator = curator
        self.consistency = consistency
        self.shrinkage = shrinkage
        self.ledger = ledger
        self.budget = budget
        self.random_state = random_state
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
            If the choices do not fit the records, a value is not in the schema, a node has no name, or the
            budget does not allow another release.
        """
        if (self.ledger is None) != (self.budget is None):
            raise ValueError("ledger and budget go together: give both or neither")
        given = {name: getattr(self, name) for name in Choices.model_fields if hasattr(self, name)}
        choices = Choices.checked(**{**given, "seed": self._seed()})
        frame, labels = self._frame(X), plain(y)
        if labels.shape != (len(frame),):
            raise ValueError(f"y has shape {labels.shape}; there are {len(frame)} records")
        check_classification_targets(labels)
        classes = classes_like(self.schema.classes, labels)
        names = np.array([*self.schema.classes, None], dtype=object)[places(labels, classes)]
        if (absent := pd.isna(names)).any():
            row = int(np.argmax(absent))
            raise ValueError(
                f"row {row + 1}, column {self.schema.label!r}: {labels[row : row + 1].tolist()[0]!r} "
                "is not in the schema"
            )
        records = self.schema.records(frame.assign(**{self.schema.label: names}))
        if nodes is None:
            held = deal(records, len(classes), self.n_nodes, rng=choices.streams.rng("deal"))
        else:
            held = gather(records, _holders(nodes, len(frame)))
        federation = choices.federation_over(self.schema, nodes=len(held))
        contributions = federation.prepare(held)
        if self.ledger is not None and self.budget is not None:
            charge = federation.charged(contributions.groups)
            LedgerFile(Path(self.ledger)).pay("FederatedNB.fit", charge, Budget.parse(str(self.budget)))
        self.round_ = federation.open(contributions)
        self.n_features_in_ = len(self.schema.features)
        self.feature_names_in_ = np.array([feature.name for feature in self.schema.features], dtype=object)
        # scorers take the columns of probabilities to be those of the sorted classes
        self._order = np.argsort(classes)
        self.classes_ = classes[self._order]
        return self

    def predict(self, X: Any) -> Labels:
        """The most probable class of each record, shape (n,)."""
        check_is_fitted(self, "round_")
        best = self.round_.model.predict_codes(self.schema.encode(self._frame(X)))
        classes: Labels = self.classes_[np.argsort(self._order)[best]]
        return classes

    def predict_log_proba(self, X: Any) -> Floats:
        """Log of the class probabilities, shape (n, C), also where these are too small for a float."""
        check_is_fitted(self, "round_")
        joint = self.round_.model.log_joint(self.schema.encode(self._frame(X)))[:, self._order]
        logs: Floats = joint - logsumexp(joint, axis=1, keepdims=True)
        return logs

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, shape (n, C)."""
        probabilities: Floats = np.exp(self.predict_log_proba(X))
        return probabilities

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy, for labels of whatever type `fit` takes."""
        return float(super().score(X, plain(y), sample_weight))

    def _seed(self) -> int | None:
        """The seed of this fit."""
        if self.seed is not None and self.random_state is not None:
            raise ValueError(
                f"seed {self.seed} and random_state {self.random_state} are one choice; give one"
            )
        if isinstance(self.random_state, np.random.RandomState):
            return int(self.random_state.randint(LARGEST_SEED))
        return self.seed if self.random_state is None else self.random_state

    def _frame(self, X: Any) -> pd.DataFrame:
        """X as a table with the schema's columns."""
        if isinstance(X, pd.DataFrame):
            return X
        values = np.asarray(X)
        features = self.schema.features
        if values.ndim != 2 or values.shape[1] != len(features):
            raise ValueError(f"X has shape {values.shape}; the schema has {len(features)} features")
        return pd.DataFrame(values, columns=[feature.name for feature in features])


def spent(fitted: Iterable[FederatedNB], adjacency: Adjacency = "add-remove") -> Fraction | None:
    """What releasing all of these fits costs a record, in sequence; `None` if one of them is not private.

    It counts every record as part of every fit, so it is an upper bound where folds left some out.

    Examples
    --------
    ``spent(cross_validate(model, X, y, return_estimator=True)["estimator"])``
    """
    total = Fraction(0)
    for estimator in fitted:
        check_is_fitted(estimator, "round_")
        ledger = estimator.round_.ledger
        costs = [ledger.epsilon(adjacency, seen) for seen in {release.seen for release in ledger.releases}]
        private = [cost for cost in costs if cost is not None]
        if len(private) < len(costs):
            return None
        total += max(private, default=Fraction(0))
    return total


def _holders(nodes: ArrayLike, records: int) -> NDArray[np.object_]:
    """The name of the node that holds each record, shape (n,)."""
    names = np.asarray(nodes, dtype=object)
    if names.shape != (records,):
        raise ValueError(f"nodes has shape {names.shape}; there are {records} records")
    missing = np.array([bool(pd.isna(name)) or not str(name).strip() for name in names])
    if missing.any():
        row = int(np.argmax(missing))
        raise ValueError(f"row {row + 1}: the node that holds it has no name, got {names[row]!r}")
    return names
