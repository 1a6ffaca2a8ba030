"""The witness cells of a round: whose noise they should carry, and who reads them."""

from collections.abc import Iterable
from dataclasses import replace
from inspect import signature

from protocols.grouping import Groups
from protocols.opened import Opened
from protocols.validity import Form, Range, Validity
from securenb.federation.noise_plan import NodeShares, NoisePlan, WholeDoses
from securenb.privacy.ledger import Ledger
from securenb.privacy.mechanism import Mechanism
from securenb.privacy.witness_law import check_kind, check_tabulated, witnessed_law
from securenb.privacy.witnesses import Reading, Witnesses, check_count
from securenb.schema.schema import Schema

EMPTY = "a witness cell is not empty"


def check_witnesses(witnesses: int, mechanism: Mechanism, layout: Schema) -> None:
    """Refuse, with a `ValueError`, as many cells as no test can use, and noise of which they cannot tell."""
    if not witnesses:
        return
    check_count(witnesses)
    if mechanism.joint(layout) is not None or "witnesses" not in signature(mechanism.share).parameters:
        raise ValueError(
            f"witnesses know noise of single cells, not that of {mechanism}: leave out witnesses"
        )
    for block in layout.blocks:
        check_kind(mechanism.noise(layout, block, 1))
    witnessed_law(mechanism.noise(layout, layout.blocks[0], 1))


def check_rows(noise: NoisePlan, sizes: Iterable[int]) -> None:
    """Refuse, with a `ValueError`, rows whose noise no test could tabulate, before anything is sent."""
    first = noise.schema.blocks[0]
    for size in set(sizes) if noise.witnesses else ():
        shares = noise.honest(size), noise.contributors(size)
        check_tabulated(noise.mechanism.noise(noise.schema, first, *shares))


def both(earlier: Witnesses | None, later: Witnesses | None) -> Witnesses | None:
    """The witness cells of two rounds."""
    return later if earlier is None else earlier if later is None else earlier.and_then(later)


def with_witnesses(rules: Validity, witnesses: int) -> Validity:
    """The rules of vectors, and that nothing is in the witness cells behind them."""
    if not witnesses:
        return rules
    cells = range(rules.length, rules.length + witnesses)
    empty = tuple(Range(EMPTY, Form(((cell, 1),)), 0) for cell in cells)
    return replace(rules, length=cells.stop, ranges=(*rules.ranges, *empty))


def witnesses_of(noise: NoisePlan, groups: Groups, opened: Opened, ledger: Ledger) -> Witnesses | None:
    """The witness cells of the rows that a round opened; `None` where there are none.

    Where aggregators add whole doses, each of them reads every row without its own draws: the doses of
    the others are left, and one of those is to be there.

    Parameters
    ----------
    groups
        Who was to be summed with whom.
    ledger
        What these rows are charged, row by row; says how many shares make a dose.
    """
    if not noise.witnesses or not len(opened.rows):
        return None
    charged = [release for release in ledger.releases if release.seen == "row"]
    event = charged[0].event
    assert event is not None, "noise that has witnesses has a law"
    place = {node: index for index, group in enumerate(groups) for node in group}
    readings = []
    for index, (row, members) in enumerate(zip(opened.rows, opened.members, strict=True)):
        cells, among = row[noise.schema.length :], charged[index].among
        what = f"row {index} of {len(members)} node{'s' if len(members) > 1 else ''}"
        if not isinstance(noise, WholeDoses):
            known = noise.colluding if isinstance(noise, NodeShares) else 0
            readings.append(Reading(what, among, len(members), cells, known))
            continue
        for (who, group), drawn in sorted(noise.own.items()):
            if group == place[members[0]]:
                less = f"{what} without the draws of {who}"
                readings.append(Reading(less, among, noise.aggregators - 1, cells - drawn))
    # of a row whose doses others drew, this party knows no draws
    return Witnesses(event, noise.mechanism.delta, tuple(readings)) if readings else None
