"""The contract of a secure-sum protocol: it opens sums of groups of nodes, nothing finer."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from protocols.catalogue import Catalogue
from protocols.claims import Claims as Claims
from protocols.entropy import Entropy, EntropyFor
from protocols.grouping import Groups
from protocols.opened import Opened, opened_sums
from protocols.parameters import elsewhere
from protocols.party import AGGREGATOR, Party, PartyId
from protocols.ring import WORD_BYTES, Capacity, Integers, to_ring
from protocols.session import SESSION_ID_BYTES, Session
from protocols.session_rules import RefusedSession, SessionRule
from protocols.wire import Codec, Message

PARTY_ID_CHARACTERS = 64


@dataclass(frozen=True)
class Protocol(ABC):
    """A factory of parties. Implementations are frozen dataclasses whose fields are the parameters.

    Their `repr` is part of the session, so parties with different parameters cannot run together.

    Parameters
    ----------
    threshold
        The fewest nodes that a group is opened with; by default more than two thirds of it. Noise
        shares count on it.
    """

    threshold: int | None = field(default=None, metadata=elsewhere("threshold is a choice of its own"))

    claims: ClassVar[Claims]
    messages: ClassVar[tuple[type[Message], ...]]
    smallest_group: ClassVar[int] = 1
    """No session with a smaller group is run, and no sum of fewer nodes is opened.

    3 where a node must not learn another's vector: a sum of two tells either of them the other's.
    """

    def __post_init__(self) -> None:  # noqa: B027 - most have nothing to refuse
        """Refuse parameters that no session could have."""

    @classmethod
    def for_tests(cls) -> Self:
        """An instance with parameters that are small, fast and INSECURE, where that makes a difference."""
        return cls()

    @abstractmethod
    def node(self, me: PartyId, vector: Integers, session: Session, entropy: Entropy) -> Party:
        """The party of node `me`, which contributes `vector` (d,) int64 within the capacity."""

    @abstractmethod
    def aggregator(self, session: Session, entropy: Entropy) -> Party:
        """The party that ends with `output: Opened`."""

    def trustee_ids(self, nodes: Sequence[PartyId]) -> tuple[PartyId, ...]:
        """Who else takes part, besides nodes and aggregator."""
        return ()

    def trustee(self, me: PartyId, session: Session, entropy: Entropy) -> Party:
        """The party of trustee `me`."""
        raise ValueError(f"{type(self).__name__} has no trustee {me!r}")

    def trustees(self, session: Session, entropy: EntropyFor) -> dict[PartyId, Party]:
        """The parties of all trustees, in one process."""
        return {trustee: self.trustee(trustee, session, entropy(trustee)) for trustee in session.trustees}

    @property
    def makes_keys(self) -> Mapping[PartyId, float]:
        """Trustees that make a key before they first speak, and the seconds that this may take.

        A search for primes has no longest time: engines with deadlines wait so much longer for them.
        """
        return {}

    def spares(self, trustees: Collection[PartyId]) -> bool:
        """Whether these trustees may fall silent, at any stage, and every group still be opened."""
        return not trustees

    def survivors(self, size: int) -> int:
        """The fewest nodes that a group of `size` is opened with: what noise shares may count on.

        Raises
        ------
        RefusedSession
            If the group is smaller than this protocol runs, the threshold more than its `size`, or lower
            than the smallest sum that is opened.
        """
        if size < self.smallest_group:
            raise RefusedSession(
                SessionRule.SMALLEST_GROUP,
                f"a group of {size} is smaller than {self.smallest_group}, "
                f"the smallest that {type(self).__name__} runs",
            )
        fewest = 2 * size // 3 + 1 if self.threshold is None else self.threshold
        if fewest < 1:
            raise RefusedSession(SessionRule.THRESHOLD, f"at least one node opens a group, got {fewest}")
        if fewest > size:
            raise RefusedSession(
                SessionRule.ENOUGH_NODES, f"the threshold is {fewest} nodes, the group has {size}"
            )
        if fewest < self.smallest_group:
            raise RefusedSession(
                SessionRule.SMALLEST_GROUP,
                f"a threshold of {fewest} opens sums of fewer than {self.smallest_group} nodes",
            )
        return fewest

    def keeps_from(self, size: int, *, malicious: bool) -> int:
        """How many nodes of a group may work with the aggregator, and learn no more than sums with it.

        By default all but two of those whose sum it is, under an aggregator that keeps to the protocol.

        Parameters
        ----------
        size
            Of the group.
        malicious
            Whether the aggregator may break the protocol.

        Returns
        -------
        int
            -1 if the aggregator alone learns more.
        """
        return -1 if malicious or self.claims.vectors_are_read else size - 2

    def partners(self, size: int) -> int:
        """With how many other nodes of a group of `size` a node exchanges messages.

        What a node sends and computes grows in proportion to it, and hardly with the group otherwise.
        """
        return 0

    def whole_group(self, size: int) -> int:
        """What `survivors` says where one silent node costs the group; refuses any other threshold."""
        if self.threshold not in (None, size):
            raise RefusedSession(
                SessionRule.WHOLE_GROUP,
                f"{type(self).__name__} opens only whole groups: threshold must be the group's {size} nodes, "
                f"got {self.threshold}",
            )
        return size

    def check(self, session: Session) -> None:
        """Raise `RefusedSession`, which names the rule, if this protocol may not run `session`."""
        for index, group in enumerate(session.groups):
            if len(group) < self.smallest_group:
                raise RefusedSession(
                    SessionRule.SMALLEST_GROUP,
                    f"group {index} ({', '.join(group)}) is smaller than {self.smallest_group}, "
                    f"the smallest that {type(self).__name__} runs",
                )
            self.survivors(len(group))

    def frame_limit(self, session: Session) -> int:
        """No honest frame of this session has more bytes."""
        return 65_536 + 2_048 * len(session.nodes) + 4 * WORD_BYTES * session.length

    def session(
        self, groups: Groups, length: int, capacity: Capacity, session_id: bytes, context: bytes = b""
    ) -> Session:
        """A checked session.

        Parameters
        ----------
        groups
            Who is summed with whom; every node in exactly one group.
        length
            Coordinates of a vector.
        capacity
            The proof that no sum wraps; its `nodes` must cover the largest group.
        session_id
            16 fresh bytes; never used twice.
        context
            Digest of what the vectors mean (schema, noise); nodes refuse a session with another.

        Raises
        ------
        ValueError
            For anything that could not run safely, with the offending value.
        """
        nodes = [node for group in groups for node in group]
        if not nodes or not all(groups):
            raise ValueError("a session needs at least one group, and no group may be empty")
        if len(set(nodes)) != len(nodes):
            twice = sorted(node for node, count in Counter(nodes).items() if count > 1)
            raise ValueError(f"nodes stand in the groups twice: {', '.join(twice[:5])}")
        trustees = self.trustee_ids(nodes)
        reserved = {AGGREGATOR, *trustees}
        for node in nodes:
            if node in reserved or not 1 <= len(node) <= PARTY_ID_CHARACTERS:
                raise ValueError(
                    f"{node!r} cannot be a node's name: 1 to {PARTY_ID_CHARACTERS} characters, "
                    f"none of {', '.join(sorted(reserved))}"
                )
        if length < 1:
            raise ValueError(f"vectors need at least one coordinate, got {length}")
        largest = max(map(len, groups))
        if capacity.nodes < largest:
            raise RefusedSession(
                SessionRule.NO_WRAP, f"the capacity is for {capacity.nodes} nodes, a group has {largest}"
            )
        if len(session_id) != SESSION_ID_BYTES:
            raise ValueError(f"a session id has {SESSION_ID_BYTES} bytes, got {len(session_id)}")
        session = Session(session_id, repr(self), groups, length, capacity, context, trustees)
        self.check(session)
        return session

    def codec(self, session: Session) -> Codec:
        """The wire format of `session`."""
        return Codec(self.messages, session.digest, self.frame_limit(session))

    def parties(
        self, vectors: Mapping[PartyId, Integers], session: Session, entropy: EntropyFor
    ) -> dict[PartyId, Party]:
        """All parties in one process: trustees, nodes, aggregator.

        Raises
        ------
        ValueError
            If a vector is missing, has a wrong shape or dtype, or is larger than the capacity allows.
        """
        self.check_vectors(vectors, session, complete=True)
        parties: dict[PartyId, Party] = {}
        parties |= self.trustees(session, entropy)
        for node in session.nodes:
            parties[node] = self.node(node, vectors[node], session, entropy(node))
        parties[AGGREGATOR] = self.aggregator(session, entropy(AGGREGATOR))
        return parties

    def check_vectors(
        self, vectors: Mapping[PartyId, Integers], session: Session, *, complete: bool = False
    ) -> None:
        """Raise `ValueError`, naming the node, for a vector that `session` has no place for.

        If they must be `complete`, also for one that is not there.
        """
        if complete and (wrong := set(session.nodes) - set(vectors)):
            raise ValueError(f"no vector of {', '.join(sorted(wrong)[:5])}")
        if wrong := set(vectors) - set(session.nodes):
            raise ValueError(f"not in the session: {', '.join(sorted(wrong)[:5])}")
        for node, vector in vectors.items():
            if vector.shape != (session.length,) or vector.dtype != np.int64:
                raise ValueError(
                    f"{node}: expected int64 vector of length {session.length}, "
                    f"got {vector.dtype} {vector.shape}"
                )
            try:
                session.capacity.check(vector)
            except ValueError as error:
                raise ValueError(f"{node}: {error}") from None

    def ideal(self, vectors: Mapping[PartyId, Integers], session: Session) -> Opened:
        """What the parties open if all of them follow the protocol, computed without a message.

        Parameters
        ----------
        vectors
            Those that arrive, (d,) int64 by node; the other nodes are silent from the beginning.

        Raises
        ------
        ValueError
            For a vector that the session has no place for.
        TooFewParties
            If no group can be opened.
        """
        self.check_vectors(vectors, session)
        return opened_sums(session, {n: to_ring(v) for n, v in vectors.items()}, self.survivors)

    def learned(self, opened: Opened) -> str:
        """What the aggregator learned, in words: ``"30 nodes' vectors"`` or ``"one sum of 30"``."""
        sizes = sorted({len(members) for members in opened.members})
        count = sum(map(len, opened.members))
        if self.claims.sees == "vectors" or sizes == [1]:
            return f"{count} nodes' vectors" if count > 1 else "one node's vector"
        size = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        rows = len(opened.members)
        return f"one sum of {size}" if rows == 1 else f"{rows} sums of {size}"


PROTOCOLS: Catalogue[Protocol] = Catalogue("protocols.schemes", Protocol, "protocol", "securenb.protocols")
