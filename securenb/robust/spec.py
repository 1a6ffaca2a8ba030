"""A rule by name, with pre-aggregations before it: ``"nnm+krum"``."""

from typing import Any

from securenb.robust.centre_rule import PointRule
from securenb.robust.preaggregation import PREAGGREGATIONS
from securenb.robust.rule import RULES, Rule
from securenb.schema.records import Records


def choose_rule(
    spelling: str, *, malicious: int = 0, smoothing: float = 1.0, reference: Records | None = None
) -> Rule:
    """The rule that `spelling` names.

    Parameters
    ----------
    spelling
        A name in `RULES`, after the names of any number of `PREAGGREGATIONS` in the order in which they
        are applied, joined by ``+``.
    malicious, smoothing
        See `Rule`.
    reference
        Public records, for a rule that has a field of that name.

    Raises
    ------
    ValueError
        If a name is unknown, or the rule takes no pre-aggregations.
    """
    *before, name = spelling.split("+")
    kind = RULES[name]
    more: dict[str, Any] = {}
    if before:
        if not issubclass(kind, PointRule):
            raise ValueError(
                f"the rule {name!r} combines statistics, not points: nothing can come before it, "
                f"got {spelling!r}"
            )
        more["before"] = tuple(PREAGGREGATIONS[step]() for step in before)
    if "reference" in kind.__dataclass_fields__:
        more["reference"] = reference
    return kind(smoothing=smoothing, malicious=malicious, **more)
