"""What methods promise, as tables: asked of the code, or read off pages that tests hold to the code."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from attacks.deviation import MEANING
from protocols.errors import Abort
from securenb.robust.centre_rule import PointRule
from securenb.schema.records import Records

DEVIATIONS = Path(__file__).resolve().parents[1] / "protocols" / "deviations.md"
ROWS = (5, 10, 20, 50, 100)
SIZES = (3, 10, 100)


def nothing(name: str, kind: Any) -> Iterator[str]:
    """No more than its prose says."""
    yield from ()


def of_rule(name: str, kind: Any) -> Iterator[str]:
    """How many malicious rows it withstands, and how far they move it."""
    some = Records(np.zeros((2, 1), dtype=np.int32), np.zeros(2, dtype=np.int32))
    rule = kind.for_tests(some)
    yield f"| rows | {' | '.join(map(str, ROWS))} |"
    yield f"| --- | {' | '.join('---' for _ in ROWS)} |"
    tolerated = [rule.tolerance(rows) for rows in ROWS]
    shown = ["cannot run" if most < 0 else str(most) for most in tolerated]
    yield f"| malicious ones that it withstands | {' | '.join(shown)} |"
    if isinstance(rule, PointRule):
        moved = []
        for rows, most in zip(ROWS, tolerated, strict=True):
            given = kind(malicious=max(most, 0))
            moved.append("" if most < 0 else f"{given.displacement(rows):.3g}")
        yield f"| then the centre moves at most, in diameters of the honest rows | {' | '.join(moved)} |"
        yield ""
        norm = "the largest coordinate" if rule.norm == np.inf else "the Euclidean distance"
        yield f"Distances are taken as {norm}. It refuses more malicious rows (`--malicious-bound`)."
        if not rule.before:
            yield "Cells that few rows define tolerate fewer; the error names the cell."
    if kind.increments:
        yield ""
        yield "What it withstands are malicious clients within a row: a share of them below `tolerate`."
    yield ""
    traits = {
        "pools": "Only the sum of the rows matters to it.",
        "capped": "It relies on a cap that nodes prove: protocol `verified` with a record cap.",
        "increments": "Nodes send increments of counts in place of counts.",
        "votes": "Every row has a model of its own, and these vote.",
        "shrinks": "Noisy sums are shrunk before it (`--no-shrinkage` turns that off).",
    }
    yield from (f"- {text}" for trait, text in traits.items() if getattr(kind, trait))


def of_poison(name: str, kind: Any) -> Iterator[str]:
    """What it is after, and what it knows."""
    aims = {
        "accuracy": "accuracy: any wrong prediction will do",
        "target": "records of one class, to be taken for another",
        "backdoor": "records with a trigger, to be taken for one class",
        "denial": "no model at all",
    }
    yield f"- It is after {aims[kind.aim]}."
    yield f"- What it sends {'depends' if kind.against_rule else 'does not depend'} on the rule in use."
    yield "- It claims no optimum: [resilience](../../resilience.md) has the strongest against each rule."


def of_protocol(name: str, kind: Any) -> Iterator[str]:
    """What the code declares, and which groups it keeps from whom."""
    said = kind.claims
    yield "| | |"
    yield "| --- | --- |"
    yield f"| the server can read | {said.sees} |"
    yield f"| other clients can read | {said.nodes_see} |"
    yield f"| must be trusted | {said.trust} |"
    yield f"| when clients fall silent | {said.dropouts} |"
    yield f"| a server that breaks the protocol | {said.malicious_aggregator} |"
    yield f"| smallest group | {kind.smallest_group} |"
    yield ""
    yield f"| clients in a group | {' | '.join(map(str, SIZES))} |"
    yield f"| --- | {' | '.join('---' for _ in SIZES)} |"
    protocol = kind()
    asked = {
        "fewest whose sum is opened": lambda size: protocol.survivors(size),
        "may collude with a semi-honest server": lambda size: protocol.keeps_from(size, malicious=False),
        "may collude with a malicious server": lambda size: protocol.keeps_from(size, malicious=True),
    }
    for what, ask in asked.items():
        yield f"| {what} | {' | '.join(_asked(ask, size) for size in SIZES)} |"
    yield ""
    yield f"Messages, states, costs, and what differs from its source: [{name}](../../protocols/{name}.md)."


def _asked(ask: Any, size: int) -> str:
    try:
        found = ask(size)
    except (ValueError, Abort):
        return "refused"
    return "not even alone" if found < 0 else str(found)


def of_deviation(name: str, kind: Any) -> Iterator[str]:
    """What becomes of runs under each protocol, from the page that a test holds to the code."""
    found: dict[str, dict[str, str]] = {}
    for part in DEVIATIONS.read_text(encoding="utf-8").split("\n## ")[1:]:
        role = part.partition("\n")[0].removeprefix("A deviating ")
        heads = re.search(r"^\| \| (.*) \|$", part, re.M)
        row = re.search(rf"^\| `{name}`:.*?\| (.*) \|?$", part, re.M)
        if heads and row:
            cells = [cell.strip() for cell in row[1].rstrip("|").split("|")]
            for protocol, cell in zip(heads[1].split(" | "), cells, strict=False):
                found.setdefault(protocol, {})[role] = cell
    roles = [role for role in kind.roles if any(role in row for row in found.values())]
    if not roles:
        return
    yield f"| protocol | {' | '.join(f'by a {role}' for role in roles)} |"
    yield f"| --- | {' | '.join('---' for _ in roles)} |"
    for protocol, row in found.items():
        shown = [row.get(role) or "no occasion" for role in roles]
        yield f"| [`{protocol}`](../protocols/{protocol}.md) | {' | '.join(shown)} |"
    yield ""
    seen = {cell.strip("*") for row in found.values() for cell in row.values()}
    yield from (f"- *{outcome}*: {meaning}." for outcome, meaning in MEANING.items() if outcome in seen)


def of_dataset(name: str, kind: Any) -> Iterator[str]:
    """Rows, licence, digest, schema."""
    schema = kind.schema
    rows = " + ".join(f"{each:,}" for each in kind.rows)
    split = "the publisher's own split" if len(kind.rows) == 2 else "one in ten is for testing"
    yield f"- {rows} records; {split}. Licence: {kind.licence}."
    yield f"- SHA-256 over the parsed tables: `{kind.digest}`; anything else is refused."
    yield f"- Label `{schema.label}`, classes {', '.join(f'`{each}`' for each in schema.classes)}."
    yield ""
    yield "| feature | kind | bounds or levels | bins of the histogram |"
    yield "| --- | --- | --- | --- |"
    for feature in schema.features:
        bounds = feature.bounds
        held = (
            f"{bounds[0]:g} to {bounds[1]:g}" if bounds else ", ".join(f"`{each}`" for each in feature.levels)
        )
        edges = getattr(feature, "edges", None)
        bins = str(len(edges) - 1) if edges else ""
        yield f"| `{feature.name}` | {type(feature).__name__.lower()} | {held} | {bins} |"
