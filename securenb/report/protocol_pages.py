"""The part of each protocol's page that the code writes: claims, states and messages of observed runs.

python -m securenb.report.protocol_pages docs/protocols
"""

import inspect
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from protocols.engines.conversation import LENGTH, NODES, SEED, Conversation, observe
from protocols.protocol import PROTOCOLS, Protocol
from securenb.report.state_diagram import Step, drawing

COMMAND = "python -m securenb.report.protocol_pages docs/protocols"
MARK = f"<!-- from here on written by `{COMMAND}`; do not edit -->\n"
INDEX = "index.md"

CLAIMS = {
    "who must be trusted": "trust",
    "drop-outs": "dropouts",
    "a malicious aggregator": "malicious_aggregator",
    "the aggregator reads": "sees",
    "other nodes read": "nodes_see",
    "source": "source",
}


@cache
def observed(name: str) -> Conversation:
    """What the parties of a protocol said, with its parameters for tests."""
    return observe(PROTOCOLS[name].for_tests())


def states(name: str) -> str:
    """The states of a protocol's roles, SVG."""
    roles: dict[str, list[Step]] = {}
    for role, *step in observed(name).arrows:
        state, heard, following = step
        roles.setdefault(role, []).append((state, heard, following))
    return drawing(roles)


def section(name: str) -> str:
    """The lines below the mark of a protocol's page."""
    kind = PROTOCOLS[name]
    claims = [f"| {what} | {_cell(getattr(kind.claims, field))} |" for what, field in CLAIMS.items()]
    seen = observed(name)
    setting = f"`{kind.for_tests()}`, {NODES} nodes in one group, d = {LENGTH:,}, seed {SEED}"
    spoken = (
        f"Rounds of messages that wait for one another: {seen.rounds}. A node speaks {_times(seen.turns)}"
    )
    lines = [
        "## As the code declares it",
        "",
        "| | |",
        "| --- | --- |",
        *claims,
        "",
        "## As it ran",
        "",
        f"{setting}. {spoken}. [](index.md) says how to read this.",
        "",
        f"![States of the roles of {name}](states/{name}.svg)",
        "",
        *_messages(kind, seen),
    ]
    return "\n".join(lines) + "\n"


def _messages(kind: type[Protocol], seen: Conversation) -> Iterator[str]:
    yield "| from | to | message | frames | bytes each | what it says |"
    yield "| --- | --- | --- | --- | --- | --- |"
    spoken = {message.__name__: message for message in kind.messages}
    for (sender, recipient, message), sizes in seen.sizes.items():
        says = (inspect.getdoc(spoken[message]) or "").split("\n\n")[0].replace("\n", " ")
        span = f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,}"
        yield f"| {sender} | {recipient} | {message} | {len(sizes):,} | {span} | {_cell(says)} |"


def overview() -> str:
    """The lines below the mark of the index: all protocols side by side."""
    lines = [
        "## Side by side",
        "",
        "| protocol | who must be trusted | drop-outs | a malicious aggregator | rounds | a node speaks |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in PROTOCOLS:
        own, seen = PROTOCOLS[name].claims, observed(name)
        words = " | ".join(_cell(claim) for claim in (own.trust, own.dropouts, own.malicious_aggregator))
        lines.append(f"| [{name}]({name}.md) | {words} | {seen.rounds} | {_times(seen.turns)} |")
    return "\n".join(lines) + "\n"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


def written(page: str, below: str) -> str:
    """The page with what stands below its mark replaced, or added if there is no mark yet."""
    return f"{page.split(MARK)[0].rstrip()}\n\n{MARK}\n{below}"


def files(folder: Path) -> dict[Path, str]:
    """Everything that this module writes into the folder of the protocols' pages, by path."""
    made = {folder / INDEX: written((folder / INDEX).read_text(encoding="utf-8"), overview())}
    for name in PROTOCOLS:
        page = folder / f"{name}.md"
        if not page.exists():
            raise ValueError(f"{page} is missing: claim, source, where the code deviates from it, in words")
        made[page] = written(page.read_text(encoding="utf-8"), section(name))
        made[folder / "states" / f"{name}.svg"] = states(name)
    return made


if __name__ == "__main__":
    for path, text in files(Path(sys.argv[1])).items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
