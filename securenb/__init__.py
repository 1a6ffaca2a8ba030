"""One-shot federated Naive Bayes: poisoning resilience, secure aggregation, privacy accounting.

``import securenb as nb``: the names below are the public ones, and each is imported when it is asked for.
"""

from typing import TYPE_CHECKING

from protocols.front import front

if TYPE_CHECKING:
    __version__: str

_NAMES = {
    "Binned": "securenb.schema.features",
    "Categorical": "securenb.schema.features",
    "Comparison": "securenb.experiments.compare:Compared",
    "DATASETS": "securenb.data.dataset",
    "Dataset": "securenb.data.dataset",
    "DatasetSource": "securenb.data.dataset",
    "FederatedNB": "securenb.estimators.federated",
    "Federation": "securenb.federation.federation",
    "Ledger": "securenb.privacy.ledger",
    "MECHANISMS": "securenb.privacy.mechanism",
    "Mechanism": "securenb.privacy.mechanism",
    "MixedNB": "securenb.estimators.estimator",
    "NaiveBayes": "securenb.bayes.model",
    "Node": "securenb.data.node",
    "Numeric": "securenb.schema.features",
    "PREAGGREGATIONS": "securenb.robust.preaggregation",
    "PROTOCOLS": "protocols.protocol",
    "PointRule": "securenb.robust.centre_rule",
    "Preaggregation": "securenb.robust.preaggregation",
    "RULES": "securenb.robust.rule",
    "Records": "securenb.schema.records",
    "Round": "securenb.federation.round",
    "Rows": "securenb.robust.rule",
    "Rule": "securenb.robust.rule",
    "Scenario": "securenb.experiments.scenario",
    "Schema": "securenb.schema.schema",
    "Sweep": "securenb.experiments.rounds",
    "check_dataset": "securenb.checks",
    "check_mechanism": "securenb.checks",
    "check_rule": "securenb.checks",
    "compare": "securenb.experiments.compare",
    "load_dataset": "securenb.data.dataset",
    "load_plugin": "protocols.plugins",
    "read_schema": "securenb.schema.toml",
}

__all__ = sorted([*_NAMES, "__version__", "certify"])

_get, _dir = front(__name__, _NAMES)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("securenb")
    if name == "certify":
        from importlib import import_module

        return import_module("securenb.certify")
    return _get(name)


def __dir__() -> list[str]:
    return list(__all__)
