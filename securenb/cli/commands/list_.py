"""`securenb list`: what there is to choose from."""

import sys
from typing import Annotated, Any

import typer

from attacks.deviation import DEVIATIONS
from attacks.inference import INFERENCES
from attacks.poison import POISONS
from protocols.catalogue import Catalogue
from protocols.protocol import PROTOCOLS
from securenb.cli import console
from securenb.cli.options import Json
from securenb.data.dataset import DATASETS
from securenb.privacy.mechanism import MECHANISMS
from securenb.robust.preaggregation import PREAGGREGATIONS
from securenb.robust.rule import RULES

KINDS: dict[str, Catalogue[Any]] = {
    "datasets": DATASETS,
    "protocols": PROTOCOLS,
    "rules": RULES,
    "preaggregations": PREAGGREGATIONS,
    "mechanisms": MECHANISMS,
    "poisons": POISONS,
    "deviations": DEVIATIONS,
    "inferences": INFERENCES,
}


def command(
    kind: Annotated[str | None, typer.Argument(help="datasets, protocols, rules, …")] = None,
    json: Json = False,  # noqa: FBT002 - a flag of the command line
) -> None:
    """List what there is to choose from, by name."""
    if kind is not None and kind not in KINDS:
        raise ValueError(f"unknown kind {kind!r}; known: {', '.join(KINDS)}")
    wanted = KINDS if kind is None else {kind: KINDS[kind]}
    found = {
        kind: {name: _first_line(catalogue[name]) for name in catalogue} for kind, catalogue in wanted.items()
    }
    if json:
        console.show_json(found)
        return
    for kind_name, entries in found.items():
        console.say(kind_name)
        for name, line in entries.items():
            console.say(f"  {name:<20} {line}")


def _first_line(kind: type) -> str:
    """The first line of the module that defines it."""
    return (sys.modules[kind.__module__].__doc__ or "").strip().splitlines()[0]
