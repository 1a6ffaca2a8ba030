"""Which predictions nothing that malicious nodes send can make wrong, where the truth of the others is known.

The lower end of what is known of an attack: a measurement that knows who is malicious can leave them out,
and look at every place that they could carry the model to. Records are attacked one by one, which is what
a targeted attack does; an attack on all of them at once does less.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from protocols.opened import Opened
from protocols.party import PartyId
from protocols.ring import Integers
from securenb.bayes.model import balanced_accuracy
from securenb.bayes.parameters import Floats
from securenb.bayes.staircase.estimate import scores, shares
from securenb.bayes.voting import Voting
from securenb.certify.certificate import certify_sums
from securenb.certify.reach import has_reach
from securenb.federation.readout import Readout
from securenb.robust.rule import Rows
from securenb.robust.rules.flcert import Flcert
from securenb.robust.rules.staircase import Staircase
from securenb.schema.cells import Codes
from securenb.schema.increments import Increments
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics


def certainly_right(
    readout: Readout, opened: Opened, forged: Mapping[PartyId, Integers], test: Records, most_added: int
) -> float:
    """Balanced accuracy counting only predictions that no attack by these nodes makes wrong.

    NaN, an open end, where nothing of the kind is known: nothing is proven, the rule is another, or a kind of
    feature has no certificate.

    Parameters
    ----------
    forged
        What the malicious nodes sent of what was summed, (d,) by name; what was refused has no part.
    most_added
        The most records that malicious nodes may prove to hold.
    """
    rule = readout.rule
    if isinstance(rule, Staircase):
        least, most = _of_boxes(readout, rule, opened, forged, test.codes)
    elif isinstance(rule, Flcert):
        least, most = _of_votes(readout, rule, opened, forged, test.codes)
    elif rule.pools and readout.registry is not None:
        return _of_sums(readout, opened, forged, test, most_added)
    else:
        return math.nan
    return round(surely(least, most, test.labels), 6)


def surely(least: Floats, most: Floats, labels: NDArray[np.int32]) -> float:
    """Balanced accuracy of what is right with its class at its least, the others at their most, (n, C)."""
    at = np.arange(len(labels))
    rivals = most.copy()
    rivals[at, labels] = -np.inf
    won = least[at, labels] > rivals.max(axis=1)
    return balanced_accuracy(labels, np.where(won, labels, -1))


def _of_sums(
    readout: Readout, opened: Opened, forged: Mapping[PartyId, Integers], test: Records, most_added: int
) -> float:
    """Certificates of single points, from the sum of the others: whatever so many added records are."""
    rows = readout.rows(opened)
    if not all(map(has_reach, rows.schema.features)):
        return math.nan
    honest = _without(rows, forged, readout.noise.mechanism.grid)
    others = Rows(rows.schema, honest[None], rows.sizes.sum(keepdims=True))
    noise = readout.variances(rows).sum(axis=0, keepdims=True)
    if not readout.refinement.additive(readout.rule, noise):
        return math.nan
    pooled = readout.rule.pooled(readout.refinement.refine(others, noise, readout.rule, readout.noise.tied))
    if pooled is None:
        return math.nan
    table = pooled.statistics.table
    predicted, needed = _withstood(
        rows.schema, table.tobytes(), test.codes.tobytes(), most_added, pooled.smoothing
    )
    return round(balanced_accuracy(test.labels, np.where(needed > most_added, predicted, -1)), 6)


@lru_cache(maxsize=8)
def _withstood(
    schema: Schema, table: bytes, codes: bytes, limit: int, smoothing: float
) -> tuple[Integers, Integers]:
    """Predictions and the added records that change them, (n,); the same for all attacks on a deal."""
    sums = np.frombuffer(table, dtype=np.int64).reshape(len(schema.classes), schema.width)
    points = np.frombuffer(codes, dtype=np.int32).reshape(-1, len(schema.features))
    found = certify_sums(Statistics(schema, sums), points, limit, smoothing)
    return found.predicted, found.needed


def _without(rows: Rows, forged: Mapping[PartyId, Integers], grid: int) -> Integers:
    """The sum of all rows less what malicious nodes sent, (C, width): the other nodes, and the noise."""
    sent = sum(
        (vector // grid for vector in forged.values()), start=np.zeros(rows.schema.length, dtype=np.int64)
    )
    others: Integers = rows.tables.sum(axis=0) - sent.reshape(rows.tables.shape[1:])
    return others


def _of_boxes(
    readout: Readout, rule: Staircase, opened: Opened, forged: Mapping[PartyId, Integers], codes: Codes
) -> tuple[Floats, Floats]:
    """The box theorem: the row without the malicious nodes, and with all that they may add in every cell."""
    rows = readout.rows(opened)
    layout, nodes = rows.schema, int(rows.sizes.sum())
    assert isinstance(layout, Increments)
    honest = _without(rows, forged, readout.noise.mechanism.grid)
    full = np.concatenate([np.tile(layout.steps, (1, feature.size)) for feature in layout.features], axis=1)
    ends = []
    for row in (honest, honest + len(forged) * full):
        table = np.log(scores(layout, shares(layout, row, nodes), rule.tolerate, nodes))
        total = np.tile(table[:, 0], (len(codes), 1))
        for columns, levels in zip(layout.base.columns, codes.T, strict=True):
            total += table[:, columns][:, levels].T
        ends.append(total)
    return ends[0], ends[1]


def _of_votes(
    readout: Readout, rule: Flcert, opened: Opened, forged: Mapping[PartyId, Integers], codes: Codes
) -> tuple[Floats, Floats]:
    """The honest rows' votes, and these with all of the malicious ones'; half a vote less loses every tie."""
    rows = readout.refined(readout.rows(opened))
    bad = np.array([not forged.keys().isdisjoint(members) for members in opened.members])
    if bad.all():
        nothing = np.zeros((len(codes), len(rows.schema.classes)))
        return nothing, nothing + len(bad)
    honest = Rows(rows.schema, rows.tables[~bad], rows.sizes[~bad])
    # none of these rows lies: what the rule withstands among all of them may be more than among so few
    votes = Voting(replace(rule, malicious=0).combine(honest)).votes(codes).astype(np.float64)
    return votes - 0.5 * (bad.sum() > 0), votes + float(bad.sum())
