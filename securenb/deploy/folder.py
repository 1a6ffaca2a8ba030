"""Makes the folder of a deployment: a part for the coordinator, and one to hand to each other party."""

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from protocols.party import AGGREGATOR, PartyId
from protocols.protocol import PROTOCOLS
from securenb.deploy.keys import make_certificates, make_identity, write_roster
from securenb.deploy.launch import app_file
from securenb.deploy.limits import Limits
from securenb.deploy.public_keys import PublicKeys, make_keys, of_all
from securenb.deploy.safety import COLLUDING, CORRUPT, CORRUPT_HOLDERS, KEY_EXCHANGE, PROFILE
from securenb.experiments.checked import checked
from securenb.schema.toml import read_schema

COORDINATOR, PARTIES, NODE_KEYS, APP = "coordinator", "parties", "node-keys", "app"


def init(
    folder: Path,
    schema: Path,
    sites: Sequence[str],
    protocols: Sequence[str],
    address: str,
    listen: str,
    keys: Iterable[PublicKeys] | None,
) -> list[PartyId]:
    """Make `folder`; the names of all parties in it, trustees last.

    Parameters
    ----------
    schema
        The public schema, as TOML.
    protocols
        Those that sites will agree to; trustees follow from them.
    address
        ``host:port`` at which the coordinator will be reached.
    listen
        On which of its own addresses it will listen.
    keys
        Those that the parties made, each its own. `None` makes all parties' here, secret halves and all:
        for trials, in which all machines have one owner.

    Raises
    ------
    ValueError
        If the folder exists, or any of this makes no sense.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise ValueError(f"the address is host:port, got {address!r}")
    if len(sites) < 2 or len(set(sites)) != len(sites):
        raise ValueError(f"needs at least two sites with different names, got {', '.join(sites)}")
    read_schema(schema)
    trustees = list(dict.fromkeys(name for p in protocols for name in PROTOCOLS.build(p).trustee_ids(sites)))
    for name in sites:
        if not name.replace("-", "").replace("_", "").isalnum() or name in (AGGREGATOR, *trustees):
            raise ValueError(f"{name!r} cannot be a site's name: letters, digits, - and _, not a role's")
    limits = checked(
        Limits,
        party=AGGREGATOR,
        protocols=tuple(protocols),
        smallest_group=min(3, len(sites)),
        smallest_threshold=2 * len(sites) // 3 + 1,
        smallest_colluding=COLLUDING,
        smallest_corrupt=CORRUPT,
        smallest_corrupt_holders=CORRUPT_HOLDERS,
        profile=PROFILE,
        key_exchange=KEY_EXCHANGE,
    )
    names = [*sites, *trustees]
    public = None if keys is None else of_all(keys, names)
    if folder.exists():
        raise ValueError(f"{folder} exists; keys are never replaced")
    own = folder / COORDINATOR
    (own / NODE_KEYS).mkdir(parents=True)
    folder.chmod(0o700)
    make_certificates(own, host)
    roster = {AGGREGATOR: make_identity(own / "identity.key").public}
    for party in names:
        place = folder / PARTIES / party
        place.mkdir(parents=True)
        theirs = make_keys(place, party) if public is None else public[party]
        roster[party] = theirs.identity
        (own / NODE_KEYS / f"{party}.pub").write_text(theirs.node + "\n", encoding="ascii")
        shutil.copy(own / "ca.pem", place)
        (place / "coordinator").write_text(address + "\n", encoding="utf-8")
        (place / "site.toml").write_text(_site_file(party, limits, trustee=party in trustees))
        (place / "README.md").write_text(_site_page(party, address, trustee=party in trustees))
    for place in (own, *(folder / PARTIES / party for party in names)):
        write_roster(place / "roster.toml", roster)
        shutil.copy(schema, place / "schema.toml")
    (own / APP / "securenb-round").mkdir(parents=True)
    (own / APP / "securenb-round" / "pyproject.toml").write_text(app_file(), encoding="utf-8")
    (own / "deployment.toml").write_text(_settings_file(sites, trustees, address, listen), encoding="utf-8")
    (folder / "README.md").write_text(_page(names, trial=public is None), encoding="utf-8")
    return names


def _listed(names: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _site_file(party: PartyId, limits: Limits, *, trustee: bool) -> str:
    lines = [
        "# What this party agrees to. Checked here before anything is sent, whatever the coordinator says.",
        f'party = "{party}"',
        f"protocols = {_listed(limits.protocols)}",
        "# the fewest sites that may be summed together, and that a sum may be opened with",
        f"smallest_group = {limits.smallest_group}",
        f"smallest_threshold = {limits.smallest_threshold}",
        "# what a round must withstand: sites that tell their own noise, the fraction of sites and number of",
        "# committee members that work with the coordinator, and whether it lies or is only semi-honest",
        f"smallest_colluding = {limits.smallest_colluding}",
        f"smallest_corrupt = {limits.smallest_corrupt}",
        f"smallest_corrupt_holders = {limits.smallest_corrupt_holders}",
        f'profile = "{limits.profile}"',
        "# what boxes for a committee are sealed with, at least",
        f'key_exchange = "{limits.key_exchange}"',
    ]
    if not trustee:
        lines += [
            "# what one round, and all rounds together, may cost a record: no default, you decide",
            '# epsilon_per_round = "1"',
            '# budget = "3"',
            "# the most records that you may ever hold; a plan that counts on fewer is refused",
            f"record_cap = {limits.record_cap}",
        ]
    lines += [
        "# rounds with a seed, in which nothing is secret: for made-up records only",
        "simulations = false",
    ]
    return "\n".join(lines) + "\n"


def _settings_file(sites: Sequence[str], trustees: Sequence[str], address: str, listen: str) -> str:
    return "\n".join(
        [
            "# Where sites reach the coordinator, and the address of this machine on which it listens.",
            f'address = "{address}"',
            f'listen = "{listen}"',
            f"sites = {_listed(sites)}",
            f"trustees = {_listed(trustees)}",
            "# how long a round waits for parties to be there, and a stage for the slowest of them",
            "wait_seconds = 120",
            "stage_seconds = 120",
            "",
        ]
    )


def _page(names: Sequence[str], *, trial: bool) -> str:
    parties = "\n".join(f"- `{PARTIES}/{party}/`" for party in names)
    handing = (
        "This is a TRIAL: all parties' secret keys were made here, so a reader of this folder can speak for\n"
        "all. Fine where one person owns all machines; for anything else, let each party make its own\n"
        "keys with `securenb deploy key`."
        if trial
        else "Nothing in them is secret; but what a party gets must be what was made here: hand them over a\n"
        "channel that no other party writes to."
    )
    return f"""# A securenb deployment

`{COORDINATOR}/` stays here. Each of these folders goes to its party:

{parties}

{handing}

Then, here: `securenb deploy up .`, and once the parties have joined,
`securenb deploy run SCENARIO.toml --folder .`. `securenb deploy status .` says who is there,
`securenb deploy down .` ends everything.
"""


def _site_page(party: PartyId, address: str, *, trustee: bool) -> str:
    data = "" if trustee else " --data YOUR.csv"
    records = (
        "You hold no records; you take part so that no other party has to be trusted with sums."
        if trustee
        else "Your records stay on this machine: only sums with noise leave it, sealed as the protocol says."
    )
    return f"""# {party}

{records}

1. `python3 -m pip install "securenb[flower]"`
2. Copy these files into the folder in which `securenb deploy key` made your keys.
3. Read `site.toml` and edit it: it is what you agree to, and it is checked here before anything is sent.
4. Compare `roster.toml` with the other parties' over the telephone.
5. `securenb deploy join .{data}` connects to {address} and stays until you stop it. You need no open port.

Before that, `securenb deploy join .{data} --dry-run SCENARIO.toml` shows exactly what would be sent.
`log.jsonl` tells what happened; `ledger.jsonl` and `releases/` are what keeps a session from being
released twice: never delete them.
"""
