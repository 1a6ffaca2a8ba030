"""A rule by its spec, with pre-aggregations before it: ``"nnm+krum"``, ``"clip(radius=1)+median"``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from protocols.catalogue import Choice
from protocols.spec import split
from securenb.robust.centre_rule import PointRule
from securenb.robust.preaggregation import PREAGGREGATIONS, Preaggregation
from securenb.robust.rule import RULES, Rule
from securenb.schema.records import Records


def choose_rule(
    choice: Choice[Rule],
    *,
    malicious: int = 0,
    smoothing: float | None = None,
    reference: Records | None = None,
    nodes: int | None = None,
) -> Rule:
    """The rule that was chosen.

    Parameters
    ----------
    choice
        An object; or the spec of one of `RULES`, after the specs of any number of `PREAGGREGATIONS` in the
        order in which they are applied, joined by ``+``; in a file ``{name = "krum", before = ["nnm"]}``.
    malicious, smoothing
        See `Rule`; the smoothing is the spec's if it is not given.
    reference
        Public records, for a rule that has a field of that name.
    nodes
        How many nodes are expected, for a rule that has a field of that name and was not told.

    Raises
    ------
    ValueError
        If a name or a parameter is unknown, or the rule takes no pre-aggregations.
    """
    told: dict[str, Any] = {"malicious": malicious} if malicious else {}
    if smoothing is not None:
        told["smoothing"] = smoothing
    before, own = _parts(choice)
    rule = RULES.build(own)
    if before and not isinstance(rule, PointRule):
        raise ValueError(
            f"the rule {RULES.name_of(rule)!r} combines statistics, not points: nothing can come before it, "
            f"got {choice!r}"
        )
    if before:
        told["before"] = tuple(PREAGGREGATIONS.build(step) for step in before)
    if reference is not None and getattr(rule, "reference", reference) is None:
        told["reference"] = reference
    if nodes is not None and getattr(rule, "nodes", nodes) is None:
        told["nodes"] = nodes
    return replace(rule, **told) if told else rule


def spell_rule(choice: Choice[Rule]) -> str:
    """The one spelling of a choice, checked, which `choose_rule` reads."""
    before, own = _parts(choice)
    choose_rule(choice)
    if isinstance(own, PointRule) and own.before:
        before, own = own.before, replace(own, before=())
    return "+".join([*map(PREAGGREGATIONS.spelled, before), RULES.spelled(own)])


def _parts(choice: Choice[Rule]) -> tuple[Sequence[Choice[Preaggregation]], Choice[Rule]]:
    """What comes before, and the rule itself."""
    if isinstance(choice, str):
        *before, own = split(choice, "+")
        return before, own
    if isinstance(choice, Mapping) and "before" in choice:
        before = choice["before"]
        steps = before if isinstance(before, list | tuple) else [before]
        return steps, {key: value for key, value in choice.items() if key != "before"}
    return (), choice
