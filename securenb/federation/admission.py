"""The door: what is malformed is refused before anything is summed, and the round goes on without it."""

from collections.abc import Mapping

import numpy as np

from protocols.party import PartyId
from protocols.ring import Capacity, Integers
from protocols.session import Session
from protocols.validity import Validity


def admit(submission: object, length: int, capacity: Capacity, validity: Validity | None = None) -> Integers:
    """The submission, unchanged, if it is a vector that an honest node could send.

    Parameters
    ----------
    submission
        Anything at all.
    length
        Coordinates that it must have.
    capacity
        What noised vectors stay within.
    validity
        The invariants of un-noised statistics, where there is no noise that hides them.

    Raises
    ------
    ValueError
        If it is not, with the reason.
    """
    if not isinstance(submission, np.ndarray) or submission.dtype != np.int64:
        kind = getattr(submission, "dtype", type(submission).__name__)
        raise ValueError(f"expected int64 integers, got {kind}")
    if submission.shape != (length,):
        raise ValueError(f"expected {length} coordinates, got shape {submission.shape}")
    capacity.check(submission)
    if validity is not None and (families := validity.broken(submission)):
        raise ValueError(", ".join(families))
    return submission


def admitted(
    submissions: Mapping[PartyId, object], session: Session
) -> tuple[dict[PartyId, Integers], dict[PartyId, str]]:
    """Vectors, zero where the submission is refused, and the reasons of those refusals."""
    vectors, refused = {}, {}
    for node, submission in submissions.items():
        try:
            vectors[node] = admit(submission, session.length, session.capacity)
        except ValueError as error:
            vectors[node], refused[node] = np.zeros(session.length, dtype=np.int64), str(error)
    return vectors, refused
