"""What the ends of a round tell: the rows that it opens, and the model that it makes of them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attacks.audit.black_box.outputs import Outputs, finite
from protocols.errors import Abort
from securenb.bayes.parameters import Floats
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.schema.records import Records


def opened_of_nothing(federation: Federation, nodes: Sequence[Node]) -> Sequence[Sequence[str]]:
    """Members of the rows that a round of nodes without records opens."""
    sent = federation.prepare([replace(node, records=node.records[:0]) for node in nodes])
    try:
        return federation.open(sent, by="ideal").opened.members
    except ValueError:  # a rule may refuse such rows: they are opened all the same
        return federation.opened(sent, by="ideal")[0].members


def ends(
    federation: Federation, nodes: Sequence[Node], records: Records, seeds: Sequence[int], *, rows: bool
) -> Outputs:
    """What whole rounds open and learn, one a seed, if the first node holds these records.

    Parameters
    ----------
    rows
        Whether the opened rows are seen besides the model.
    """
    holders = [replace(node, records=records) if node is nodes[0] else node for node in nodes]
    outcomes: list[str] = []
    values: list[Floats | None] = []
    # rounds without their ledgers, which replays look at
    for seed in seeds:
        try:
            run = replace(federation, seed=seed, sources=None)
            opened, _, _ = run.opened(run.prepare(holders), by="ideal")
            model = run.readout.model(opened)
        except (ValueError, Abort) as error:
            outcomes.append(f"is refused: {str(error)[:60]}")
            values.append(None)
            continue
        seen = [opened.rows.ravel()] if rows else []
        values.append(np.concatenate([*seen, model.parameters.table.ravel()]).astype(np.float64))
        outcomes.append("ends")
    width = max((len(value) for value in values if value is not None), default=0)
    same = [value if value is not None and len(value) == width else np.zeros(width) for value in values]
    table = np.array(same).reshape(len(values), width)
    return Outputs(np.array(outcomes), finite(table), (~np.isfinite(table)).sum(axis=1).astype(np.float64))
