"""What a session costs a site's records, and when that is final."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import msgspec
import numpy as np

from protocols.engines.lasting import Reply
from protocols.ring import Integers
from securenb.data.node import Node
from securenb.privacy.journal import LedgerFile, State
from securenb.schema.records import Records
from securenb.schema.schema import Schema

UNSAID = "refuses; its own log says why"
"""What the coordinator hears of whatever may depend on a site's records, its ledger or its disk."""


class Withheld(ValueError):
    """A refusal whose reason stays at the site."""


@contextmanager
def withheld() -> Iterator[None]:
    """Whatever is refused inside is refused without a reason."""
    try:
        yield
    except ValueError as error:
        raise Withheld(str(error)) from None


@dataclass(frozen=True)
class SessionCharge:
    """A session's line in the ledger of a site.

    Parameters
    ----------
    ledger
        The site's.
    session
        The session's name in it.
    """

    ledger: LedgerFile
    session: str

    @property
    def state(self) -> State | None:
        """Of the charge; `None` where there is none."""
        found = [payment.state for payment in self.ledger.payments() if payment.name == self.session]
        return found[0] if found else None

    def settle(self, reply: Reply, of_others: Callable[[], Reply]) -> None:
        """Commit the charge before a reply leaves that other records would have made another one.

        Parameters
        ----------
        reply
            What is about to leave.
        of_others
            What the same party, with the same entropy, would have said of other records.

        Raises
        ------
        ValueError, OSError
            If that cannot be done: then nothing may leave.
        """
        state = self.state
        if state == "returned":
            raise Withheld(f"the charge for session {self.session} was returned: nothing leaves any more")
        if state == "reserved" and _said(reply) != _said(of_others()):
            with withheld():
                self.ledger.commit(self.session)


def give_back(ledger: LedgerFile) -> None:
    """Return whatever is reserved: to be called when the secrets of all sessions have been destroyed.

    One that another process commits at this moment stays; one that it has not yet committed it never can.
    """
    for payment in ledger.payments():
        if payment.state == "reserved":
            with suppress(ValueError):
                ledger.give_back(payment.name)


def other(layout: Schema, vector: Integers) -> Integers:
    """The vector of a site with other records: with none, or with one where this one is all zeros."""
    if vector.any():
        return np.zeros_like(vector)
    codes = np.zeros((1, len(layout.features)), dtype=np.int32)
    node = Node("other", Records(codes, np.zeros(1, dtype=np.int32)))
    return node.contribution(layout, np.zeros_like(vector), 1)


def _said(reply: Reply) -> Reply:
    return msgspec.structs.replace(reply, cpu=0.0)
