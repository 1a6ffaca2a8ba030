"""`securenb deploy run`: one round, with live progress."""

import json as json_format
import shutil
import subprocess
import time
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from protocols.errors import Abort
from securenb.cli import console
from securenb.cli.options import Json, WithReport, report_page, write_report
from securenb.deploy import launch, processes
from securenb.deploy.coordinator import PROGRESS, RESULT, Coordinator
from securenb.deploy.folder import APP, COORDINATOR
from securenb.deploy.guard import REFUSED
from securenb.deploy.log import Log
from securenb.deploy.turn import ORDERING, RUNNING, held, is_held
from securenb.privacy.witness_record import FILE as WITNESSES
from securenb.privacy.witness_record import ending
from securenb.privacy.witness_record import read as read_witnesses
from securenb.privacy.witness_record import report as report_witnesses

SUBMIT_SECONDS = 40
DYING_SECONDS = 1.0
"""How long processes that are killed together take to be gone, at most."""

ENDED = (
    "the round's process ended in the middle, killed or stopped from outside; "
    "no site releases anything twice, so a new round may be run"
)


def command(
    scenario: Annotated[Path, typer.Argument(help="The round's choices, in TOML.")],
    folder: Annotated[Path, typer.Option(help="The deployment's folder.")] = Path(),
    out: Annotated[Path | None, typer.Option(help="A folder for results, manifest and model.")] = None,
    report: WithReport = False,  # noqa: FBT002 - flags of the command line
    json: Json = False,  # noqa: FBT002
) -> int:
    """Run one round with the parties that have joined; who is there, stages and drop-outs as they happen."""
    page = report_page(out, wanted=report)
    launch.require()
    own = (folder / COORDINATOR).absolute()
    coordinator = Coordinator(own)
    if processes.alive(own) is None:
        raise ValueError(
            f"no coordinator is running for {folder}; start it with `securenb deploy up {folder}`"
        )
    if out is not None and out.exists():
        raise ValueError(f"{out} exists; choose another folder")
    choices = tomllib.loads(scenario.read_text(encoding="utf-8"))
    if "test_file" in choices:
        choices["test_file"] = str((scenario.parent / choices["test_file"]).absolute())
    try:
        with held(own / ORDERING):
            place, last = _round(own, coordinator, choices, quiet=json)
    except BlockingIOError:
        raise ValueError(
            f"another `securenb deploy run` works for {folder}: wait until it has ended"
        ) from None
    if last["event"] == "aborted":
        raise Abort(str(last["why"]))
    result = place / RESULT
    if out is not None:
        shutil.copytree(result, out)
        write_report(page)
    rows = json_format.loads((result / "opened.json").read_text(encoding="utf-8"))
    witnesses = read_witnesses(result) if (result / WITNESSES).exists() else {}
    if json:
        console.show_json({"round": place.name, "opened": rows})
        return ending(witnesses.values())
    console.say((result / "results.csv").read_text(encoding="utf-8").strip())
    for each in witnesses.values():
        console.say(report_witnesses(each))
    console.say(
        f"written to {result if out is None else out}: results.csv, model.json, manifest.json, receipt.json"
    )
    return ending(witnesses.values())


def _round(
    own: Path, coordinator: Coordinator, choices: dict[str, Any], *, quiet: bool
) -> tuple[Path, dict[str, Any]]:
    """Order a round and follow it to its end; its folder, and the last line of its progress."""
    place = coordinator.order(choices)
    seen = (own / launch.LOG).stat().st_size
    submit = launch.submit(own, own / APP / "securenb-round", place.name)
    done = subprocess.run(
        submit.arguments, env=submit.environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ValueError(
            f"the coordinator did not take the round: {launch.last_line(done.stdout + done.stderr)}"
        )
    return place, _follow(own, place, seen, quiet=quiet)


def _follow(own: Path, place: Path, seen: int, *, quiet: bool) -> dict[str, Any]:
    """Show progress until the round has ended; its last line. `seen` is the end of Flower's log before it."""
    log, shown = Log(place / PROGRESS), 0
    began = time.monotonic()
    while True:
        ended = shown and not is_held(place / RUNNING)  # looked at before its last line is read
        for line in log.lines()[shown:]:
            shown += 1
            if not quiet:
                console.say(_told(line))
            if line["event"] in ("opened", "aborted"):
                return line
        if processes.alive(own) is None:
            raise Abort(
                "the coordinator died; `securenb deploy up` starts it again; no site releases anything twice"
            )
        if ended:
            time.sleep(DYING_SECONDS)
            if processes.alive(own) is not None:  # else all died at once, and that is said above
                log.write("aborted", why=ENDED)
            continue
        if not shown and (why := launch.said_since(own / launch.LOG, seen, REFUSED)):
            raise Abort(why)
        if not shown and time.monotonic() - began > SUBMIT_SECONDS:
            raise Abort(f"the coordinator did not begin, see {own / launch.LOG}")
        time.sleep(0.2)


def _told(line: dict[str, Any]) -> str:
    match line["event"]:
        case "stage":
            return (
                f"stage {line['name']}: {line['answered']} of {line['asked']} answered "
                f"in {line['seconds']:.1f} s ({line['carried']:,} B)"
            )
        case event:
            rest = ", ".join(f"{value}" for key, value in line.items() if key not in ("at", "event"))
            return f"{event}: {rest}"
