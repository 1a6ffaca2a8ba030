"""Every node proves that its vector is valid; two or more aggregators verify shares of it, and sum them.

Source: Prio3 (draft-irtf-cfrg-vdaf-20). The aggregator is its leader and its collector; the helpers are
trustees. Deviations: nonces are derived from session and name, so that a report is one node's; helpers'
shares travel through the leader, sealed by X-Wing, HKDF and AES-256-GCM instead of HPKE; each aggregator
adds its own noise to what it releases.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Self

from protocols.entropy import Entropy
from protocols.errors import blaming
from protocols.opened import Opened, enough_present, opened_rows
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.primitives.box import (
    KeyExchange,
    Letter,
    check_box_key,
    check_exchange,
    overhead_bytes,
    seal,
)
from protocols.primitives.vdaf.field import FIELD64, FIELD128
from protocols.primitives.vdaf.prio3 import Prio3
from protocols.primitives.vdaf.validity import ValidVector
from protocols.protocol import Claims, Protocol
from protocols.releases import Releases
from protocols.ring import Integers, to_ring, total
from protocols.schemes._prio3.helper import Helper, NoiseFor, Terms
from protocols.schemes._prio3.leader import Leader
from protocols.schemes._prio3.messages import (
    Key,
    Open,
    Relay,
    Report,
    Sums,
    Verifier,
    VerifyKey,
    nonce_of,
    purpose,
)
from protocols.session import Session
from protocols.validity import Validity, within

ALGORITHM = 0xFFFF0001
"""Our instance of Prio3, in the range that the draft leaves for private use."""

_circuit = lru_cache(maxsize=16)(ValidVector)


class _Node(Party):
    def __init__(
        self, me: PartyId, vector: Integers, protocol: "Verified", session: Session, entropy: Entropy
    ) -> None:
        super().__init__(me)
        self._session = session
        self._vector = vector
        self._circuit, self._prio3 = protocol.circuit(session), protocol.prio3(session)
        self._key_exchange = protocol.key_exchange
        self._entropy = entropy
        self._keys: Intake[bytes] = Intake((AGGREGATOR, *session.trustees))

    def handle(self, envelope: Envelope) -> list[Envelope]:
        sender = envelope.sender
        match envelope.body:
            case Key(public):
                self._keys.check(sender)
                with blaming(sender, "sent an unusable key"):
                    check_box_key(self._key_exchange, public)
                self._keys.admit(sender, public)
            case _:
                raise self.unexpected(envelope)
        return self._report() if self._keys.complete else []

    def _report(self) -> list[Envelope]:
        self.output = True
        encoded, nonce = self._circuit.encode(self._vector), nonce_of(self._session, self.me)
        public, shares = self._prio3.shard(encoded, nonce, self._entropy(self._prio3.random_bytes))
        aggregators = (AGGREGATOR, *self._session.trustees)
        letters = [
            Letter(self._keys.received[who], share, purpose(self._session, self.me, who, public))
            for who, share in zip(aggregators, shares, strict=True)
        ]
        sealed = tuple(seal(self._key_exchange, letters, self._entropy, self.tape))
        return [self.to(AGGREGATOR, Report(public, sealed))]


@dataclass(frozen=True)
class Verified(Protocol):
    """Sums of vectors that were proven valid, unseen.

    A node with an invalid vector is blamed and left out; nothing changes for the others.

    Parameters
    ----------
    validity
        What is proven; `None` for the capacity's bound on every coordinate and nothing else.
    helpers
        Aggregators besides the leader, 1 to 254.
    proofs
        Independent proofs over the 64-bit field, 1 to 255; half as many where sums need the 128-bit one.
    noise
        What each aggregator adds to each row: a full dose each, so that any honest one suffices. `None`
        adds nothing. The capacity's tail must cover all of it.
    releases
        Where aggregators keep what they released. `None`: runs know nothing of one another.
    key_exchange
        What boxes for aggregators are sealed with: ``"hybrid"``, X25519 with ML-KEM-768, or ``"x25519"``,
        which a quantum computer would open. See docs/decisions/keys-are-hybrid.md.
    """

    validity: Validity | None = None
    helpers: int = 1
    proofs: int = 3
    noise: NoiseFor | None = field(default=None, repr=False, compare=False)
    releases: Releases | None = field(default=None, repr=False, compare=False)
    key_exchange: KeyExchange = "hybrid"

    def __post_init__(self) -> None:
        check_exchange(self.key_exchange)

    claims = Claims(
        sees="sums",
        trust="that one aggregator keeps its shares to itself; for validity, that all are honest",
        dropouts="the others are summed, down to the threshold; nothing has to be recovered",
        malicious_aggregator="leaves out nodes or falsifies sums; reads no vector while one helper is honest",
        source="draft-irtf-cfrg-vdaf-20 (Prio3); Boneh et al. 2019 (fully linear proofs)",
    )
    messages = (Key, VerifyKey, Report, Relay, Verifier, Open, Sums)

    def keeps_from(self, size: int, *, malicious: bool) -> int:
        """See `Protocol.keeps_from`."""
        return size - 2

    @classmethod
    def for_tests(cls) -> Self:
        """One proof instead of three."""
        return cls(proofs=1)

    def check(self, session: Session) -> None:
        """See `Protocol.check`; the description must fit the vectors, and some field the description."""
        super().check(session)
        if not 1 <= self.helpers <= 254 or not 1 <= self.proofs <= 255:
            raise ValueError(f"needs 1 to 254 helpers, 1 to 255 proofs, got {self.helpers}, {self.proofs}")
        if self.validity is not None and self.validity.length != session.length:
            raise ValueError(
                f"the validity is of vectors of {self.validity.length} coordinates, not {session.length}"
            )
        self.prio3(session)

    def circuit(self, session: Session) -> ValidVector:
        """What is proven in `session`, over the smallest field that cannot wrap."""
        capacity = session.capacity
        validity = self.validity or within(session.length, capacity.largest_input)
        reach = max(max(-low, high) for low, high in validity.bounds)
        # neither rules nor sums may wrap in the field, not even those of malicious nodes
        needed = 2 * max(validity.largest, capacity.nodes * reach + capacity.tail)
        return _circuit(validity, FIELD64 if needed < FIELD64.modulus else FIELD128)

    def prio3(self, session: Session) -> Prio3:
        """The instance of Prio3 that runs in `session`."""
        circuit = self.circuit(session)
        proofs = self.proofs if circuit.field is FIELD64 else -(-self.proofs // 2)
        return Prio3(ALGORITHM, circuit, 1 + self.helpers, proofs, session.digest)

    def frame_limit(self, session: Session) -> int:
        """See `Protocol.frame_limit`; reports carry proofs, sums carry field elements."""
        prio3 = self.prio3(session)
        sums = len(session.groups) * session.length * prio3.circuit.field.size
        return (
            65_536
            + prio3.share_bytes
            + (512 + overhead_bytes(self.key_exchange)) * self.helpers
            + 64 * len(session.nodes)
            + sums
        )

    def trustee_ids(self, nodes: Sequence[PartyId]) -> tuple[PartyId, ...]:
        """The helpers."""
        return tuple(f"helper-{index}" for index in range(1, 1 + self.helpers))

    def trustee(self, me: PartyId, session: Session, entropy: Entropy) -> Party:
        """A helper; draws its key."""
        return Helper(me, self._terms(session), entropy)

    def node(self, me: PartyId, vector: Integers, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.node`; draws the seeds of shares, and what seals each box.

        An invalid vector is sent all the same, as a malicious node would; ask `Validity.broken` before.
        """
        return _Node(me, vector, self, session, entropy)

    def aggregator(self, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.aggregator`; draws its key and the verification key."""
        return Leader(self._terms(session), entropy)

    def ideal(self, vectors: Mapping[PartyId, Integers], session: Session) -> Opened:
        """See `Protocol.ideal`; invalid vectors are left out, and every aggregator adds its noise."""
        self.check_vectors(vectors, session)
        validity = self.circuit(session).validity
        valid = {n: to_ring(v) for n, v in vectors.items() if not validity.broken(v)}
        members, lost = enough_present(session, valid, self.survivors)
        rows = []
        for group, present in members.items():
            addends = [valid[node] for node in present]
            if self.noise is not None:
                aggregators = (AGGREGATOR, *session.trustees)
                addends += [to_ring(self.noise(who, session, group)) for who in aggregators]
            rows.append(total(addends))
        return opened_rows(session, rows, list(members.values()), lost)

    def _terms(self, session: Session) -> Terms:
        return Terms(
            session, self.prio3(session), self.survivors, self.noise, self.releases, self.key_exchange
        )
