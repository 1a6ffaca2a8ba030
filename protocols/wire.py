"""Bytes on the wire: a strict frame around a strictly typed message.

Unknown fields, wrong types, trailing bytes and messages of another session are refused. What is signed
or hashed is never this encoding but the canonical one of `protocols.canonical`.
"""

from typing import Annotated, Any, Union

import msgspec

from protocols.errors import FaultyParty

SESSION_TAG_BYTES = 16
"""How much of the session digest travels in each frame: enough to tell sessions apart."""


class Message(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, tag=True, gc=False):
    """What one party says to another. Subclasses are values: bytes, integers, strings, tuples of them."""


class _Frame(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    session: Annotated[bytes, msgspec.Meta(min_length=SESSION_TAG_BYTES, max_length=SESSION_TAG_BYTES)]
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
        self._tag = session_digest[:SESSION_TAG_BYTES]
        self._limit = limit
        union: Any = Union[messages]  # noqa: UP007 - a union of a tuple that is only known here
        self._body_decoder: msgspec.msgpack.Decoder[Message] = msgspec.msgpack.Decoder(union)

    def encode(self, sender: str, recipient: str, body: Message) -> bytes:
        """The frame for one message."""
        raw = msgspec.Raw(_encoder.encode(body))
        return _encoder.encode(_Frame(self._tag, sender, recipient, raw))

    def decode(self, channel: str, me: str, frame: bytes) -> Message:
        """The message in a frame that reached `me` over the channel of party `channel`.

        Raises
        ------
        FaultyParty
            Blames `channel`: the frame is oversized, malformed, of another session, or claims another
            sender or recipient.
        """
        if len(frame) > self._limit:
            raise FaultyParty(channel, f"sent {len(frame)} bytes; the limit is {self._limit}")
        try:
            outer = _frame_decoder.decode(frame)
            body = self._body_decoder.decode(outer.body)
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError) as error:
            raise FaultyParty(channel, f"sent a malformed message ({error})") from error
        if outer.session != self._tag:
            raise FaultyParty(channel, "sent a message of another session")
        if outer.sender != channel:
            raise FaultyParty(channel, f"sent a message as {outer.sender!r}")
        if outer.recipient != me:
            raise FaultyParty(channel, f"sent {me} a message meant for {outer.recipient!r}")
        return body
