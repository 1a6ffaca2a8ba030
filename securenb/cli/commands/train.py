"""`securenb train`: one federated round, its model saved."""

from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
import typer

from securenb.cli import console
from securenb.cli.options import (
    Choose,
    Json,
    Out,
    Overwrite,
    WithReport,
    report_page,
    with_scenario,
    write_report,
)
from securenb.data.dataset import Dataset
from securenb.experiments.progress import rows
from securenb.experiments.run_folder import run_folder, write_manifest
from securenb.experiments.saved_model import MODEL
from securenb.experiments.tables import write_table
from securenb.federation.influence import MOST_ROWS, STANDS_OUT, influences_in
from securenb.federation.proven import proven_in_words, quotas_in_words
from securenb.federation.round import Round
from securenb.privacy.budget import Budget
from securenb.privacy.journal import LedgerFile
from securenb.privacy.witness_record import ending
from securenb.privacy.witness_record import report as report_witnesses
from securenb.report.record import losses, round_figures, write_rounds

Unit = Literal["record", "node"]


@with_scenario
def command(
    choose: Choose,
    protocol: Annotated[str, typer.Option(help="The secure sum; `securenb list protocols` names them.")],
    ledger: Annotated[
        Path | None,
        typer.Option(help="Charge this file, one for each population of people, before opening anything."),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(help="What the ledger's people may spend in all (add/remove): EPS, or EPS,DELTA."),
    ] = None,
    unit: Annotated[
        Unit, typer.Option(help="What the ledger protects: a `record`, or a whole `node` up to --record-cap.")
    ] = "record",
    out: Out = None,
    overwrite: Overwrite = False,  # noqa: FBT002 - flags of the command line
    report: WithReport = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> int:
    """Run one federated round on a data set, and save the model."""
    page = report_page(out, wanted=report)
    scenario = choose(protocol=protocol)
    if (ledger is None) != (budget is None):
        raise ValueError("--ledger and --budget go together")
    if unit == "node" and (ledger is None or scenario.record_cap is None):
        raise ValueError("--unit node needs --ledger, and --record-cap with the most records a node may hold")
    with rows() as read:
        data = scenario.load(read)
    federation = scenario.federation(data)
    nodes = scenario.deal(data)

    protection: dict[str, Any] = {"unit": unit, "ledger": None}

    def run() -> Round:
        contributions = federation.prepare(nodes)
        if ledger is not None and budget is not None:
            what = f"train {scenario.dataset} under {protocol}"
            cap = federation.record_cap if unit == "node" else 1
            cost = federation.charged(contributions.groups, cap=cap)
            LedgerFile(ledger).pay(what, cost, Budget.parse(budget))
            protection["ledger"] = LedgerFile(ledger).head()
            if unit == "node":
                protection.update(cap=cap, losses=losses(cost, federation.mechanism.delta))
        return federation.open(contributions)

    influence = None
    if out is None:
        round_ = run()
    else:
        with run_folder(out, overwrite=overwrite) as folder:
            round_ = run()
            write_table(pd.DataFrame([round_figures(round_, data.test)]), folder / "results.csv")
            round_.model.save(folder / MODEL)
            write_rounds(folder, {protocol: (round_, federation.protocol)})
            if 1 < len(round_.opened.members) <= MOST_ROWS:
                influence = influences_in(federation, round_.opened, scenario.reference(data))
                write_table(influence, folder / "influence.csv")
            write_manifest(
                folder,
                scenario,
                data=data.digest,
                digests=round_.digests(),
                schema=data.schema.digest.hex(),
                privacy=protection,
            )
    write_report(page)
    figures = round_figures(round_, data.test)
    if json:
        console.show_json(figures)
        return ending([round_.witnesses])
    majority = _majority(data)
    console.say(f"{scenario.dataset}: {len(data.train):,} records at {len(nodes)} nodes, {protocol}")
    for name in ("accuracy", "balanced_accuracy"):
        ends = f"{figures[f'{name}_low']:.4f} to {figures[f'{name}_high']:.4f}"
        console.say(f"{name.replace('_', ' '):<20}{figures[name]:.4f}   (95 % over test records: {ends})")
    console.say(f"most frequent class {majority:.4f}   (accuracy of always answering it)")
    console.say(f"the aggregator learned {round_.learned}")
    console.say(round_.ledger.report())
    if round_.witnesses is not None:
        console.say(report_witnesses(round_.witnesses))
    if federation.registry is not None:
        submitted = sum(map(len, round_.opened.members))
        capped = proven_in_words(federation.registry, len(data.train) / submitted)
        console.say(quotas_in_words(federation.layout) or capped)
    console.say(round_.transcript.summary())
    if influence is not None:
        count = int((influence["verdict"] == STANDS_OUT).sum())
        console.say(f"rows that stand out if left out in turn: {count} of {len(influence)} (influence.csv)")
    if out is not None:
        console.say(f"written to {out}: {', '.join(sorted(path.name for path in out.iterdir()))}")
    return ending([round_.witnesses])


def _majority(data: Dataset) -> float:
    """Accuracy of always predicting the test records' most frequent class."""
    return float(max((data.test.labels == c).mean() for c in range(len(data.schema.classes))))
