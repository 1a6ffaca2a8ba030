"""One list of members for each group: what the holders of a committee confirm to one another.

A holder answers for a group once a quorum of holders has signed the same list of its members. The argument,
and its conditions, are in docs/decisions/holders-confirm-one-list.md.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from protocols.canonical import Canonical, digest
from protocols.credentials import Credentials, made_on_the_spot
from protocols.entropy import Entropy, EntropyFor
from protocols.errors import FaultyParty, TooFewParties
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.primitives.box import KeyExchange, check_exchange
from protocols.protocol import Protocol
from protocols.session import Session
from protocols.session_rules import RefusedSession, SessionRule
from protocols.wire import Message

LIST_BYTES = 32


class Confirmed(Message, frozen=True):
    """The list of each group that a holder was told, 32-byte digests, and its signature under all of them."""

    groups: tuple[int, ...]
    lists: bytes
    signature: bytes


@dataclass(frozen=True)
class ConfirmingCommittee(Protocol):
    """A protocol whose sums are opened by a quorum of holders, who confirm one list for each group.

    Parameters
    ----------
    holders
        How many there are.
    quorum
        How many of them open a sum.
    corrupt_holders
        At most so many of them work with the server; 2·`quorum` is more than `holders` + `corrupt_holders`.
    key_exchange
        What boxes for holders are sealed with: ``"hybrid"``, X25519 with ML-KEM-768, or ``"x25519"``, which
        a quantum computer would open. See docs/decisions/keys-are-hybrid.md.

    Raises
    ------
    RefusedSession
        If a server that lies could have two lists of one group answered, or the quorum cannot be.
    """

    holders: int = 5
    quorum: int = 4
    corrupt_holders: int = 2
    key_exchange: KeyExchange = "hybrid"

    def keeps_from(self, size: int, *, malicious: bool) -> int:
        """See `Protocol.keeps_from`: holders confirm one list, whatever the aggregator tells them."""
        return size - 2

    def __post_init__(self) -> None:
        super().__post_init__()
        check_exchange(self.key_exchange)
        holders, quorum, corrupt = self.holders, self.quorum, self.corrupt_holders
        if not holders < 2 * quorum <= 2 * holders:
            raise RefusedSession(
                SessionRule.THRESHOLD,
                f"a quorum is more than half of the {holders} holders, got {quorum}",
            )
        if corrupt < 0 or 2 * quorum <= holders + corrupt:
            raise RefusedSession(
                SessionRule.THRESHOLD,
                f"with {corrupt} corrupt of {holders} holders and a quorum of {quorum}, a server that lies "
                f"{'' if corrupt < 0 else 'could have two lists of a group answered: '}"
                f"2*quorum must be more than holders + corrupt_holders and the latter at least 0; "
                f"{self._remedy()}",
            )

    def _remedy(self) -> str:
        """The smallest changes that make the committee safe."""
        changes = []
        needed = (self.holders + max(self.corrupt_holders, 0)) // 2 + 1
        if needed <= self.holders:
            changes.append(f"quorum={needed}")
        changes.append(f"corrupt_holders={2 * self.quorum - self.holders - 1}")
        return "safe is " + " or ".join(changes)

    def check(self, session: Session) -> None:
        """See `Protocol.check`; also refuses a session with other parameters than these."""
        super().check(session)
        if session.protocol != repr(self):
            raise RefusedSession(
                SessionRule.SAME_PARAMETERS, f"the session is one of {session.protocol}, not of {self!r}"
            )

    def holder_ids(self, session: Session) -> tuple[PartyId, ...]:
        """The holders among the session's trustees."""
        return session.trustees[len(session.trustees) - self.holders :]

    def trustees(self, session: Session, entropy: EntropyFor) -> dict[PartyId, Party]:
        """See `Protocol.trustees`; identities are made on the spot, and releases forgotten afterwards."""
        credentials = made_on_the_spot(session.trustees, entropy)
        return {
            trustee: self.trustee(trustee, session, entropy(trustee), credentials[trustee])
            for trustee in session.trustees
        }

    @abstractmethod
    def trustee(
        self, me: PartyId, session: Session, entropy: Entropy, credentials: Credentials | None = None
    ) -> Party:
        """See `Protocol.trustee`.

        Parameters
        ----------
        credentials
            A holder needs them: its identity key, the roster of all, and its memory of releases.

        Raises
        ------
        RefusedSession
            If the session breaks a rule, or a holder's credentials are missing or not its own.
        """

    def one_list(self, me: PartyId, session: Session, credentials: Credentials | None) -> "OneList":
        """What holder `me` confirms and hears confirmed in `session`."""
        self.check(session)
        holders = self.holder_ids(session)
        if credentials is None:
            raise RefusedSession(
                SessionRule.IDENTITIES, f"{me} needs credentials, to sign which list of members it was told"
            )
        if unknown := [holder for holder in holders if holder not in credentials.roster]:
            raise RefusedSession(SessionRule.IDENTITIES, f"not in the roster: {', '.join(unknown[:5])}")
        if credentials.identity.public != credentials.roster[me]:
            raise RefusedSession(SessionRule.IDENTITIES, f"these are not the credentials of {me}")
        return OneList(me, session, holders, self.quorum, credentials)


class OneList:
    """What one holder confirms, and has heard confirmed, in one session.

    Parameters
    ----------
    me
        The holder.
    session
        What its signatures are bound to, with the roster.
    holders
        Who confirms, itself among them.
    quorum
        How many confirm a list before it is answered.
    credentials
        The holder's.
    """

    def __init__(
        self,
        me: PartyId,
        session: Session,
        holders: Sequence[PartyId],
        quorum: int,
        credentials: Credentials,
    ) -> None:
        self._me = me
        self._session = session
        self._quorum = quorum
        self._credentials = credentials
        self._binding = digest("securenb committee", session.digest, credentials.roster.digest)
        self._others = [holder for holder in holders if holder != me]
        self._heard: Intake[Mapping[int, bytes]] = Intake(self._others)
        self._mine: Mapping[int, bytes] = {}

    def list_of(self, group: int, members: Sequence[PartyId], contents: Sequence[Canonical] = ()) -> bytes:
        """The digest of a group's members, in order, and of what each of them sent."""
        return digest("securenb list of members", self._binding, group, list(members), list(contents))

    def confirm(self, lists: Mapping[int, bytes]) -> list[Envelope]:
        """Claim the one release, then tell the other holders, and the server, which lists these are.

        The claim comes first: a holder that is started again has confirmed already, and does so no more.

        Raises
        ------
        Abort
            If the release was claimed before.
        """
        self._credentials.releases.claim(self._me, self._session)
        self._mine = dict(lists)
        groups, joined = tuple(lists), b"".join(lists.values())
        signature = self._credentials.identity.sign(self._statement(self._me, groups, joined))
        body = Confirmed(groups, joined, signature)
        return [Envelope(self._me, other, body) for other in (*self._others, AGGREGATOR)]

    def hear(self, sender: PartyId, body: Confirmed) -> None:
        """Keep what another holder confirmed, whichever lists these are.

        Raises
        ------
        FaultyParty
            If it has confirmed before, is no other holder, or did not sign this.
        """
        self._heard.check(sender)
        groups = body.groups
        if len(set(groups)) != len(groups) or len(body.lists) != LIST_BYTES * len(groups):
            raise FaultyParty(sender, "confirmed a group twice, or no list for each")
        if not self._credentials.roster.signed(
            sender, self._statement(sender, groups, body.lists), body.signature
        ):
            raise FaultyParty(sender, "did not sign what it confirmed")
        lists = [body.lists[at : at + LIST_BYTES] for at in range(0, len(body.lists), LIST_BYTES)]
        self._heard.admit(sender, dict(zip(groups, lists, strict=True)))

    @property
    def told(self) -> bool:
        """Whether the holder itself has confirmed."""
        return bool(self._mine)

    @property
    def confirmed(self) -> tuple[int, ...]:
        """The groups for which a quorum, the holder included, has confirmed the list that it was told."""
        heard = self._heard.received.values()
        return tuple(
            group
            for group, mine in self._mine.items()
            if 1 + sum(lists.get(group) == mine for lists in heard) >= self._quorum
        )

    @property
    def complete(self) -> bool:
        """Whether that is so for every group it was asked for."""
        return self.told and len(self.confirmed) == len(self._mine)

    def too_few(self) -> TooFewParties:
        """The error for a holder that may answer for no group."""
        return TooFewParties(
            self._heard.missing,
            f"fewer than {self._quorum} holders confirmed to {self._me} the members that it was told",
        )

    def _statement(self, holder: PartyId, groups: Sequence[int], lists: bytes) -> bytes:
        return digest("securenb confirmed lists", self._binding, holder, list(groups), lists)
