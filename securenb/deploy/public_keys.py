"""A party's two keys: made where the party is, and only their public halves are handed on."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from protocols.party import PartyId
from protocols.primitives.identity import Roster
from securenb.deploy.keys import make_identity, make_node_key

PUBLIC = "public.toml"


@dataclass(frozen=True)
class PublicKeys:
    """What is public of a party's keys.

    Attributes
    ----------
    party
        Whose they are.
    identity
        What its messages are verified with: an Ed25519 key, 32 bytes.
    node
        What its connection is verified with: an ECDSA key, as one line in OpenSSH's format.
    """

    party: PartyId
    identity: bytes
    node: str


def make_keys(folder: Path, party: PartyId) -> PublicKeys:
    """Make a party's keys in its folder, which is made if need be; refuses to replace any."""
    if not party.replace("-", "").replace("_", "").isalnum():
        raise ValueError(f"{party!r} cannot be a party's name: letters, digits, - and _")
    if found := [name for name in ("identity.key", "node.key") if (folder / name).exists()]:
        raise ValueError(f"{folder / found[0]} exists; keys are never replaced")
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    identity = make_identity(folder / "identity.key").public
    keys = PublicKeys(party, identity, make_node_key(folder / "node.key"))
    lines = [
        "# For the coordinator. The two .key files beside it are secret, and stay where they are.",
        f'party = "{party}"',
        f'identity = "{identity.hex()}"',
        f'node = "{keys.node}"',
    ]
    (folder / PUBLIC).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return keys


def read_public_keys(path: Path) -> PublicKeys:
    """The public keys in a file; a `ValueError` that names it otherwise."""
    try:
        fields = tomllib.loads(path.read_text(encoding="utf-8"))
        keys = PublicKeys(str(fields["party"]), bytes.fromhex(fields["identity"]), str(fields["node"]))
        Roster({keys.party: keys.identity})
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path}: holds no public keys ({error!r}); made by `securenb deploy key`") from None
    return keys


def of_all(keys: Iterable[PublicKeys], parties: Iterable[PartyId]) -> dict[PartyId, PublicKeys]:
    """The keys by party; a `ValueError` unless they are those of exactly these parties."""
    wanted = list(parties)
    by_party: dict[PartyId, PublicKeys] = {}
    for one in keys:
        if one.party not in wanted:
            raise ValueError(f"{one.party} is no party of this deployment; they are {', '.join(wanted)}")
        if by_party.setdefault(one.party, one) is not one:
            raise ValueError(f"{one.party} has two sets of public keys")
    if missing := [party for party in wanted if party not in by_party]:
        raise ValueError(
            f"the public keys of {', '.join(missing)} are missing: each makes its own, `securenb deploy key`"
        )
    return {party: by_party[party] for party in wanted}
