"""What can go wrong in a protocol run, and who is to blame.

A caller's mistake raises `ValueError`. A remote party's fault raises `FaultyParty`, which names the
party. A run that cannot end safely raises `Abort`, and then nothing was released. Any other exception
out of a party is a bug of ours.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class ProtocolError(Exception):
    """A run went wrong through no fault of the caller."""


class FaultyParty(ProtocolError):
    """A party broke the protocol; the message was ignored and changed nothing.

    The name is the channel's: it proves to the one who raised this that the message came from `party`,
    not to any other party.

    Parameters
    ----------
    others
        Parties that may have done it instead, where the one who raised this cannot know.
    """

    def __init__(self, party: str, reason: str, others: tuple[str, ...] = ()) -> None:
        super().__init__(f"{' or '.join((party, *others))}: {reason}")
        self.party = party
        self.reason = reason
        self.others = others


@contextmanager
def blaming(party: str, deed: str, others: tuple[str, ...] = ()) -> Iterator[None]:
    """Turn a `ValueError` over what `party` sent into a `FaultyParty` that says what it did, and why not.

    `others` may have caused it instead, see `FaultyParty`.
    """
    try:
        yield
    except ValueError as error:
        raise FaultyParty(party, f"{deed}: {error}", others) from error


class Abort(ProtocolError):
    """The run ended without a result; nothing was released."""


class TooFewParties(Abort):
    """Fewer parties answered than the protocol needs; `missing` names the silent ones."""

    def __init__(self, missing: Iterable[str], reason: str) -> None:
        self.missing = tuple(missing)
        self.reason = reason
        shown = ", ".join(self.missing[:10]) + (", ..." if len(self.missing) > 10 else "")
        super().__init__(f"{reason} (missing: {shown})" if self.missing else reason)
