"""L1: what rounds open, of whom, with which noise, and whom they refuse: by messages and without."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from attacks.audit.contributors import dose_of
from protocols.engines.faults import NO_FAULTS, Faults
from protocols.errors import Abort
from protocols.opened import Opened
from protocols.party import AGGREGATOR
from protocols.ring import Integers
from securenb.data.node import Node
from securenb.federation.execution import By
from securenb.federation.federation import RECORD_CAP, Federation
from securenb.federation.round import Contributions
from securenb.schema.records import Records


def opened_as_sent(federation: Federation, nodes: Sequence[Node], records: Records) -> str:
    """Whether a round opens anything but sums of what was sent, with messages or without, in words.

    Where aggregators add doses, each row must have those of all of them.

    Parameters
    ----------
    records
        Of the first node in one of the rounds, as many as the cap allows; in the other it has its own.
    """
    run = replace(federation, seed=federation.seed or 0)
    held = [replace(nodes[0], records=records[: federation.record_cap]), *nodes[1:]]
    for holders, spoken in ((nodes, False), (held, True)):
        try:
            sent = run.prepare(holders)
            ideal, _, refused = run.opened(sent, by="ideal")
            said, _, _ = run.opened(sent, NO_FAULTS) if spoken else (ideal, None, None)
        except (ValueError, Abort) as error:
            return f"no round can be run: {error}"
        if ideal.members != said.members or not np.array_equal(ideal.rows, said.rows):
            return "messages open other rows than the protocol says"
        if problem := _sums(run, sent, ideal, refused):
            return problem
    return ""


def _sums(federation: Federation, sent: Contributions, opened: Opened, refused: Mapping[str, str]) -> str:
    if len(opened.rows) != len(opened.members):
        return f"{len(opened.rows)} rows are opened, and {len(opened.members)} are said to be"
    left_out = set(sent.vectors) - {name for members in opened.members for name in members}
    if left_out or refused:
        return f"{min(left_out or refused)} is left out, within all limits"
    session, dose = federation.session(sent.groups), dose_of(federation)
    for row, members in zip(opened.rows, opened.members, strict=True):
        wanted: Integers = np.sum([sent.vectors[name] for name in members], axis=0)
        if dose is not None:
            group = session.group_of[members[0]]
            wanted = wanted + sum(dose(who, session, group) for who in (AGGREGATOR, *session.trustees))
        if not np.array_equal(row, wanted):
            doses = "" if dose is None else " and one dose of each aggregator"
            return f"the row of {len(members)} nodes is not the sum of what they sent{doses}"
    return ""


def opened_with_enough(federation: Federation, nodes: Sequence[Node]) -> str:
    """Whether a row is opened of fewer nodes than its noise, and the protocol, count on, in words."""
    run = replace(federation, seed=federation.seed or 0)
    try:
        sent = run.prepare(nodes)
    except (ValueError, Abort):
        return ""  # said elsewhere
    group = sent.groups[0]
    enough = run.protocol.survivors(len(group))
    if not run.doses:
        enough = max(enough, run.noise.honest(len(group)) + run.colluding)
    gone = group[enough - 1 :]
    left = Contributions(sent.groups, {n: vector for n, vector in sent.vectors.items() if n not in gone})
    silent = Faults(silent=dict.fromkeys(gone, 0))
    choices: Sequence[tuple[Contributions, Faults, By]] = [
        (left, NO_FAULTS, "ideal"),
        (sent, silent, "messages"),
    ]
    for vectors, faults, by in choices:
        try:
            rows, _, _ = run.opened(vectors, faults, by=by)
        except (ValueError, Abort):
            continue
        few = [members for members in rows.members if members[0] in group and len(members) < enough]
        if few:
            return f"a row of {len(few[0])} of {len(group)} nodes is opened, {enough} are needed"
    return ""


def cap_heeded(federation: Federation, records: Records) -> str:
    """Whether a node with one record more than the public cap takes part, in words."""
    cap = federation.record_cap
    if cap > RECORD_CAP or not len(records):
        return ""
    group = federation.grouped([f"node-{at}" for at in range(federation.group_size or 9)])[0]
    try:
        federation.contribution(
            Node(group[0], records[np.resize(np.arange(len(records)), cap + 1)]), len(group)
        )
    except ValueError:
        return ""
    return f"a node with {cap + 1} records takes part, and the cap is {cap}"


def noise_of_later_rounds(federation: Federation, nodes: Sequence[Node]) -> str:
    """Whether nodes that contribute to a second round draw the noise of the first again, in words."""
    run = replace(federation, seed=federation.seed or 0, sources=None)
    if run.doses:  # named by the session, which no two rounds share
        return ""
    try:
        first = run.run(nodes, by="ideal")
    except (ValueError, Abort):
        return ""  # said elsewhere
    node, size = nodes[0], max(map(len, first.opened.members))
    if np.array_equal(run.share(node, size), run.share(node, size, first)):
        return f"{node.id} adds the same noise to two rounds: their difference has none"
    return ""
