"""`securenb audit`: whether a release is as private as it is claimed to be."""

import json as json_
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
import typer

from attacks.audit.layers import LEVELS, audit
from attacks.audit.paper import PaperRelease
from attacks.audit.target import Noised, Target
from attacks.audit.verdict import as_json, in_words, overall
from securenb.cli import console
from securenb.cli.options import Json, Out, Overwrite
from securenb.dataset import DATASETS
from securenb.mechanism import MECHANISMS, exact
from securenb.run_folder import run_folder, write_manifest
from securenb.schema import Schema
from securenb.sensitivity import ADJACENCIES

EXIT_CODES = {"PASS": 0, "FAIL": 1, "INCONCLUSIVE": 3}
VIEWS = ("node", "group", "sum", "model")


def command(
    dataset: Annotated[
        str, typer.Argument(help="A data set (`securenb list datasets`); its schema is used.")
    ],
    epsilon: Annotated[str, typer.Option(help="What a row is claimed to cost a record.")] = "1",
    delta: Annotated[float | None, typer.Option(help="For mechanisms that need one.")] = None,
    mechanism: Annotated[str, typer.Option(help="The noise.")] = "discrete_laplace",
    target: Annotated[str, typer.Option(help="`own`, or `paper`: the release as published.")] = "own",
    view: Annotated[str, typer.Option(help="Who looks: node, group, sum or model.")] = "sum",
    nodes: Annotated[int, typer.Option(help="Nodes in the row that is looked at.")] = 10,
    colluding: Annotated[int, typer.Option(help="Nodes that subtract their noise.")] = 0,
    adjacency: Annotated[str, typer.Option(help="add-remove or replace-one.")] = "add-remove",
    level: Annotated[str, typer.Option(help="Layers, separated by commas.")] = "L0,L1,L2",
    numeric: Annotated[str, typer.Option(help="Numbers as `gaussian` or `histogram`.")] = "gaussian",
    pairs: Annotated[int, typer.Option(min=1, help="Neighbours replayed.")] = 1000,
    trials: Annotated[int | None, typer.Option(min=100, help="Samples of each neighbour.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of samples and neighbours.")] = 0,
    out: Out = None,
    overwrite: Overwrite = False,  # noqa: FBT002 - flags of the command line
    json: Json = False,  # noqa: FBT002
) -> None:
    """Audit a release. Exit code 0: no violation found; 1: a violation; 3: inconclusive."""
    if adjacency not in ADJACENCIES:
        raise ValueError(f"adjacency must be one of {', '.join(ADJACENCIES)}, got {adjacency!r}")
    if numeric not in ("gaussian", "histogram"):
        raise ValueError(f"numeric must be gaussian or histogram, got {numeric!r}")
    levels = level.split(",")
    schema = DATASETS[dataset].schema
    if numeric == "histogram":
        schema = schema.histogram()
    audited = _target(target, schema, epsilon, delta, mechanism, view, nodes, colluding)
    runs = trials or (100_000 if target == "own" else 5_000)
    with console.steps(len(LEVELS) + len(schema.blocks)) as step:
        found = audit(
            audited,
            adjacency,
            levels,
            pairs=pairs,
            trials=runs,
            rng=np.random.default_rng(seed),
            step=step,
        )
    about: dict[str, Any] = {
        "dataset": dataset,
        "target": target,
        "view": view,
        "nodes": nodes,
        "colluding": colluding,
    }
    about |= {"mechanism": mechanism, "epsilon": epsilon, "delta": delta, "adjacency": adjacency}
    about |= {"numeric": numeric, "pairs": pairs, "trials": runs, "seed": seed}
    document = as_json(found, **about)
    if json:
        console.show_json(document)
    else:
        console.say(in_words(found))
    if out is not None:
        with run_folder(out, overwrite=overwrite) as folder:
            (folder / "audit.json").write_text(json_.dumps(document, indent=2) + "\n")
            write_manifest(folder, _Choices(about, seed))
    raise typer.Exit(EXIT_CODES[overall(found)])


@dataclass(frozen=True)
class _Choices:
    """What the manifest says was asked for."""

    about: dict[str, Any]
    seed: int | None

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """See `securenb.run_folder.Replayable`."""
        return self.about


def _target(
    name: str,
    schema: Schema,
    epsilon: str,
    delta: float | None,
    mechanism: str,
    view: str,
    nodes: int,
    colluding: int,
) -> Target:
    claim = exact(epsilon)
    if name == "paper":
        return PaperRelease(schema, claim)
    if name != "own":
        raise ValueError(f"target must be own or paper, got {name!r}")
    if view not in VIEWS:
        raise ValueError(f"view must be one of {', '.join(VIEWS)}, got {view!r}")
    honest = (1 if view == "node" else nodes) - colluding
    if honest < 1:
        raise ValueError(f"{colluding} colluding nodes leave no honest one in view {view}")
    noise = MECHANISMS[mechanism].from_epsilon(epsilon, delta)
    # pure epsilon doubles; up to a delta there is no such rule, and the ledger's own charge is the claim
    replaced: Fraction | None = noise.charge(schema, honest).replace_one if noise.delta else 2 * claim
    return Noised(schema, noise, honest, honest, claim, replaced)
