"""What the ends of a round tell: cells that share noise, and models that look past the opened rows."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from attacks.audit.target import Frozen, Tape, Values
from protocols.errors import Abort
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.federation.round import Contributions, Round
from securenb.privacy.samplers import Noise
from securenb.schema.records import Records


def free_of_noise(release: Callable[[Noise], Values], names: Sequence[str]) -> Sequence[str]:
    """Sums of cells that no noise reaches: tapes of noise that span fewer dimensions than there are cells.

    Parameters
    ----------
    release
        What is released of no records, (d,), given the noise.
    names
        Of the cells.
    """
    nothing = release(Frozen())
    tapes = range(len(nothing) + 8)
    span = np.array([release(Tape(seed)) - nothing for seed in tapes], dtype=np.float64)
    _, sizes, axes = np.linalg.svd(span / 2.0**30)
    dead = axes[np.count_nonzero(sizes > 1e-9 * max(float(sizes.max()), 1e-300)) :]
    found = []
    for axis in dead[:3]:
        strongest = np.argsort(-np.abs(axis), kind="stable")[:3]
        cells = ", ".join(names[at] for at in strongest if abs(axis[at]) > 1e-6)
        found.append(f"no noise in a sum of {cells}")
    return found


def peeking(federation: Federation, nodes: Sequence[Node], before: Records, after: Records) -> str:
    """What differs in the ends of two rounds of different records that open the same rows, in words.

    The first node holds the records. The second round is prepared with its own, and opens what the first
    one sent.
    """
    ends: list[Round | str] = []
    kept: Contributions | None = None
    for records in (before, after):
        seeded = replace(federation, seed=federation.seed or 0)
        holders = [replace(node, records=records if node is nodes[0] else node.records[:0]) for node in nodes]
        sent = seeded.prepare(holders)
        kept = kept or sent
        try:
            ends.append(seeded.open(kept, by="ideal"))
        except (ValueError, Abort) as error:
            ends.append(str(error))
    return _difference(*ends)


def _difference(one: Round | str, other: Round | str) -> str:
    if isinstance(one, str) or isinstance(other, str):
        return "" if one == other else "whether the model is refused depends on records"
    if not np.array_equal(one.opened.rows, other.opened.rows):
        return "rows differ though the same vectors were sent"
    if not np.array_equal(one.model.parameters.table, other.model.parameters.table, equal_nan=True):
        return "the model depends on records other than through the opened rows"
    if one.ledger.releases != other.ledger.releases or one.refused != other.refused:
        return "the ledger, or who is refused, depends on records"
    return ""
