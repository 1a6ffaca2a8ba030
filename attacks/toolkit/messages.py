"""Words that no honest party says: messages with a field changed, frames that are no messages."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from protocols.party import Envelope, Party
from protocols.wire import Codec, Message

Path = tuple[str | int, ...]
"""Where a value stands in a message: fields by name, items of tuples by place."""


class Raw(Message, frozen=True):
    """A frame as it is to travel, whatever it says."""

    data: bytes


class RawCodec(Codec):
    """The codec of a session, through which `Raw` frames pass as they are."""

    def encode(self, sender: str, recipient: str, body: Message) -> bytes:
        """See `Codec.encode`."""
        return body.data if isinstance(body, Raw) else super().encode(sender, recipient, body)


def byte_fields(value: Any, path: Path = ()) -> list[tuple[Path, bytes]]:
    """Every byte string in a message, and where it stands."""
    if isinstance(value, bytes):
        return [(path, value)]
    parts: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, Message):
        parts = [(name, getattr(value, name)) for name in value.__struct_fields__]
    elif isinstance(value, tuple):
        parts = enumerate(value)
    return [found for step, part in parts for found in byte_fields(part, (*path, step))]


def with_bytes(value: Any, path: Path, new: bytes) -> Any:
    """The message with another byte string at `path`."""
    if not path:
        return new
    step, *rest = path
    if isinstance(step, str):
        return msgspec.structs.replace(value, **{step: with_bytes(getattr(value, step), tuple(rest), new)})
    return (*value[:step], with_bytes(value[step], tuple(rest), new), *value[step + 1 :])


def changed(envelope: Envelope, body: Message) -> Envelope:
    """The envelope with another message."""
    return Envelope(envelope.sender, envelope.recipient, body)


def longest_changed(envelope: Envelope, change: Callable[[bytes], bytes]) -> Envelope:
    """The envelope with its longest byte string changed; as it is if it has none, or an empty one."""
    path, longest = max(byte_fields(envelope.body), key=lambda field: len(field[1]), default=((), b""))
    return changed(envelope, with_bytes(envelope.body, path, change(longest))) if longest else envelope


class Deviant(Party):
    """An honest party whose every word goes through `change`: dropped, doubled, replaced."""

    def __init__(self, honest: Party, change: Callable[[Envelope], Iterable[Envelope]]) -> None:
        super().__init__(honest.me)
        self.honest = honest
        self.late_faults = honest.late_faults
        self._change = change

    def _said(self, envelopes: list[Envelope]) -> list[Envelope]:
        self.output = self.honest.output
        return [changed for envelope in envelopes for changed in self._change(envelope)]

    def start(self) -> list[Envelope]:
        """See `Party.start`."""
        return self._said(self.honest.start())

    def handle(self, envelope: Envelope) -> list[Envelope]:
        """See `Party.handle`."""
        return self._said(self.honest.handle(envelope))

    def deadline(self) -> list[Envelope]:
        """See `Party.deadline`."""
        return self._said(self.honest.deadline())
