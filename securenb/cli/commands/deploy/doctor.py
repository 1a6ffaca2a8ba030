"""`securenb deploy doctor`: what keeps a party from working, with the command that mends it."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from securenb.cli import console
from securenb.cli.options import Json
from securenb.deploy.folder import COORDINATOR
from securenb.deploy.health import of_coordinator, of_site


def command(
    folder: Annotated[Path, typer.Argument(help="A party's folder, or the deployment's.")],
    json: Json = False,  # noqa: FBT002 - flags of the command line
) -> int:
    """Look at certificates, clock, keys, limits, ledger and disk; exit code 1 if no round can work."""
    folder = folder.absolute()
    if (folder / "site.toml").exists():
        findings = list(of_site(folder))
    elif (folder / COORDINATOR).is_dir():
        findings = list(of_coordinator(folder))
    else:
        raise ValueError(f"{folder} is no folder of a party (site.toml) or a deployment ({COORDINATOR}/)")
    if json:
        console.show_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            mend = f"; {finding.mend}" if finding.mend else ""
            console.say(f"{finding.state:<7} {finding.what}: {finding.said}{mend}")
    return int(any(finding.state == "broken" for finding in findings))
