"""How much each opened row matters: what changes when it is left out. No raw values, only changes."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from protocols.opened import Opened
from securenb.bayes.parameters import Floats
from securenb.federation.federation import Federation
from securenb.robust.rule import Rows, Rule
from securenb.schema.records import Records

STANDS_OUT = "stands out"
STANDING_OUT = 5.0
"""A row stands out if its influence is this many median absolute deviations above the median."""
MOST_ROWS = 300
"""Of more rows nothing is reported by default: every row takes another combination of all the others."""


def influences(
    rule: Rule, rows: Rows, reference: Records, refined: Callable[[Rows], Rows] = lambda rows: rows
) -> pd.DataFrame:
    """Leave-one-out influence of each row on the log-odds of public records.

    Parameters
    ----------
    rule
        As it was used; with a row left out it must withstand one malicious row fewer, if it can at all.
    rows
        As opened.
    reference
        Public records; their labels are not used.
    refined
        What is done to rows before they are combined, such as `Federation.refined`.

    Returns
    -------
    pandas.DataFrame
        A line for each row, in the order of `rows`: `row`, `members`, `mean_change` and `largest_change`
        of the log-odds between the two most probable classes of a record, in nats; `changed`, the share of
        records whose verdict changes; `verdict`: ``stands out``, ``ordinary``, or ``indispensable`` if the
        rule cannot do without the row. Nothing of the row itself.
    """
    whole = rule.model(refined(rows)).log_joint(reference.codes)
    lines = []
    for index in range(len(rows.sizes)):
        others = np.arange(len(rows.sizes)) != index
        line = {"row": index, "members": int(rows.sizes[index])}
        try:
            rest = Rows(rows.schema, rows.tables[others], rows.sizes[others])
            allowed = min(rule.malicious, max(rule.tolerance(len(rest.sizes)), 0))
            model = replace(rule, malicious=allowed).model(refined(rest))
            without = model.log_joint(reference.codes)
        except ValueError:
            lines.append(line | dict.fromkeys(("mean_change", "largest_change", "changed"), np.nan))
            continue
        change = np.abs(_log_odds(whole, whole) - _log_odds(without, whole))
        lines.append(
            line
            | {
                "mean_change": float(change.mean()),
                "largest_change": float(change.max()),
                "changed": float(np.mean(whole.argmax(axis=1) != without.argmax(axis=1))),
            }
        )
    table = pd.DataFrame(lines)
    known = table["mean_change"].dropna()
    middle = float(known.median()) if len(known) else 0.0
    spread = float((known - middle).abs().median()) if len(known) else 0.0
    limit = middle + STANDING_OUT * max(spread, 1e-12)
    out = np.where(table["mean_change"] > limit, STANDS_OUT, "ordinary")
    table["verdict"] = np.where(table["mean_change"].isna(), "indispensable", out)
    return table


def influences_in(federation: Federation, opened: Opened, reference: Records) -> pd.DataFrame:
    """The influence of each row that a round of this federation opened."""
    rule, _ = federation.readout.ready(opened)
    rows = federation.readout.rows(opened)
    return influences(rule, rows, reference, federation.readout.refined)


def _log_odds(joint: Floats, by: Floats) -> Floats:
    """Of the two classes that `by` finds most probable, for each record."""
    first, second = np.argsort(-by, axis=1, kind="stable")[:, :2].T
    records = np.arange(len(joint))
    odds: Floats = joint[records, first] - joint[records, second]
    return odds
