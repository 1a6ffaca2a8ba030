"""Every deviation against every protocol: what becomes of the run, as a table for the documentation."""

from collections.abc import Iterator

import numpy as np

from attacks.deviation import DEVIATIONS, MEANING, Cast, Outcome, Role, Verdict, judged
from protocols.entropy import seeded
from protocols.protocol import PROTOCOLS
from protocols.ring import Capacity

NODES, LENGTH, BOUND = 7, 6, 1000
"""Large enough for a threshold that one deviating node does not break."""

SEED = 7
TITLE = {"node": "one node", "trustee": "one trustee", "aggregator": "the aggregator"}


def cast(name: str) -> Cast:
    """One group of nodes under the protocol `name`, with fast keys and fixed vectors."""
    protocol = PROTOCOLS[name].for_tests()
    rng = np.random.default_rng(SEED)
    nodes = tuple(f"node-{index}" for index in range(NODES))
    vectors = {node: rng.integers(-BOUND, BOUND, LENGTH, endpoint=True) for node in nodes}
    session = protocol.session((nodes,), LENGTH, Capacity(BOUND, NODES), bytes(range(16)))
    return Cast(protocol, session, vectors, seeded(SEED))


def outcomes(protocol: str) -> Iterator[tuple[str, Role, Verdict]]:
    """Every deviation that has an occasion in the protocol, by name and role."""
    for name in DEVIATIONS:
        for role in DEVIATIONS[name].roles:
            verdict = judged(DEVIATIONS[name](), role, cast(protocol))
            if verdict is not None:
                yield name, role, verdict


def table() -> str:
    """The page `docs/protocols/deviations.md`."""
    found: dict[Role, dict[str, dict[str, Outcome]]] = {}
    for protocol in PROTOCOLS:
        for name, role, verdict in outcomes(protocol):
            found.setdefault(role, {}).setdefault(name, {})[protocol] = verdict.outcome
    lines = [
        "# Deviations",
        "",
        "One party breaks the protocol, the others are honest, nothing is lost on the way. Written by",
        "`python -m attacks.deviation_table`, kept up to date by a test.",
        "",
        *(f"- *{outcome}*: {meaning}." for outcome, meaning in MEANING.items()),
        "- An empty cell: the protocol has no occasion for it.",
        "",
    ]
    for role, rows in found.items():
        lines += [f"## {TITLE[role].capitalize()} deviates", "", f"| deviation | {' | '.join(PROTOCOLS)} |"]
        lines.append("| --- |" + " --- |" * len(PROTOCOLS))
        for name, cells in rows.items():
            shown = [_shown(cells.get(protocol)) for protocol in PROTOCOLS]
            lines.append(f"| {name} | {' | '.join(shown)} |")
        lines.append("")
    lines += ["## What is not covered, and why", ""]
    for name in DEVIATIONS:
        for protocol, reason in DEVIATIONS[name].not_covered.items():
            lines.append(f"- {name}, {'every protocol' if protocol == '*' else protocol}: {reason}.")
    return "\n".join(lines) + "\n"


def _shown(outcome: Outcome | None) -> str:
    if outcome is None:
        return ""
    return f"**{outcome}**" if outcome is Outcome.NOT_COVERED else str(outcome)


if __name__ == "__main__":
    print(table(), end="")  # noqa: T201 - the page
