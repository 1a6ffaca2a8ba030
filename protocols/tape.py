"""What a party drew that its entropy cannot give again, kept so that the party can be replayed.

Encapsulation with ML-KEM takes no randomness from us: asked twice it gives two ciphertexts. A party that is
replayed reads the first one from its tape instead, so it says the same again, byte for byte. In a single
process nothing is replayed, and nothing is kept.
"""

from collections.abc import Callable, Iterable

import msgspec

from protocols.canonical import digest
from protocols.errors import Abort


class Draw(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """One draw: what it was for, 32 bytes, what may be sent of it, and what is secret."""

    label: bytes
    sent: bytes
    secret: bytes

    def __repr__(self) -> str:
        return f"Draw(label={self.label.hex()})"


class Tape:
    """Keeps nothing: every draw is a new one."""

    def draw(self, label: bytes, make: Callable[[], tuple[bytes, bytes]]) -> tuple[bytes, bytes]:
        """What was drawn under the label, or what `make` gives: what may be sent, and what is secret."""
        return make()


UNTAPED = Tape()


class Recording(Tape):
    """Keeps every draw of one step, in order.

    Attributes
    ----------
    draws
        As secret as the party's entropy.
    """

    def __init__(self) -> None:
        self.draws: list[Draw] = []

    def draw(self, label: bytes, make: Callable[[], tuple[bytes, bytes]]) -> tuple[bytes, bytes]:
        """See `Tape.draw`: always a new one."""
        sent, secret = make()
        self.draws.append(Draw(label, sent, secret))
        return sent, secret


class Replaying(Tape):
    """Gives what was drawn in one step, in the same order, and nothing else.

    Parameters
    ----------
    draws
        All draws of the step.
    """

    def __init__(self, draws: Iterable[Draw]) -> None:
        self._left = list(draws)[::-1]

    def draw(self, label: bytes, make: Callable[[], tuple[bytes, bytes]]) -> tuple[bytes, bytes]:
        """See `Tape.draw`.

        Raises
        ------
        Abort
            If the tape has ended, or was recorded for something else.
        """
        if not self._left:
            raise Abort("the tape of what was drawn is shorter than what was said; this run cannot go on")
        if self._left[-1].label != label:
            raise Abort("the tape of what was drawn is of other keys or another seed; this run cannot go on")
        found = self._left.pop()
        return found.sent, found.secret

    def finish(self) -> None:
        """Raise `Abort` if something of the step was not drawn again."""
        if self._left:
            raise Abort("the tape of what was drawn is longer than what was said; this run cannot go on")


class Imagining(Tape):
    """Gives what was drawn under a label, else a new draw: for what might have been said."""

    def __init__(self, draws: Iterable[Draw]) -> None:
        self._known = {draw.label: (draw.sent, draw.secret) for draw in draws}

    def draw(self, label: bytes, make: Callable[[], tuple[bytes, bytes]]) -> tuple[bytes, bytes]:
        """See `Tape.draw`."""
        return self._known[label] if label in self._known else make()


class _Written(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    check: bytes
    draws: tuple[Draw, ...]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Written)


def written(step: int, draws: Iterable[Draw]) -> bytes:
    """The draws of a step as they are kept, with a check of step and content."""
    kept = tuple(draws)
    return _encoder.encode(_Written(_check(step, kept), kept))


def read(step: int, content: bytes) -> tuple[Draw, ...]:
    """Inverse of `written`; `Abort` if anything was changed, or is of another step."""
    try:
        found = _decoder.decode(content)
    except msgspec.MsgspecError as error:
        raise Abort(f"the tape of step {step} cannot be read: {error}") from None
    if found.check != _check(step, found.draws):
        raise Abort(f"the tape of step {step} was changed; this run cannot go on")
    return found.draws


def _check(step: int, draws: tuple[Draw, ...]) -> bytes:
    return digest("securenb tape", step, [[draw.label, draw.sent, draw.secret] for draw in draws])
