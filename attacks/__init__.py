"""Poisons, deviations and inferences: everything an adversary does; imported by nothing below it.

`attacks.audit` checks what a ledger says of a release.
"""

from importlib import import_module

from protocols.front import front

_NAMES = {
    "DEVIATIONS": "attacks.deviation",
    "Deviation": "attacks.deviation",
    "INFERENCES": "attacks.inference",
    "Inference": "attacks.inference",
    "Knowledge": "attacks.poison",
    "POISONS": "attacks.poison",
    "Poison": "attacks.poison",
    "Study": "attacks.sweeps.poisoning_grid",
    "check_deviation": "attacks.checks",
    "check_inference": "attacks.checks",
    "check_poison": "attacks.checks",
    "evaluate": "attacks.sweeps.poisoning_grid",
}

__all__ = sorted([*_NAMES, "audit"])

_get, _ = front(__name__, _NAMES)


def __getattr__(name: str) -> object:
    return import_module("attacks.audit") if name == "audit" else _get(name)


def __dir__() -> list[str]:
    return list(__all__)
