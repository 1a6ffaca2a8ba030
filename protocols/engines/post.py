"""Frames that prove who sent them, for a relay that is not trusted.

A relay can lose, delay, repeat and read what passes through it, but not speak in another party's name.
What must stay hidden from it is sealed by the scheme itself.
"""

from typing import Annotated

import msgspec

from protocols.canonical import digest
from protocols.errors import FaultyParty
from protocols.party import Envelope, PartyId
from protocols.primitives.identity import SIGNATURE_BYTES, Identity, Roster
from protocols.session import Session
from protocols.wire import Codec

RELAY: PartyId = "relay"
"""Who is blamed for what no party can be shown to have sent."""


class _Signed(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    sender: str
    frame: bytes
    signature: Annotated[bytes, msgspec.Meta(min_length=SIGNATURE_BYTES, max_length=SIGNATURE_BYTES)]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Signed)

OVERHEAD_BYTES = 256
"""The most that a name and a signature add to a frame."""


class Post:
    """What a party sends and receives in one session, signed.

    Parameters
    ----------
    me
        Whose post this is.
    identity
        Its signing key.
    roster
        All parties' identity keys, which did not come through the relay.
    session
        Signatures are bound to its digest.
    codec
        The wire format of the session.
    """

    def __init__(
        self, me: PartyId, identity: Identity, roster: Roster, session: Session, codec: Codec
    ) -> None:
        self._me = me
        self._identity = identity
        self._roster = roster
        self._digest = session.digest
        self._codec = codec

    def seal(self, envelope: Envelope) -> bytes:
        """The signed frame of an envelope from this party."""
        frame = self._codec.encode(envelope.sender, envelope.recipient, envelope.body)
        signature = self._identity.sign(self._statement(envelope.sender, envelope.recipient, frame))
        return _encoder.encode(_Signed(envelope.sender, frame, signature))

    def open(self, data: bytes) -> Envelope:
        """What was sent to this party, and by whom.

        Raises
        ------
        FaultyParty
            Blames the relay for what carries no valid signature, and the signer for a frame that the codec
            refuses.
        """
        if len(data) > self._codec.limit + OVERHEAD_BYTES:
            raise FaultyParty(RELAY, f"delivered {len(data)} bytes; the limit is {self._codec.limit}")
        try:
            signed = _decoder.decode(data)
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
            raise FaultyParty(RELAY, f"delivered what is no signed frame ({error})") from error
        sender = signed.sender
        if sender not in self._roster:
            raise FaultyParty(RELAY, f"delivered a frame of {sender!r}, who is not in the roster")
        statement = self._statement(sender, self._me, signed.frame)
        if not self._roster.signed(sender, statement, signed.signature):
            raise FaultyParty(RELAY, f"delivered a frame that {sender} has not signed for {self._me}")
        return Envelope(sender, self._me, self._codec.decode(sender, self._me, signed.frame))

    def _statement(self, sender: PartyId, recipient: PartyId, frame: bytes) -> bytes:
        return digest("securenb signed frame", self._digest, sender, recipient, frame)
