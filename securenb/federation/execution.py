"""A protocol's run in this process: by its parties and their messages, or as what they open."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Literal

from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.engines.transcript import Transcript
from protocols.entropy import EntropyFor
from protocols.opened import Opened
from protocols.protocol import Protocol
from protocols.session import Session
from securenb.federation.admission import admitted

By = Literal["messages", "ideal"]
"""How a round is computed: by the protocol's parties, or as what they open, without a message."""


def local_run(
    protocol: Protocol,
    session: Session,
    submissions: Mapping[str, object],
    entropy: EntropyFor,
    faults: Faults,
    watch: Collection[str],
) -> tuple[LocalRun, Mapping[str, str]]:
    """A run of all parties, not yet started, and who was refused at the door, and why.

    Parameters
    ----------
    submissions
        What each node sends in place of a vector.
    watch
        Parties whose frames are kept in the transcript.
    """
    vectors, refused = admitted(submissions, session)
    parties = protocol.parties(vectors, session, entropy)
    faults = replace(faults, silent={**faults.silent, **dict.fromkeys(refused, 0)})
    return LocalRun(parties, protocol.codec(session), session, faults, watch), refused


def ideally(
    protocol: Protocol, session: Session, submissions: Mapping[str, object]
) -> tuple[Opened, Transcript, Mapping[str, str]]:
    """What that run opens, without a message; an empty transcript; who was refused at the door, and why."""
    vectors, refused = admitted(submissions, session)
    arrived = {node: vector for node, vector in vectors.items() if node not in refused}
    return protocol.ideal(arrived, session), Transcript(trustees=frozenset(session.trustees)), refused
