"""The search in a committee of holders, and among the helpers of `verified`."""

import time
from dataclasses import replace
from itertools import combinations_with_replacement

from attacks.prove.committee_play import Lie
from attacks.prove.committee_play import play as play_lists
from attacks.prove.finding import Finding, Verdict
from attacks.prove.question import MOST_LISTS, Question
from protocols.one_list import ConfirmingCommittee
from protocols.party import PartyId
from protocols.protocol import PROTOCOLS


def lies_to_a_committee(question: Question) -> Finding:
    """See `attacks.prove.search.prove`."""
    begin = time.monotonic()
    kind = PROTOCOLS[question.protocol]
    default = kind.for_tests()
    assert isinstance(default, ConfirmingCommittee)
    holders = default.holders if question.holders is None else question.holders
    quorum = default.quorum if question.quorum is None else question.quorum
    corrupt = question.corrupt
    if not 1 <= quorum <= holders or corrupt > holders:
        raise ValueError(
            f"--quorum is from 1 to the {holders} holders and --corrupt at most {holders}, "
            f"got {quorum} and {corrupt}"
        )
    searched = (
        f"{holders} holders, {quorum} confirm a list before it is answered, {corrupt} corrupt, who confirm "
        f"every list; every way to tell {MOST_LISTS} lists to the others, and any relaying of confirmations"
    )
    names = [name for name in default.trustee_ids(()) if name.startswith("holder")]
    first = int(names[0].split("-")[1])
    names = [f"holder-{i}" for i in range(first, first + holders)]
    planned = _built(default, holders, quorum, corrupt) is not None
    if corrupt >= quorum:
        line = f"{corrupt} corrupt holders are a quorum by themselves: they open any list"
        return Finding(Verdict.BROKEN, searched, (line,), None, planned)
    honest = names[: holders - corrupt]
    for told in combinations_with_replacement(range(MOST_LISTS), len(honest)):
        if time.monotonic() - begin > question.seconds:
            return Finding(Verdict.UNDECIDED, searched, planned=planned)
        answered = [i for i in set(told) if told.count(i) + corrupt >= quorum]
        if len(answered) > 1:
            return _opened(question, default, (holders, quorum), names, told, searched, planned=planned)
    return Finding(Verdict.INFEASIBLE, searched, planned=planned)


def _built(
    default: ConfirmingCommittee, holders: int, quorum: int, corrupt: int
) -> ConfirmingCommittee | None:
    try:
        return replace(default, holders=holders, quorum=quorum, corrupt_holders=corrupt)
    except ValueError:
        return None


def _opened(
    question: Question,
    default: ConfirmingCommittee,
    size: tuple[int, int],
    names: list[PartyId],
    told: tuple[int, ...],
    searched: str,
    *,
    planned: bool,
) -> Finding:
    """The attack, played against parties that declare fewer corrupt holders than there are."""
    nodes = question.names
    shortest = question.threshold
    lists = (nodes, nodes[:shortest], nodes[-shortest:])
    honest = names[: len(told)]
    lie = Lie(lists, dict(zip(honest, told, strict=True)), frozenset(names[len(told) :]))
    lines = [
        f"work with the server: {', '.join(sorted(lie.corrupt)) or 'none'}",
        *(f"list {i}: {', '.join(members)}" for i, members in enumerate(lists) if i in told),
    ]
    protocol = _built(replace(default, threshold=question.threshold), *size, 0)
    if protocol is None or shortest == len(nodes):
        lines += [f"{holder} is told list {i}, and has it confirmed" for holder, i in lie.told.items()]
        return Finding(Verdict.BROKEN, searched, tuple(lines), None, planned)
    played = play_lists(protocol, nodes, lie)
    return Finding(Verdict.BROKEN, searched, (*lines, *played.lines), played.broken and played.exact, planned)


def lies_to_helpers(question: Question) -> Finding:
    """See `attacks.prove.search.prove`."""
    helpers = 1 if question.holders is None else question.holders
    if not helpers >= 1 or question.corrupt > helpers:
        raise ValueError(
            f"--holders is at least 1 helper and --corrupt at most all, got {helpers}, {question.corrupt}"
        )
    searched = (
        f"{helpers} helpers, {question.corrupt} corrupt with the leader; every list that honest ones may be "
        "told: their shares are independent and uniform, so sums over different lists cancel nowhere"
    )
    if question.corrupt < helpers:
        return Finding(Verdict.INFEASIBLE, searched, planned=True)
    line = "leader and all helpers add their shares of one node: its vector"
    return Finding(Verdict.BROKEN, searched, (line,), None, planned=False)
