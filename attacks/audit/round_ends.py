"""What the ends of a round tell: cells that share noise, and models that look past the opened rows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attacks.audit.black_box.outputs import Outputs, finite
from attacks.audit.recording import SharedSource
from attacks.audit.round_runs import learned
from attacks.audit.target import Frozen, Tape, Values
from protocols.errors import Abort
from securenb.bayes.parameters import Floats
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.federation.round import Contributions, Round
from securenb.privacy.samplers import Noise
from securenb.schema.records import Records

COMPANY = 20
"""Records of nodes that are company: enough for rules that need every class in a row."""


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
    sender = learned(lambda sources: release(sources("any")))
    if sender is not None and len(set(sender.lands.tolist()) - {-1}) == len(nothing):
        return []  # each cell has a draw of its own
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


def opened_of_nothing(federation: Federation, nodes: Sequence[Node]) -> Sequence[Sequence[str]]:
    """Members of the rows that a round of nodes without records opens."""
    sent = federation.prepare([replace(node, records=node.records[:0]) for node in nodes])
    try:
        return federation.open(sent, by="ideal").opened.members
    except ValueError:  # a rule may refuse such rows: they are opened all the same
        return federation.opened(sent, by="ideal")[0].members


@dataclass(frozen=True, eq=False)
class Refused:
    """A round that ended without a model.

    Attributes
    ----------
    why
        What it was refused for.
    made
        What post-processing and the rule had made of the opened rows by then.
    """

    why: str
    made: Sequence[Floats] = ()


def peeking(
    federation: Federation,
    nodes: Sequence[Node],
    before: Records,
    after: Records,
    *,
    company: bool = False,
    noisy: bool = True,
) -> str:
    """What differs in the ends of two rounds of different records that open the same rows, in words.

    The first node holds the records. The second round is prepared with its own, and opens what the first one
    sent.

    Parameters
    ----------
    company
        Whether the other nodes hold some of the records, too, or none.
    noisy
        Whether what the first round sent has noise: what looks for rows near the exact ones seldom finds any
        that have.

    Raises
    ------
    ValueError
        If neither of the two rounds ends, and what they came to is the same.
    """
    others = max(before, after, key=len)[: COMPANY * company]
    ends = _ended(federation, nodes, (before, after), others, noisy=noisy)
    if ends is None:
        return "who is summed with whom depends on records"
    one, other = ends
    if isinstance(one, Refused) and isinstance(other, Refused) and one.why == other.why:
        if len(one.made) != len(other.made) or not all(map(_same, one.made, other.made)):
            return "what the rule makes of the opened rows depends on records besides"
        raise ValueError(one.why)
    return _difference(one, other)


def _ended(
    federation: Federation, nodes: Sequence[Node], both: Sequence[Records], others: Records, *, noisy: bool
) -> list[Round | Refused] | None:
    """Two rounds that open the same rows, or why there are none; `None` if they have other groups."""
    ends: list[Round | Refused] = []
    kept: Contributions | None = None
    sources = None if noisy else SharedSource(Frozen())
    seeded = replace(federation, seed=federation.seed or 0, sources=sources)
    for records in both:
        holders = [replace(node, records=records if node is nodes[0] else others) for node in nodes]
        try:
            sent = seeded.prepare(holders)
        except (ValueError, Abort) as error:
            ends.append(Refused(str(error)))
            continue
        kept = kept or sent
        if sent.groups != kept.groups or sent.vectors.keys() != kept.vectors.keys():
            return None
        try:
            ends.append(seeded.open(kept, by="ideal"))
        except (ValueError, Abort) as error:
            ends.append(Refused(str(error), list(_made(seeded, kept))))
    return ends


def _made(federation: Federation, sent: Contributions) -> Iterator[Floats]:
    """What post-processing and the rule make of the opened rows, as far as they come."""
    try:
        opened, _, _ = federation.opened(sent, by="ideal")
        rule, rows = federation.readout.ready(opened)
        yield rows.tables.astype(np.float64)
        yield rule.combine(rows).table
    except (ValueError, Abort):
        return


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


def _same(one: Floats, other: Floats) -> bool:
    return np.array_equal(one, other, equal_nan=True)


def _difference(one: Round | Refused, other: Round | Refused) -> str:
    if isinstance(one, Refused) or isinstance(other, Refused):
        return "whether the model is refused depends on records"
    if not np.array_equal(one.opened.rows, other.opened.rows):
        return "rows differ though the same vectors were sent"
    if not _same(one.model.parameters.table, other.model.parameters.table):
        return "the model depends on records other than through the opened rows"
    pooled = [None if end.model.pooled is None else end.model.pooled for end in (one, other)]
    if repr(pooled[0]) != repr(pooled[1]) or one.learned != other.learned:
        return "what the round says depends on records"
    if one.ledger.releases != other.ledger.releases or one.refused != other.refused:
        return "the ledger, or who is refused, depends on records"
    return ""
