"""`securenb canaries read`: what opened rows tell of the canaries that were planted."""

from pathlib import Path
from typing import Annotated

import typer

from attacks.audit.canaries import judge
from attacks.audit.canary_files import read_canaries, read_round
from attacks.audit.finding import EXIT_CODES
from securenb.cli import console
from securenb.cli.options import Json


def command(
    folder: Annotated[Path, typer.Argument(help="The folder that `securenb canaries plant` made.")],
    runs: Annotated[list[Path], typer.Argument(help="Folders of the rounds, in order.")],
    before: Annotated[
        list[Path] | None, typer.Option(help="Folders of rounds of the same nodes without canaries.")
    ] = None,
    confidence: Annotated[float, typer.Option(help="Of the lower bound.")] = 0.95,
    json: Json = False,  # noqa: FBT002 - a flag of the command line
) -> int:
    """Bound epsilon from opened rows; the exit code is 0 if the claim stands, 1 if it does not."""
    if not 0 < confidence < 1:
        raise ValueError(f"the confidence must be between 0 and 1, got {confidence}")
    planted = read_canaries(folder)
    if len(runs) > len(planted):
        raise ValueError(f"{folder} holds canaries for {len(planted)} rounds, got {len(runs)} runs")
    found = [read_round(canaries, run, before or []) for canaries, run in zip(planted, runs, strict=False)]
    claims = {(claimed, delta) for _, claimed, delta in found}
    if len(claims) != 1:
        raise ValueError("the rounds claim different epsilons: read them one by one")
    claimed, delta = claims.pop()
    judged = [(canaries, rows) for canaries, (rows, _, _) in zip(planted, found, strict=False)]
    finding = judge(judged, claimed, delta, 1 - confidence)
    if json:
        console.show_json({**vars(finding), "delta": delta, "confidence": confidence})
    else:
        how = f"at {confidence:g} confidence, under add-remove"
        what = "no violation found" if finding.verdict == "PASS" else f"not ({claimed:g}, {delta:g})-DP"
        console.say(f"{finding.verdict}: {what} {how}; {finding.evidence}; claimed {claimed:g}")
    return EXIT_CODES[finding.verdict]
