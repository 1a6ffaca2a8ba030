"""What every deviation does to every protocol: run, and written down as a page of the documentation.

python -m attacks.sweeps.deviation_table > docs/protocols/deviations.md
"""

import inspect
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import get_args

import numpy as np

from attacks.deviation import DEVIATIONS, MEANING, Cast, Outcome, Role, Verdict, judged
from protocols.entropy import seeded
from protocols.parameters import chosen
from protocols.protocol import PROTOCOLS
from protocols.ring import Capacity

NODES = 7
SEED = 7

INTRODUCTION = f"""# Deviations

<!-- written by `python -m attacks.sweeps.deviation_table`; do not edit -->

What becomes of a run in which one party breaks the protocol and all others are honest: seven nodes in
one group, three coordinates, seed {SEED}, each protocol with its parameters for tests (`secagg` and
`secagg_plus`: the malicious profile). A contract test runs all of them, and holds every cell to the promise
below and this page to the code. An empty cell: the protocol gives no occasion for it.
[](deviations_flower.md) plays the same scripts to another implementation.
"""

LIMITS = """All but the last keep the promise of every protocol: the exact sum of the members, of at least the
threshold, or nothing. The aggregator, the third node and the third trustee (or the last) deviate; the leader
of a ring and the dealer of a key do not."""

Key = tuple[str, Role, str]
"""Deviation, role, protocol."""


def cast_of(name: str, nodes: int = NODES, seed: int = SEED) -> Cast:
    """One group of nodes with random vectors of three, under the protocol's parameters for tests."""
    rng = np.random.default_rng(seed)
    capacity = Capacity(bound=1000, nodes=nodes, tail=50)
    names = tuple(f"node-{i}" for i in range(nodes))
    vectors = {node: rng.integers(-capacity.bound, capacity.bound, 3, endpoint=True) for node in names}
    spec = PROTOCOLS.spec(name)
    kind = PROTOCOLS[spec.name]
    protocol = replace(kind.for_tests(), **chosen(kind, name, spec.parameters))
    session = protocol.session((names,), 3, capacity, bytes(range(16)))
    return Cast(protocol, session, vectors, seeded(seed))


@cache
def verdicts() -> Mapping[Key, Verdict]:
    """Every deviation in each of its roles under every protocol that gives it an occasion."""
    found: dict[Key, Verdict] = {}
    for name, kind in DEVIATIONS.items():
        for role in kind.roles:
            for protocol in PROTOCOLS:
                verdict = judged(kind(), role, cast_of(protocol))
                if verdict is not None:
                    found[name, role, protocol] = verdict
    return found


def says(name: str) -> str:
    """What a deviation does: the first line of its docstring."""
    return (inspect.getdoc(DEVIATIONS[name]) or "").splitlines()[0].rstrip(".")


def page() -> str:
    """The page of the documentation."""
    lines = [
        INTRODUCTION,
        *(f"- **{outcome}**: {meaning}." for outcome, meaning in MEANING.items()),
        "",
        LIMITS,
    ]
    for role in get_args(Role):
        protocols = [p for p in PROTOCOLS if any(key[1:] == (role, p) for key in verdicts())]
        lines += ["", f"## A deviating {role}", "", f"| | {' | '.join(protocols)} |"]
        lines.append("| --- |" + " --- |" * len(protocols))
        for name, kind in DEVIATIONS.items():
            if role in kind.roles:
                cells = [verdicts().get((name, role, protocol)) for protocol in protocols]
                shown = " | ".join(shown_as(cell) for cell in cells)
                lines.append(f"| `{name}`: {says(name)} | {shown} |")
    lines += ["", "## Why not covered", ""]
    for name, kind in DEVIATIONS.items():
        lines += [f"- `{name}`, {where(p)}: {reason}." for p, reason in kind.not_covered.items()]
    lines += ["", "## Where honest parties are blamed", ""]
    for name, kind in DEVIATIONS.items():
        lines += [f"- `{name}`, {p}: {reason}." for p, reason in kind.misblamed.items()]
    lines += ["", "## From the literature", ""]
    lines += [f"- `{name}`: {kind.source}." for name, kind in DEVIATIONS.items() if kind.source]
    return "\n".join(lines) + "\n"


def shown_as(verdict: Verdict | None) -> str:
    """A cell; a promise that was not kept stands out."""
    if verdict is None:
        return ""
    broken = verdict.outcome is Outcome.NOT_COVERED
    return f"**{verdict.outcome}**" if broken else str(verdict.outcome)


def where(protocol: str) -> str:
    """A protocol's name, or all."""
    return "every protocol" if protocol == "*" else protocol


if __name__ == "__main__":
    sys.stdout.write(page())
