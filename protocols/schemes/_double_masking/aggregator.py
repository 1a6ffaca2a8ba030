"""The aggregator under double masking: every group goes its own way to its sum or is given up."""

from collections.abc import Sequence

from protocols.errors import FaultyParty
from protocols.opened import opened_rows
from protocols.party import AGGREGATOR, Envelope, Party
from protocols.schemes._double_masking.group_round import GroupRound, Replies
from protocols.schemes._double_masking.terms import Terms


class Aggregator(Party):
    """The party of the aggregator; `terms` are those of every group of the session."""

    def __init__(self, terms: Sequence[Terms]) -> None:
        super().__init__(AGGREGATOR)
        self._session = terms[0].session
        self._rounds = [GroupRound(of_group) for of_group in terms]
        self._round_of = {node: round_ for round_ in self._rounds for node in round_.terms.group}

    def handle(self, envelope: Envelope) -> list[Envelope]:
        """See `Party.handle`."""
        round_ = self._round_of.get(envelope.sender)
        if round_ is None:
            raise FaultyParty(envelope.sender, "is not in the session")
        return self._send(round_.handle(envelope.sender, envelope.body))

    def deadline(self) -> list[Envelope]:
        """Every group that still waits goes on without those who are silent."""
        return self._send(
            [reply for round_ in self._rounds if not round_.finished for reply in round_.close()]
        )

    def _send(self, replies: Replies) -> list[Envelope]:
        if all(round_.finished for round_ in self._rounds) and self.output is None:
            for round_ in self._rounds:
                self.late_faults += round_.late_faults
            opened = [round_ for round_ in self._rounds if round_.members is not None]
            self.output = opened_rows(
                self._session,
                [round_.row for round_ in opened],
                [round_.members or () for round_ in opened],
                [round_.lost for round_ in self._rounds if round_.lost is not None],
            )
        return [self.to(recipient, body) for recipient, body in replies]
