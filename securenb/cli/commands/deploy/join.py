"""`securenb deploy join`: take part, with records that stay here."""

import signal
import time
import tomllib
from pathlib import Path
from typing import Annotated

import typer

from securenb.cli import console
from securenb.data.reader import read_records
from securenb.deploy import launch, processes
from securenb.deploy.dry_run import dry_run
from securenb.deploy.health import contact
from securenb.deploy.site import DATA, Site

FORGET_SECONDS, AGAIN_SECONDS = 60.0, 2.0
"""A site that died is taken for connected for 20 s, and one is unknown to a coordinator that has just come
back: it tries again."""


def command(
    folder: Annotated[Path, typer.Argument(help="The party's folder, from `securenb deploy init`.")],
    data: Annotated[Path | None, typer.Option(help="A CSV file with the site's records.")] = None,
    schema: Annotated[
        Path | None, typer.Option(help="The schema you expect, if you have it from elsewhere.")
    ] = None,
    coordinator: Annotated[
        str | None, typer.Option(help="host:port of the coordinator; by default as in the folder.")
    ] = None,
    dry: Annotated[
        Path | None,
        typer.Option("--dry-run", help="A scenario: show what would be sent for it, send nothing."),
    ] = None,
) -> None:
    """Join as a site or a trustee, until interrupted; `securenb deploy down` ends it too."""
    folder = folder.absolute()
    if not (folder / "site.toml").exists():
        raise ValueError(f"{folder} holds no site.toml: copy what the coordinator sent into it")
    site = Site(folder)
    party = site.limits.party
    if schema is not None and (found := Site.schema_of(schema).digest) != site.schema.digest:
        raise ValueError(
            f"{schema} has digest {found.hex()[:16]}, the deployment's schema {site.schema.digest.hex()[:16]}"
        )
    if site.identity.public != site.roster.get(party):
        raise ValueError(f"{folder / 'identity.key'} is not the key of {party} in roster.toml")
    if data is not None:
        records, _ = read_records(data, site.schema)  # says here, and only here, what is wrong with them
        if len(records) > site.limits.record_cap:
            raise ValueError(
                f"{data} holds {len(records):,} records, and record_cap in {folder / 'site.toml'} is "
                f"{site.limits.record_cap:,}: raise it, or hold back records"
            )
        (folder / DATA).write_text(str(data.absolute()), encoding="utf-8")
        console.say(f"{party}: {len(records):,} records, which stay here")
    if dry is not None:
        console.say(dry_run(site, tomllib.loads(dry.read_text(encoding="utf-8"))))
        return
    launch.require()
    address = coordinator or (folder / "coordinator").read_text(encoding="utf-8").strip()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    came_back = (folder / "log.jsonl").exists()
    until = time.monotonic() + (FORGET_SECONDS if came_back else 0.0)
    console.say(f"{party} joins {address}; interrupt to leave")
    console.say(f"roster {site.roster.digest.hex()[:16]}: the other parties must be shown the same")
    while True:
        _trusted(folder, party, address)
        start = launch.site(folder, party, address, max(0.0, until - time.monotonic()))
        process = processes.start(folder, start.arguments, start.environment, folder / launch.LOG)
        try:
            code = process.wait()
        finally:
            processes.end(folder)
        if code == -signal.SIGKILL:
            raise ValueError(f"{party} was killed (signal 9), perhaps for want of memory; join again")
        if code <= 0:  # it was ended from outside
            return
        why = launch.reason(folder / launch.LOG)
        if launch.was_connected(folder / launch.LOG):
            until = time.monotonic() + FORGET_SECONDS
            console.say(f"{party} lost the coordinator, and joins again")
        elif why != launch.UNKNOWN or time.monotonic() > until:
            raise ValueError(f"{party} could not stay: {why}")
        time.sleep(AGAIN_SECONDS)


def _trusted(folder: Path, party: str, address: str) -> None:
    """Refuse a coordinator that cannot be trusted or will not trust us; one that is silent may yet come."""
    found = contact(folder / "ca.pem", address)
    if found.state == "broken":
        raise ValueError(f"{party} could not stay: {found.said}; {found.mend}")
