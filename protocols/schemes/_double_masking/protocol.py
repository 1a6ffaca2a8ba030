"""What `secagg` and `secagg_plus` have in common: the rules that a session must keep, and the parties."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from protocols.credentials import Credentials, made_on_the_spot
from protocols.entropy import Entropy, EntropyFor
from protocols.party import AGGREGATOR, Party, PartyId
from protocols.primitives.harary import Neighbourhoods
from protocols.primitives.identity import Roster
from protocols.protocol import Protocol
from protocols.ring import Integers
from protocols.schemes._double_masking.aggregator import Aggregator
from protocols.schemes._double_masking.messages import MESSAGES
from protocols.schemes._double_masking.node import Node
from protocols.schemes._double_masking.terms import Terms
from protocols.session import Session
from protocols.session_rules import RefusedSession, SessionRule
from protocols.wire import Message

Profile = Literal["semi-honest", "malicious"]


@dataclass(frozen=True)
class DoubleMasking(Protocol):
    """Double masks with drop-out recovery over some graph of neighbours.

    Parameters
    ----------
    profile
        ``"semi-honest"``: the aggregator keeps to the protocol and tries to learn from what it receives.
        ``"malicious"``: it may send anything to any party; nodes sign their keys and the survivors, and need
        `Credentials`.
    """

    profile: Profile = "malicious"

    messages: ClassVar[tuple[type[Message], ...]] = MESSAGES
    smallest_group: ClassVar[int] = 3

    def __post_init__(self) -> None:
        if self.profile not in get_args(Profile):
            raise ValueError(f"profile must be one of {get_args(Profile)}, got {self.profile!r}")

    @abstractmethod
    def graph(self, session: Session, group: int) -> tuple[Neighbourhoods, int]:
        """Who holds whose shares in a group, and how many of them rebuild a secret.

        Raises
        ------
        RefusedSession
            If that number breaks the rule of the threshold.
        """

    @abstractmethod
    def withstands(self, size: int) -> int:
        """The most corrupt nodes in a group of `size` that learn nothing but sums.

        Malicious profile: together with an aggregator that lies. Semi-honest: with one that shows them what
        it saw.
        """

    def keeps_from(self, size: int, *, malicious: bool) -> int:
        """See `Protocol.keeps_from`."""
        return -1 if malicious and self.profile == "semi-honest" else self.withstands(size)

    def partners(self, size: int) -> int:
        """See `Protocol.partners`: all others, on the complete graph."""
        return size - 1

    def check(self, session: Session) -> None:
        """See `Protocol.check`."""
        super().check(session)
        if session.protocol != repr(self):
            raise RefusedSession(
                SessionRule.SAME_PARAMETERS, f"the session is one of {session.protocol}, not of {self!r}"
            )
        for group in range(len(session.groups)):
            self.graph(session, group)

    def check_threshold(self, threshold: int, holders: int) -> None:
        """Raise `RefusedSession` unless so many of a secret's holders are enough to rebuild it.

        With t of h, a malicious aggregator gets two sets of survivors confirmed only with the help of 2t - h
        holders; more than two thirds makes that more than a third. With more than half no two disjoint sets
        can both rebuild. See docs/decisions/survivors-are-proved-not-signed.md.
        """
        parts, share = (3, "two thirds") if self.profile == "malicious" else (2, "half")
        if parts * threshold <= (parts - 1) * holders:
            raise RefusedSession(
                SessionRule.THRESHOLD,
                f"the {self.profile} profile needs more than {share} of {holders} holders, got {threshold}",
            )

    def node(
        self,
        me: PartyId,
        vector: Integers,
        session: Session,
        entropy: Entropy,
        credentials: Credentials | None = None,
    ) -> Party:
        """See `Protocol.node`.

        Parameters
        ----------
        credentials
            Needed in the malicious profile; in the semi-honest one only its memory of releases is used.

        Raises
        ------
        ValueError
            If the session breaks a rule, or credentials are missing or not of this node.
        """
        self.check(session)
        self.check_vectors({me: vector}, session)
        roster = None if credentials is None else credentials.roster
        terms = self.terms(session, session.group_of[me], roster)
        return Node(me, vector, terms, entropy, credentials)

    def aggregator(self, session: Session, entropy: Entropy, roster: Roster | None = None) -> Party:
        """See `Protocol.aggregator`; uses no entropy. In the malicious profile it needs the roster."""
        return Aggregator([self.terms(session, group, roster) for group in range(len(session.groups))])

    def terms(self, session: Session, group: int, roster: Roster | None) -> Terms:
        """What all nodes of a group agree on; `ValueError` if the malicious profile lacks a node's key."""
        neighbourhoods, threshold = self.graph(session, group)
        nodes = session.groups[group]
        if self.profile == "semi-honest":
            roster = None
        elif roster is None:
            raise RefusedSession(
                SessionRule.IDENTITIES, "the malicious profile needs the roster of identity keys"
            )
        elif unknown := [node for node in nodes if node not in roster]:
            raise RefusedSession(SessionRule.IDENTITIES, f"not in the roster: {', '.join(unknown[:5])}")
        return Terms(session, group, neighbourhoods, threshold, self.survivors(len(nodes)), roster)

    def parties(
        self, vectors: Mapping[PartyId, Integers], session: Session, entropy: EntropyFor
    ) -> dict[PartyId, Party]:
        """See `Protocol.parties`; identities are made on the spot, and releases forgotten afterwards."""
        self.check_vectors(vectors, session, complete=True)
        credentials = made_on_the_spot(session.nodes, entropy) if self.profile == "malicious" else {}
        roster = next((held.roster for held in credentials.values()), None)
        terms = [self.terms(session, group, roster) for group in range(len(session.groups))]
        parties: dict[PartyId, Party] = {
            node: Node(node, vectors[node], of_group, entropy(node), credentials.get(node))
            for of_group in terms
            for node in of_group.group
        }
        parties[AGGREGATOR] = Aggregator(terms)
        return parties
