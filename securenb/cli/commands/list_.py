"""`securenb list`: what there is to choose from."""

import inspect
from importlib.metadata import entry_points
from typing import Annotated

import typer

from protocols.catalogue import CATALOGUES, names_in, summary
from securenb.cli import console
from securenb.cli.console import Json

KINDS = {
    "datasets": "securenb.data.datasets",
    "features": "securenb.schema.features",
    "protocols": "protocols.schemes",
    "rules": "securenb.robust.rules",
    "preaggregations": "securenb.robust.preaggregations",
    "mechanisms": "securenb.privacy.mechanisms",
    "poisons": "attacks.poisons",
    "deviations": "attacks.deviations",
    "inferences": "attacks.inferences",
    "checks": "attacks.judging.checks",
}
"""The folder of each kind: nothing in it is imported to be listed."""


def command(
    kind: Annotated[str | None, typer.Argument(help="datasets, protocols, rules, …")] = None,
    json: Json = False,  # noqa: FBT002 - a flag of the command line
) -> None:
    """List what there is to choose from, by name."""
    if kind is not None and kind not in KINDS:
        raise ValueError(f"unknown kind {kind!r}; known: {', '.join(KINDS)}")
    found = {each: entries(each) for each in ([kind] if kind else KINDS)}
    if json:
        console.show_json(found)
        return
    for name, lines in found.items():
        console.say(name)
        for each, line in lines.items():
            console.say(f"  {each:<20} {line}")


def entries(kind: str) -> dict[str, str]:
    """What there is of a kind, ours first, with what each says of itself."""
    package = KINDS[kind]
    found = {name: summary(package, name) for name in names_in(package)}
    for point in entry_points(group=f"securenb.{kind}"):
        found.setdefault(point.name, f"from the installed package {point.value.partition(':')[0]}")
    for name, guest in CATALOGUES[package].guests().items() if package in CATALOGUES else ():
        found[name] = (inspect.getdoc(guest) or "").partition("\n")[0]
    return found
