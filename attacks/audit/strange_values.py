"""L1: values that no schema has: refused at the node, or some ordinary value, whatever stands beside them."""

import numpy as np
import pandas as pd

from attacks.audit.finding import Finding
from attacks.audit.neighbours import Neighbours
from attacks.audit.target import Target, Values

UNLISTED = ("no such level", None, float("nan"))
UNMEASURED = (float("nan"), float("inf"), float("-inf"), None, "no number")
"""What a column of text and one of numbers must not hold."""

BESIDE = 5
"""Records before and behind which one with such a value is read, too."""


def unencodable(target: Target, neighbours: Neighbours) -> Finding:
    """What no schema has must be refused at the node, or become some ordinary value."""
    check = "what the schema does not have is refused at the node"
    schema = target.schema
    wrong: list[tuple[str, object]] = [(schema.label, "no such class"), (schema.label, None)]
    for feature in schema.features:
        text = feature.bounds is None
        wrong += [(feature.name, value) for value in (UNLISTED if text else UNMEASURED)]
    refused, odd = 0, neighbours.pool.head(1).astype(object)
    high = neighbours.pool.iloc[[neighbours.corner] * BESIDE].astype(object)
    for name, value in wrong:
        odd[name] = pd.Series([value], dtype=object)
        alone = _read(target, odd, 0)
        beside = _read(target, pd.concat([high, odd, high], ignore_index=True), len(high))
        odd[name] = pd.Series([neighbours.pool[name].iloc[0]], dtype=object)
        if not (alone is beside is None) and not _equal(alone, beside):
            return Finding("L1", check, "FAIL", f"{value!r} in {name!r} is read by the records beside it")
        if alone is None:
            refused += 1
            continue
        values = alone
        if not np.isfinite(values).all():
            return Finding("L1", check, "FAIL", f"{value!r} in {name!r} is released")
    rest = "" if refused == len(wrong) else "; others become ordinary ones"
    return Finding("L1", check, "PASS", f"{refused} of {len(wrong)} such values{rest}")


def _read(target: Target, frame: pd.DataFrame, at: int) -> Values | None:
    """What a node with one of the records releases without noise, read beside all; `None` if refused."""
    try:
        return target.replay(target.encode(frame)[np.array([at])], traced=False).values
    except ValueError:
        return None


def _equal(one: Values | None, other: Values | None) -> bool:
    return one is not None and other is not None and np.array_equal(one, other, equal_nan=True)
