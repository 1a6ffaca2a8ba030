"""Bytes on the wire: a strict frame around a strictly typed message.

Unknown fields, wrong types, trailing bytes, damaged frames and messages of another session are refused.
What is signed is never this encoding but the canonical one of `protocols.canonical`.
"""

import hashlib
from typing import Annotated, Any, Union

import msgspec

from protocols.errors import FaultyParty

TAG_BYTES = 16
"""A checksum of the message, keyed with the session digest: tells sessions apart and damage from speech.

It can be computed from the session: it answers a faulty network, not a malicious party.
"""


class Message(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, tag=True, gc=False):
    """What one party says to another. Subclasses are values: bytes, integers, strings, tuples of them."""


class _Frame(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    tag: Annotated[bytes, msgspec.Meta(min_length=TAG_BYTES, max_length=TAG_BYTES)]
    sender: str
    recipient: str
    body: msgspec.Raw


_encoder = msgspec.msgpack.Encoder()
_frame_decoder = msgspec.msgpack.Decoder(_Frame)


class Codec:
    """Encodes and decodes the messages of one protocol in one session.

    Parameters
    ----------
    messages
        Every message class of the protocol.
    session_digest
        32 bytes; a frame of another session is refused.
    limit
        The largest frame in bytes that is read.
    """

    def __init__(self, messages: tuple[type[Message], ...], session_digest: bytes, limit: int) -> None:
        self._key = session_digest
        self.limit = limit
        union: Any = Union[messages]  # noqa: UP007 - a union of a tuple that is only known here
        self._body_decoder: msgspec.msgpack.Decoder[Message] = msgspec.msgpack.Decoder(union)

    def encode(self, sender: str, recipient: str, body: Message) -> bytes:
        """The frame for one message."""
        raw = _encoder.encode(body)
        # what `encode` returns holds on to half as much memory again as it shows
        frame = bytearray()
        _encoder.encode_into(_Frame(self._tag(raw), sender, recipient, msgspec.Raw(raw)), frame)
        return bytes(frame)

    def _tag(self, body: bytes | msgspec.Raw) -> bytes:
        tag = hashlib.sha256(self._key)
        tag.update(body)
        return tag.digest()[:TAG_BYTES]

    def decode(self, channel: str, me: str, frame: bytes) -> Message:
        """The message in a frame that reached `me` over the channel of party `channel`.

        Raises
        ------
        FaultyParty
            Blames `channel`: the frame is oversized, malformed, damaged, of another session, or claims
            another sender or recipient.
        """
        if len(frame) > self.limit:
            raise FaultyParty(channel, f"sent {len(frame)} bytes; the limit is {self.limit}")
        try:
            outer = _frame_decoder.decode(frame)
            if outer.tag != self._tag(outer.body):
                raise FaultyParty(channel, "sent a message that is damaged or of another session")
            body = self._body_decoder.decode(outer.body)
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError) as error:
            raise FaultyParty(channel, f"sent a malformed message ({error})") from error
        if outer.sender != channel:
            raise FaultyParty(channel, f"sent a message as {outer.sender!r}")
        if outer.recipient != me:
            raise FaultyParty(channel, f"sent {me} a message meant for {outer.recipient!r}")
        return body
