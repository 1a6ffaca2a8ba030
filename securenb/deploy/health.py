"""What keeps a party of a deployment from working, found before a round needs it: one finding, one line."""

import importlib.metadata
import importlib.util
import shutil
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPSConnection
from pathlib import Path
from typing import Literal

from cryptography import x509

from securenb.deploy import processes
from securenb.deploy.coordinator import Coordinator
from securenb.deploy.folder import COORDINATOR, NODE_KEYS
from securenb.deploy.keys import read_identity
from securenb.deploy.site import DATA, Site
from securenb.privacy.budget import Budget
from securenb.privacy.ledger import shown

State = Literal["fine", "look", "broken"]

SOON = timedelta(days=60)
"""Certificates that end sooner are spoken of: new ones must reach every site by hand."""

LEAST_DISK = 100 * 2**20
"""Free bytes below which a journal or ledger may soon not be written."""

CONTACT_SECONDS = 5.0

AHEAD, BEHIND = timedelta(seconds=5), timedelta(seconds=300)
"""What Flower forgives a site's clock: it refuses signatures from the future and old ones."""

EARLY, EXPIRED, WRONG_HOST = 9, 10, (62, 64)
"""OpenSSL's codes (`X509_V_ERR_…`) of certificates not yet valid, expired, of another name or address."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes
    ----------
    what
        Was looked at.
    state
        `fine`; `look` at it, though rounds work; `broken`: no round works.
    said
        What was found.
    mend
        What mends it, if anything must.
    """

    what: str
    state: State
    said: str
    mend: str = ""


def certificate(path: Path, now: datetime) -> Finding:
    """Whether a certificate is valid at a moment, and for how long yet."""
    renew = "`securenb deploy renew` where the coordinator is, then bring its ca.pem to every party"
    try:
        found = x509.load_pem_x509_certificate(path.read_bytes())
    except (OSError, ValueError) as error:
        return Finding(path.name, "broken", f"{path} holds no certificate ({type(error).__name__})", renew)
    begin, end = found.not_valid_before_utc, found.not_valid_after_utc
    if now < begin:
        clock = "set this machine's clock"
        return Finding(path.name, "broken", f"{path} is valid only from {begin:%Y-%m-%d %H:%M} UTC", clock)
    if now > end:
        return Finding(path.name, "broken", f"{path} expired on {end:%Y-%m-%d}", renew)
    said = f"valid until {end:%Y-%m-%d}, {(end - now).days} days"
    return Finding(path.name, "look", said, renew) if end - now < SOON else Finding(path.name, "fine", said)


def contact(authority: Path, address: str) -> Finding:
    """Whether a coordinator answers, with the certificate to expect and with our time of day.

    Parameters
    ----------
    authority
        `ca.pem`.
    address
        ``host:port`` of the coordinator.
    """
    host, _, port = address.rpartition(":")
    what = f"coordinator at {address}"
    try:
        context = ssl.create_default_context(cafile=str(authority))
        connection = HTTPSConnection(host.strip("[]"), int(port), timeout=CONTACT_SECONDS, context=context)
        try:
            connection.request("GET", "/")
            told = connection.getresponse().getheader("Date")
        finally:
            connection.close()
    except ssl.SSLCertVerificationError as error:
        said, mend = _distrusted(error.verify_code)
        return Finding(what, "broken", said, mend)
    except (OSError, HTTPException, ValueError) as error:
        mend = "`securenb deploy up` there; an open port in its firewall"
        return Finding(what, "look", f"does not answer ({type(error).__name__})", mend)
    if told is None:
        return Finding(what, "look", "answers without its time of day", "see whether it is the coordinator")
    ahead = datetime.now(UTC) - parsedate_to_datetime(told)
    seconds = round(ahead.total_seconds())
    said = f"our clock is {abs(seconds)} s {'ahead of' if seconds > 0 else 'behind'} the coordinator's"
    mend = "set this machine's clock (NTP); the coordinator takes no signature from the future"
    # it tells whole seconds
    if ahead >= AHEAD + timedelta(seconds=1) or ahead <= -BEHIND:
        return Finding(what, "broken", said, mend)
    if abs(seconds) > 2:
        return Finding(what, "look", said, mend)
    return Finding(what, "fine", "answers, with the certificate to expect and our time of day")


def _distrusted(code: int) -> tuple[str, str]:
    if code == EXPIRED:
        return "the coordinator's certificate, or our ca.pem, has expired", (
            "`securenb deploy renew` where the coordinator is, then bring its ca.pem here; if it is valid, "
            "set this machine's clock"
        )
    if code == EARLY:
        return "the coordinator's certificate is not yet valid by our clock", "set this machine's clock (NTP)"
    if code in WRONG_HOST:
        return "the coordinator's certificate is for another host", (
            "call the coordinator by the host that `securenb deploy init --address` named"
        )
    return (
        "the coordinator's certificate is not signed by our ca.pem",
        "take ca.pem from the coordinator again",
    )


def of_site(folder: Path) -> Iterator[Finding]:
    """What is found in a party's folder, and on the way to the coordinator; it writes nothing."""
    site = Site(folder)
    yield _flower()
    yield certificate(folder / "ca.pem", datetime.now(UTC))
    yield contact(folder / "ca.pem", (folder / "coordinator").read_text(encoding="utf-8").strip())
    yield _keys(site)
    try:
        limits = site.limits
    except ValueError as error:
        yield Finding("limits", "broken", str(error), "edit that line")
        return
    if limits.epsilon_per_round is None or limits.budget is None:
        decide = "set both in site.toml, unless this party holds no records"
        yield Finding("limits", "look", "epsilon_per_round and budget are not decided", decide)
    elif limits.smallest_group < 3:
        said = f"smallest_group = {limits.smallest_group}: of two sites, either knows the other's sums"
        yield Finding("limits", "look", said, "smallest_group = 3 or more, or keep this decision in writing")
    elif limits.simulations:
        said = "simulations = true: in rounds with a seed nothing is secret"
        yield Finding("limits", "look", said, "simulations = false")
    else:
        yield Finding("limits", "fine", f"{', '.join(limits.protocols)}; groups of {limits.smallest_group}")
    yield from _memory(site)
    if (folder / DATA).exists():
        try:
            yield Finding("records", "fine", f"{len(site.node().records):,} records")
        except (ValueError, OSError) as error:
            yield Finding("records", "broken", str(error), "`securenb deploy join --data`, which says why")
    yield _disk(folder)


def of_coordinator(folder: Path) -> Iterator[Finding]:
    """What is found in a deployment's folder; it writes nothing."""
    own = folder / COORDINATOR
    coordinator = Coordinator(own)
    yield _flower()
    try:
        settings, roster = coordinator.settings, coordinator.roster
    except ValueError as error:
        yield Finding("settings", "broken", str(error), "edit that line")
        return
    now = datetime.now(UTC)
    for name in ("ca.pem", "server.pem"):
        yield certificate(own / name, now)
    parties = (*settings.sites, *settings.trustees)
    without = [
        party for party in parties if party not in roster or not (own / NODE_KEYS / f"{party}.pub").exists()
    ]
    if without:
        said = f"{', '.join(without)} without an identity in roster.toml or a key in {NODE_KEYS}/"
        yield Finding("keys", "broken", said, "put that party's keys back from a copy")
    else:
        yield Finding("keys", "fine", f"{len(parties)} parties")
    if processes.alive(own) is None:
        yield Finding("process", "look", "the coordinator is not running", f"`securenb deploy up {folder}`")
    else:
        yield contact(own / "ca.pem", settings.here)
    yield _disk(own)


def _flower() -> Finding:
    if importlib.util.find_spec("flwr") is None:
        return Finding("Flower", "broken", "is not installed", 'python3 -m pip install "securenb[flower]"')
    return Finding("Flower", "fine", importlib.metadata.version("flwr"))


def _keys(site: Site) -> Finding:
    secrets = [site.folder / name for name in ("identity.key", "node.key")]
    try:
        mine = read_identity(secrets[0]).public
        known = mine in site.roster.values()
    except ValueError as error:
        return Finding("keys", "broken", str(error), "put the keys back from a copy")
    if not known:
        said = "roster.toml does not name the key in identity.key"
        return Finding("keys", "broken", said, "take roster.toml from the coordinator again")
    if loose := [path for path in secrets if path.exists() and path.stat().st_mode & 0o077]:
        names = " ".join(map(str, loose))
        return Finding("keys", "look", "other users of this machine may read them", f"chmod 600 {names}")
    return Finding("keys", "fine", f"roster {site.roster.digest.hex()[:16]}")


def _memory(site: Site) -> Iterator[Finding]:
    """The ledger, and the sessions that it took part in."""
    back = "put the folder back from a copy; never delete ledger.jsonl or releases/"
    if not (site.folder / "ledger.jsonl").exists():  # reading it would make it
        yield Finding("ledger", "fine", "nothing is spent")
        return
    try:
        account = site.ledger.account()
    except (ValueError, OSError) as error:
        yield Finding("ledger", "broken", str(error), back)
        return
    if account.payments and not (site.folder / "releases").exists():
        yield Finding("releases", "broken", "the sessions that this site took part in are gone", back)
    if site.limits.budget is None:
        return
    allowed = Budget.parse(site.limits.budget)
    spent = account.epsilon(allowed.delta)
    said = f"{'unbounded' if spent is None else shown(spent)} of {allowed} is spent"
    if spent is None or spent >= allowed.epsilon:
        yield Finding("ledger", "broken", said, "no further round, or a larger budget: its owner decides")
    else:
        yield Finding("ledger", "fine", said)


def _disk(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    said = f"{free / 2**20:,.0f} MiB free"
    return (
        Finding("disk", "fine", said)
        if free >= LEAST_DISK
        else Finding("disk", "broken", said, f"make room on the disk of {folder}")
    )
