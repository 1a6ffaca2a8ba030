"""`securenb audit`: whether what is claimed of privacy is true."""

import json as json_format
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from attacks.audit.federation_target import FederationTarget
from attacks.audit.file_level import EDITS, FILE, audit_file
from attacks.audit.finding import EXIT_CODES, LEVELS, Audit
from attacks.audit.paper_target import PaperTarget
from attacks.audit.run import run_audit, steps_of
from attacks.audit.target import Target, View
from securenb.cli import console
from securenb.cli.live_audit import audit_live
from securenb.cli.options import Json, Out, Overwrite, with_choices
from securenb.data.dataset import DATASETS
from securenb.data.node import Node
from securenb.data.own import is_file
from securenb.data.partition import node_ids
from securenb.experiments.choices import NO_EPSILON
from securenb.experiments.progress import steps
from securenb.experiments.run_folder import Replayable, run_folder, write_manifest
from securenb.experiments.scenario import Scenario
from securenb.experiments.tables import write_table
from securenb.privacy.mechanism import exact
from securenb.privacy.sensitivity import Adjacency
from securenb.randomness import Streams
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.toml import read_schema

AUDITED = "secagg"
"""The protocol that is audited if none is named."""
NODES = 100
"""How many nodes there are, unless --nodes or a column says it."""
CONFIDENCE = 0.95
"""Of each statistical level of a round, family-wise."""
STEPS = 12
"""Steps that the audit of a release reports, about."""


@with_choices(Scenario, without=("seed",), defaults={"dataset": None, "protocol": AUDITED, "epsilon": None})
def command(
    choices: dict[str, Any],
    scenario: Annotated[
        Path | None, typer.Option(help="A TOML file with the choices of a round; instead of those below.")
    ] = None,
    target: Annotated[
        str, typer.Option(help="`own`, or `paper`: the mechanism of the SECRYPT 2022 paper.")
    ] = "own",
    view: Annotated[
        View | None, typer.Option(help="What the adversary sees; by default what costs most.")
    ] = None,
    adjacency: Annotated[Adjacency, typer.Option(help="Which data sets are neighbours.")] = "add-remove",
    level: Annotated[
        str, typer.Option(help="Levels, separated by commas; `file` is for files of your own.")
    ] = "file,L0,L1,L2,L3",
    confidence: Annotated[
        float | None,
        typer.Option(
            help="Of each statistical level, family-wise: 0.95 for rounds, 0.999 for other releases."
        ),
    ] = None,
    trials: Annotated[int | None, typer.Option(help="Runs on each input, for statistical levels.")] = None,
    estimator: Annotated[
        str | None, typer.Option(help="`package.module:Class` with `fit`: what it learns is released.")
    ] = None,
    arguments: Annotated[str, typer.Option(help="What the estimator is made with, as JSON.")] = "{}",
    released: Annotated[
        tuple[Path, Path] | None,
        typer.Option(help="Two CSV files; rows are runs of one release on two neighbouring inputs."),
    ] = None,
    neighbours: Annotated[
        Path | None, typer.Option(help="A Python file that defines `pairs()`: (data, neighbour), ...")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="A CSV file; its neighbours lack a row of it.")] = None,
    python: Annotated[
        str | None, typer.Option(help="The interpreter that has the release's library; by default this one.")
    ] = None,
    gaussian: Annotated[  # noqa: FBT002
        bool, typer.Option(help="The claim is that of Gaussian noise: test its whole trade-off curve.")
    ] = False,
    reals: Annotated[  # noqa: FBT002
        bool, typer.Option(help="Take floating-point outputs for reals: do not read their low bits.")
    ] = False,
    zoo: Annotated[  # noqa: FBT002
        bool, typer.Option(help="Audit the zoo: mechanisms of known privacy; --out is a CSV file.")
    ] = False,
    live: Annotated[
        Path | None,
        typer.Option(help="A run's folder: judge the witness cells that it keeps (--witnesses)."),
    ] = None,
    seconds: Annotated[float, typer.Option(help="What an audit of a release may take.")] = 60.0,
    longest: Annotated[float, typer.Option(help="Seconds that one run of a release may take.")] = 10.0,
    memory: Annotated[int, typer.Option(help="Megabytes that a release may use.")] = 4096,
    seed: Annotated[int, typer.Option(help="Of neighbours and samples; a rerun is identical.")] = 0,
    out: Out = None,
    overwrite: Overwrite = False,  # noqa: FBT002 - flags of the command line
    json: Json = False,  # noqa: FBT002
) -> int:
    """Audit a round of ours, a function, an estimator or released tables, in levels.

    The exit code is 0 for PASS, 1 for FAIL, 3 for INCONCLUSIVE.
    """
    if live is not None:
        return audit_live(live, json=json)
    # statistics take a second to load, which other audits do without
    if zoo:
        from attacks.audit.specimen import ZOO
        from securenb.cli.zoo_audit import audit_all, show

        with steps(len(ZOO)) as step:
            outcomes = audit_all(seed, trials, seconds, confidence, step)
        return show(outcomes, out, json=json)
    dataset, epsilon = choices.get("dataset"), choices.get("epsilon")
    if estimator is not None or released is not None or (dataset is not None and ":" in dataset):
        from securenb.cli.release_audit import ReleaseChoices, audit_choices

        asked = ReleaseChoices(
            epsilon,
            choices.get("delta"),
            dataset,
            estimator,
            released,
            arguments,
            python,
            neighbours,
            data,
            adjacency,
            gaussian,
            reals,
            confidence,
            trials,
            seconds,
            longest,
            memory,
            seed,
        )
        with steps(STEPS) as step:
            audit = audit_choices(asked, step)
        return _finish(audit, asked, out, overwrite=overwrite, json=json)
    choices = {"dataset": "phishing", **choices, "seed": seed}
    if scenario is not None:
        choices = {"dataset": choices["dataset"], **_read(scenario)}
    elif "nodes" not in choices and "node_column" not in choices:
        choices["nodes"] = NODES
    if "epsilon" not in choices:
        raise ValueError(
            "epsilon has no default: --epsilon says what one opened row is claimed to cost a record, `none` "
            "for no noise"
        )
    audited = Scenario.checked(**choices)
    subject = _target(target, audited, view)
    asked_for = {part.strip() for part in level.split(",")}
    levels = [name for name in LEVELS if name in asked_for]
    if unknown := asked_for - {FILE, *LEVELS}:
        raise ValueError(f"levels are {FILE}, {', '.join(LEVELS)}, got {', '.join(sorted(unknown))}")
    with_file = FILE in asked_for and target == "own" and is_file(audited.dataset)
    if not levels and not with_file:
        raise ValueError(f"the level {FILE} is for a file of your own, and {audited.dataset!r} is none")
    with steps(steps_of(subject, levels) + (EDITS if with_file else 0)) as step:
        rng = Streams(seed).rng(FILE)
        begun = tuple(audit_file(audited, subject.schema, rng, progress=step)) if with_file else ()
        audit = run_audit(
            subject,
            adjacency,
            levels or ["L0"],
            seed=seed,
            confidence=confidence or CONFIDENCE,
            trials=trials,
            progress=step,
        )
    findings = (*begun, *(audit.findings if levels else ()))
    audit = replace(audit, findings=findings)
    return _finish(audit, audited, out, overwrite=overwrite, json=json)


def _finish(audit: Audit, audited: Replayable, out: Path | None, *, overwrite: bool, json: bool) -> int:
    """Write the folder, show the findings; the exit code."""
    if out is not None:
        from securenb.report.page import PAGE, Report  # charts take half a second

        with run_folder(out, overwrite=overwrite) as folder:
            (folder / "audit.json").write_text(json_format.dumps(audit.to_dict(), indent=2) + "\n")
            write_table(pd.DataFrame([vars(finding) for finding in audit.findings]), folder / "results.csv")
            write_manifest(folder, audited)
            Report.read(folder).write(folder / PAGE)
    if json:
        console.show_json(audit.to_dict())
    else:
        _show(audit)
    return EXIT_CODES[audit.verdict]


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"cannot read the scenario {path}: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is no scenario: {error}") from None


def _target(name: str, scenario: Scenario, view: View | None) -> Target:
    if name == "own":
        schema, nodes, reference = _population(scenario, needs_records=view == "model")
        federation = scenario.federation_over(schema, reference, nodes=len(nodes))
        # a vector that is read has one share of noise, and costs more than any row
        costliest: View = "node" if federation.vectors_are_read else "group"
        asked = None if scenario.epsilon == NO_EPSILON else exact(scenario.epsilon)
        return FederationTarget(federation, nodes, view or costliest, asked)
    if name != "paper":
        raise ValueError(f"the target is `own` or `paper`, got {name!r}")
    return PaperTarget(_schema(scenario), exact(scenario.epsilon))


def _schema(scenario: Scenario) -> Schema:
    if scenario.schema_file is not None:
        schema = read_schema(Path(scenario.schema_file))
        schema = schema if scenario.label is None else replace(schema, label=scenario.label)
    else:
        schema = DATASETS[scenario.dataset].schema
    return schema if scenario.numeric == "gaussian" else schema.histogram()


def _population(scenario: Scenario, *, needs_records: bool) -> tuple[Schema, Sequence[Node], Records | None]:
    """Schema, nodes, and public records; of a data set in the catalogue nothing is read without need."""
    if needs_records or scenario.nodes is None or scenario.dataset not in DATASETS:
        data = scenario.load()
        return data.schema, scenario.deal(data), scenario.reference(data)
    schema = _schema(scenario)
    empty = Records(np.zeros((0, len(schema.features)), dtype=np.int32), np.zeros(0, dtype=np.int32))
    return schema, [Node(name, empty) for name in node_ids(scenario.nodes)], empty


def _show(audit: Audit) -> None:
    lines = [[finding.level, finding.verdict, finding.check, finding.evidence] for finding in audit.findings]
    title = f"{audit.target}: view {audit.view}, neighbours by {audit.adjacency}"
    console.say(audit.answer())
    console.show_table(title, ["level", "verdict", "check", "evidence"], lines)
    console.say(audit.conclusion())
