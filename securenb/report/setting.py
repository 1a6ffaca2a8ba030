"""The setting of a run in one line: the choices that a reader must know to judge its figures."""

from collections.abc import Mapping, Sequence
from typing import Any

UNSAID: Mapping[str, Sequence[Any]] = {
    "sizes": ["equal"],
    "label_skew": [None, "none"],
    "mechanism": ["discrete_laplace"],
    "numeric": ["gaussian"],
    "inputs": ["unchecked"],
    "group_size": [None, "all"],
    "rule": ["sum"],
}
"""Choices that are named only where they are not these."""


def setting(choices: Mapping[str, Any]) -> str:
    """Data set, nodes, epsilon, rule and whatever else is out of the ordinary, in one line.

    Parameters
    ----------
    choices
        A scenario's, or a sweep's, in which each may be a list.
    """
    parts = []
    if names := _values(choices, "dataset"):
        parts.append(", ".join(names))
    if nodes := _values(choices, "nodes"):
        parts.append(f"{_several(nodes)} nodes")
    if epsilons := _values(choices, "epsilon"):
        said = "without noise" if epsilons == ["none"] else f"epsilon {_several(epsilons)}"
        delta = choices.get("delta")
        parts.append(said if delta is None else f"{said}, delta {delta}")
    for name, words in (
        ("mechanism", "noise"),
        ("rule", "rule"),
        ("group_size", "nodes in a group"),
        ("sizes", "sizes of nodes"),
        ("label_skew", "label skew"),
        ("numeric", "numbers as"),
        ("inputs", "inputs"),
        ("record_cap", "record cap"),
    ):
        values = choices.get(name)
        listed = values if isinstance(values, list) else [values]
        if values is not None and any(value not in UNSAID.get(name, ()) for value in listed):
            shown = _several(["all" if value is None else str(value) for value in listed])
            parts.append(f"{words} {shown}")
    if trials := choices.get("trials"):
        parts.append(f"{trials} trials")
    if choices.get("seed") is not None:
        parts.append(f"seed {choices['seed']}")
    return "; ".join(parts)


def _values(choices: Mapping[str, Any], name: str) -> list[str]:
    """A choice's values as text, none where it was not made."""
    value = choices.get(name)
    listed = value if isinstance(value, list) else [value]
    return [str(each) for each in listed if each is not None]


def _several(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"
