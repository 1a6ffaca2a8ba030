"""L1: rounds of other records that open the same rows: what follows the opened rows must end alike."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attacks.audit.recording import SharedSource
from attacks.audit.target import Frozen
from protocols.errors import Abort
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import Floats
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.federation.round import Contributions, Round
from securenb.schema.records import Records

COMPANY = 20
"""Records of nodes that are company: enough for rules that need every class in a row."""

RATIO = 1.25
"""Between numbers of records that are tried: a band that is wider is met, wherever it lies."""


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


def sizes(most: int, ratio: float) -> Sequence[int]:
    """Numbers of records up to `most`, so far apart."""
    found = [0, 1]
    while found[-1] < most:
        found.append(min(most, max(found[-1] + 1, round(found[-1] * ratio))))
    return found


def peeking_by_size(federation: Federation, nodes: Sequence[Node], records: Records, *, noisy: bool) -> str:
    """What differs in the ends of rounds that open the same rows, for more and more records.

    Each round is opened twice: after it was prepared, and after the next one was. So a model that looks past
    opened rows in a band, of what they hold or of what records are, is met within it, and at its edges.

    Parameters
    ----------
    records
        Of which the first node holds more and more.
    noisy
        Whether rows have noise; then the other nodes have `COMPANY` records each, besides, and fewer numbers
        are tried.

    Raises
    ------
    ValueError
        If not one of the rounds ends.
    """
    sources = None if noisy else SharedSource(Frozen())
    seeded = replace(federation, seed=federation.seed or 0, sources=sources)
    before: tuple[int, Contributions, NaiveBayes | Refused] | None = None
    ended, why = 0, "no round can be prepared"
    others = records[: COMPANY * noisy]
    for size in sizes(len(records), RATIO**2 if noisy else RATIO):
        holders = [replace(node, records=records[:size] if node is nodes[0] else others) for node in nodes]
        try:
            sent = seeded.prepare(holders)
        except (ValueError, Abort) as error:
            why = str(error)
            continue
        if before is not None:
            held, kept, told = before
            again = _told(seeded, kept)
            if difference := _told_apart(told, again):
                return f"{difference} ({held} records sent, then {size} held)"
            ended += isinstance(told, NaiveBayes)
            why = why if isinstance(told, NaiveBayes) else told.why
        before = size, sent, _told(seeded, sent)
    if not ended:
        raise ValueError(why)
    return ""


def concludes(federation: Federation, nodes: Sequence[Node]) -> bool:
    """Whether the rule makes a model of rounds of these nodes, if all hold a few records of every kind."""
    schema, rng = federation.layout, np.random.default_rng(0)
    codes = [rng.integers(feature.size, size=COMPANY) for feature in schema.features]
    labels = np.arange(COMPANY) % len(schema.classes)
    some = Records(np.stack(codes, axis=1).astype(np.int32), labels.astype(np.int32))
    some = some[: federation.record_cap]
    quiet = replace(federation, seed=federation.seed or 0, sources=SharedSource(Frozen()))
    try:
        sent = quiet.prepare([replace(node, records=some) for node in nodes])
    except (ValueError, Abort):
        return False
    return isinstance(_told(quiet, sent), NaiveBayes)


def _told(federation: Federation, sent: Contributions) -> NaiveBayes | Refused:
    """The model of what was sent, or why there is none."""
    try:
        opened, _, _ = federation.opened(sent, by="ideal")
        return federation.readout.model(opened)
    except (ValueError, Abort) as error:
        return Refused(str(error))


def _told_apart(one: NaiveBayes | Refused, other: NaiveBayes | Refused) -> str:
    """How two ends of a round differ, in words."""
    if isinstance(one, Refused) or isinstance(other, Refused):
        same = isinstance(one, Refused) and isinstance(other, Refused) and one.why == other.why
        return "" if same else "whether the model is refused depends on records"
    return _models_differ(one, other)


def _models_differ(one: NaiveBayes, other: NaiveBayes) -> str:
    if not _same(one.parameters.table, other.parameters.table):
        return "the model depends on records other than through the opened rows"
    kept = [
        {name: value for name, value in vars(model).items() if name != "parameters"} for model in (one, other)
    ]
    if repr(kept[0]) != repr(kept[1]):
        return "what the model keeps depends on records other than through the opened rows"
    return ""


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


def _same(one: Floats, other: Floats) -> bool:
    return np.array_equal(one, other, equal_nan=True)


def _difference(one: Round | Refused, other: Round | Refused) -> str:
    if isinstance(one, Refused) or isinstance(other, Refused):
        return "whether the model is refused depends on records"
    if not np.array_equal(one.opened.rows, other.opened.rows):
        return "rows differ though the same vectors were sent"
    if difference := _models_differ(one.model, other.model):
        return difference
    if one.learned != other.learned:
        return "what the round says depends on records"
    if one.ledger.releases != other.ledger.releases or one.refused != other.refused:
        return "the ledger, or who is refused, depends on records"
    return ""
