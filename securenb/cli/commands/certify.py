"""`securenb certify`: how many malicious nodes each prediction of a saved model withstands."""

import hashlib
from pathlib import Path
from typing import Annotated, cast

import numpy as np
import pandas as pd
import typer

from securenb.bayes.staircase.model import StaircaseModel
from securenb.certify.certificate import certify
from securenb.certify.changed import Change, certify_changed
from securenb.certify.staircase import curve as votes_curve
from securenb.certify.staircase import radii
from securenb.cli import console
from securenb.cli.options import Json, Out, Overwrite, WithReport, report_page, write_report
from securenb.experiments.run_folder import run_folder, write_manifest
from securenb.experiments.saved_model import Certified, SavedModel, certified_together, curve
from securenb.experiments.tables import write_table
from securenb.schema.records import Records


def command(
    model: Annotated[Path, typer.Argument(help="A model.json that `train` wrote, or the folder it is in.")],
    malicious: Annotated[int, typer.Option(help="The most malicious nodes; the curve starts at none.")],
    record_cap: Annotated[
        int | None, typer.Option(help="Records a malicious node may add; by default the round's cap.")
    ] = None,
    change: Annotated[
        str,
        typer.Option(help="What malicious nodes do to records: `added`, `removed`, `replaced` or `flipped`."),
    ] = "added",
    points: Annotated[
        Path | None,
        typer.Option(help="A CSV file of labelled records; by default the data set's test records."),
    ] = None,
    programs: Annotated[
        int,
        typer.Option(
            help="Linear programs per collective certificate, 0 for none; more come nearer the truth."
        ),
    ] = 8,
    out: Out = None,
    overwrite: Overwrite = False,  # noqa: FBT002 - flags of the command line
    report: WithReport = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> None:
    """Certify predictions: the share that stays right whatever so many malicious nodes add."""
    page = report_page(out, wanted=report)
    saved = SavedModel.read(model)
    if isinstance(saved.model, StaircaseModel):
        judged = saved.points(points)
        if change != "added":
            raise ValueError(
                f"--change {change}: a staircase sum is certified whatever nodes sent; leave it out"
            )
        if record_cap is not None:
            raise ValueError("--record-cap: nodes of a staircase sum are bound by its quotas; leave it out")
        made = Certified(str(model), None if points is None else str(points), malicious, None, 0)
        _of_votes(saved, saved.model, judged, made, out, overwrite=overwrite, json=json)
        write_report(page)
        return
    cap, judged = saved.cap(record_cap), saved.points(points)
    if change == "added":
        found = certify(saved.model, judged.codes, malicious, cap)
    else:
        found = certify_changed(saved.model, judged.codes, malicious * cap, cast("Change", change))
        programs = min(programs, 0)
    if programs < 0:
        raise ValueError(f"--programs is 0 or more, got {programs}")
    together = certified_together(saved, judged, found, malicious, cap, programs)
    table = curve(found, judged.labels, malicious, cap, together)
    if out is not None:
        made = Certified(
            str(model), None if points is None else str(points), malicious, cap, programs, change
        )
        with run_folder(out, overwrite=overwrite) as folder:
            write_table(table, folder / "certificates.csv")
            classes = np.asarray(saved.model.schema.classes)
            each = {"label": classes[judged.labels], "predicted": classes[found.predicted]}
            each |= {"records_needed": found.needed, "withstands": found.malicious(cap)}
            write_table(pd.DataFrame(each), folder / "points.csv")
            digest = hashlib.sha256(saved.path.read_bytes()).hexdigest()
            write_manifest(folder, made, model=digest, trained=saved.scenario)
    write_report(page)
    if json:
        console.show_json(table.to_dict(orient="records"))
        return
    scores = ["certified_accuracy", "certified_balanced_accuracy", "collective_balanced_accuracy"]
    lines = [
        [f"{row['malicious']:,.0f}", f"{row['records']:,.0f}", *(_share(row[score]) for score in scores)]
        for _, row in table.iterrows()
    ]
    title = f"{len(judged):,} predictions, {cap:,} records a malicious node"
    columns = [
        "malicious nodes",
        "records they add" if change == "added" else f"records {change}",
        "certified accuracy",
        "balanced",
        "balanced, collective",
    ]
    console.show_table(title, columns, lines)
    console.say("collective: one placement of the records for all points; the others: placed anew for each")
    if programs and not together and malicious:
        console.say("no collective certificate: it needs features with levels (numeric = histogram)")
    sure = float(found.exact.mean())
    console.say("exact" if sure == 1 else f"exact for {100 * sure:.1f} %; the others may withstand more")
    if saved.proven_cap is None or saved.proven_cap > cap:
        console.say(f"this round did not enforce a cap of {cap:,}: this holds only if every node keeps to it")
    if out is not None:
        console.say(f"written to {out}: certificates.csv, points.csv, manifest.json")


def _of_votes(
    saved: SavedModel,
    model: StaircaseModel,
    judged: Records,
    made: Certified,
    out: Path | None,
    *,
    overwrite: bool,
    json: bool,
) -> None:
    """Certificates after the fact, of a model that was read off votes."""
    predicted = model.predict_codes(judged.codes)
    withstood = radii(model, judged.codes, made.malicious)
    table = votes_curve(withstood, predicted == judged.labels, judged.labels, made.malicious)
    table["records"] = table["malicious"] * sum(model.layout.quotas)
    if out is not None:
        with run_folder(out, overwrite=overwrite) as folder:
            write_table(table, folder / "certificates.csv")
            classes = np.asarray(model.schema.classes)
            each = {"label": classes[judged.labels], "predicted": classes[predicted], "withstands": withstood}
            write_table(pd.DataFrame(each), folder / "points.csv")
            digest = hashlib.sha256(saved.path.read_bytes()).hexdigest()
            write_manifest(folder, made, model=digest, trained=saved.scenario)
    if json:
        console.show_json(table.to_dict(orient="records"))
        return
    scores = ["certified_accuracy", "certified_balanced_accuracy"]
    lines = [
        [f"{row['malicious']:,.0f}", *(_share(row[score]) for score in scores)] for _, row in table.iterrows()
    ]
    title = f"{len(judged):,} predictions, votes of {model.nodes:,} nodes in one sum"
    console.show_table(title, ["malicious nodes among them", "certified accuracy", "balanced"], lines)
    console.say("after the fact: whatever so many of these nodes sent, the answer is that of the others")
    if not saved.proves:
        console.say("this round proved no inputs: this holds only if every node kept to its steps")
    if out is not None:
        console.say(f"written to {out}: certificates.csv, points.csv, manifest.json")


def _share(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.4f}"
