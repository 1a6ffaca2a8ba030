"""What a node brings to every session: who it is, who the others are, and what it has released already."""

from collections.abc import Iterable
from dataclasses import dataclass

from protocols.entropy import EntropyFor
from protocols.party import PartyId
from protocols.primitives.identity import IDENTITY_SEED_BYTES, Identity, Roster
from protocols.releases import Releases


@dataclass(frozen=True)
class Credentials:
    """A node's long-term state, kept by the operator of the node.

    Attributes
    ----------
    identity
        The node's signing key; made once, its public half is in the roster of all.
    roster
        The identity keys of all nodes, which reached the node by a way that the aggregator does not
        control. Its digest is bound into every key and signature, so nodes with different rosters
        cannot run together.
    releases
        The node's memory of the sessions it released something in; kept across restarts.
    """

    identity: Identity
    roster: Roster
    releases: Releases


def made_on_the_spot(nodes: Iterable[PartyId], entropy: EntropyFor) -> dict[PartyId, Credentials]:
    """All parties' credentials, fresh: for runs in one process, where none could have met before."""
    identities = {node: Identity(entropy(f"identity of {node}")(IDENTITY_SEED_BYTES)) for node in nodes}
    roster = Roster({node: identity.public for node, identity in identities.items()})
    return {node: Credentials(identity, roster, Releases()) for node, identity in identities.items()}
