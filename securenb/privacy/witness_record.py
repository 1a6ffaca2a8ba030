"""What witness cells showed, as plain values that a file keeps, and in words."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from securenb.privacy.event import Event
from securenb.privacy.witness_bounds import CONFIDENCE, FARTHEST
from securenb.privacy.witnesses import ALARM, Finding, Found, Reading, Witnesses

FILE = "witnesses.json"
"""Where a run folder keeps the witness cells of its rounds, by protocol."""

MEANINGS: dict[Found, str] = {
    "as claimed": "nothing speaks against the claim",
    "shares missing": "shares of noise are missing; the claim still holds: nothing speaks against a dose",
    "claim broken": "THE CLAIM IS BROKEN: the row carries less noise than the claim counts on",
}

MOST_SHARES = 1 << 24
"""Shares of a row that is read from a file."""

SHOWN = 8
"""Rows that are told one by one."""


def encoded(witnesses: Witnesses) -> dict[str, Any]:
    """The cells, with what it takes to judge them again, and what was found."""
    return {
        "event": witnesses.event.encoded(),
        "delta": witnesses.delta,
        **summary(witnesses),
        "readings": [
            {
                "what": reading.what,
                "honest": reading.honest,
                "shares": reading.shares,
                "known": reading.known,
                "cells": reading.cells.tolist(),
            }
            for reading in witnesses.readings
        ],
    }


def summary(witnesses: Witnesses) -> dict[str, Any]:
    """What was found: the verdict, bounds on epsilon, powers, and each row."""
    return {
        "found": witnesses.found,
        "cells": witnesses.cells,
        "epsilon": asdict(witnesses.bounds),
        "powers": witnesses.powers(),
        "findings": [asdict(finding) for finding in witnesses.findings],
    }


def decoded(values: Mapping[str, Any]) -> Witnesses:
    """The cells of `encoded`; what was found is not read but found again.

    Raises
    ------
    ValueError, KeyError, TypeError, OverflowError
        If that is not what the values are.
    """
    readings = []
    for each in values["readings"]:
        honest, shares, known, cells = each["honest"], each["shares"], each["known"], each["cells"]
        if not all(type(number) is int for number in (honest, shares, known, *cells)):
            raise TypeError("cells and shares are integers")
        if (
            not 1 <= honest <= honest + known <= shares <= MOST_SHARES
            or len(cells) != len(values["readings"][0]["cells"])
            or not cells
        ):
            raise ValueError("rows have equally many cells, and at least as many shares as make a dose")
        readings.append(Reading(str(each["what"]), honest, shares, np.array(cells, dtype=np.int64), known))
    if not readings:
        raise ValueError("no row was read")
    return Witnesses(Event.decoded(values["event"]), float(values["delta"]), tuple(readings))


def write(folder: Path, rounds: Mapping[str, Witnesses | None]) -> None:
    """Keep the cells of some rounds in a run folder, by protocol; nothing if there are none."""
    kept = {name: encoded(each) for name, each in rounds.items() if each is not None}
    if kept:
        (folder / FILE).write_text(json.dumps(kept) + "\n", encoding="utf-8")


def read(folder: Path) -> dict[str, Witnesses]:
    """The cells that a run folder keeps.

    Raises
    ------
    ValueError
        If there are none, or none that can be read, naming the file.
    """
    path = folder / FILE
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): decoded(each) for name, each in values.items()}
    except FileNotFoundError:
        raise ValueError(f"{path} is not there: the run had no witness cells (--witnesses)") from None
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, OverflowError, AttributeError):
        raise ValueError(f"{path} holds no witness cells that can be read") from None


def ending(found: Iterable[Witnesses | None]) -> int:
    """The exit code of a command whose rounds had these cells: 1 if the claim is broken in one."""
    return int(any(each is not None and each.found == "claim broken" for each in found))


def report(witnesses: Witnesses) -> str:
    """Findings, bounds and powers, in lines for people."""
    count = len(witnesses.readings)
    rows = "one row" if count == 1 else f"each of {count} readings"
    lines = [f"witnesses: {witnesses.cells:,} cells that no record touches, in {rows}"]
    worst = sorted(witnesses.findings, key=lambda finding: (finding.missing, finding.broken))
    lines += [f"  {_told(witnesses, finding)}" for finding in worst[:SHOWN]]
    if count > SHOWN:
        lines.append(f"  … and {count - SHOWN} that show more noise than these")
    lines.append(
        f"  {MEANINGS[witnesses.found]}; an honest round has a finding in at most {ALARM:g} of cases"
    )
    bounds = witnesses.bounds
    claim = f"epsilon of a row, claimed {bounds.claimed:.6g}, with {CONFIDENCE:.0%} confidence:"
    lines.append(
        f"  {claim} {_ends(bounds.lower, bounds.upper)} if only the width of all shares is in doubt; "
        f"{_ends(None, bounds.shares)} if only their number is"
    )
    powers = ", ".join(f"{what} {power:.0%}" for what, power in witnesses.powers().items())
    lines.append(f"  so many cells find: {powers}")
    odd = [finding.what for finding in witnesses.findings if finding.shape <= witnesses.level]
    if odd:
        lines.append(f"  note, no verdict (one node can force it): values of {odd[0]} have another shape")
    return "\n".join(lines)


def _told(witnesses: Witnesses, finding: Finding) -> str:
    reading = next(reading for reading in witnesses.readings if reading.what == finding.what)
    told = f"{finding.what}: {finding.found}; so little noise has probability {finding.missing:.2g} at "
    if reading.doses == reading.needed:
        return told + _doses(reading.doses)
    counted = f", {finding.broken:.2g} at the {_doses(reading.needed)} that the claim counts on"
    return told + _doses(reading.doses) + counted


def _doses(doses: Fraction) -> str:
    return f"{float(doses):.4g} dose{'s' if doses != 1 else ''}"


def _ends(lower: float | None, upper: float | None) -> str:
    above = f"beyond {FARTHEST} times the claim, if at all" if upper is None else f"at most {upper:.4g}"
    return above if lower is None else f"at least {lower:.4g} and {above}"
