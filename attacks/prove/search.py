"""Searches for what a server that lies can get from a protocol, with so many parties on its side.

Every answer is broken, with a transcript that was replayed against the real parties where that is possible;
infeasible, with what was searched; or undecided when the time is over.
"""

from collections.abc import Callable, Mapping

from attacks.prove.committees import lies_to_a_committee, lies_to_helpers
from attacks.prove.finding import Finding
from attacks.prove.graphs import lies_on_a_graph
from attacks.prove.question import Question

SEARCHES: Mapping[str, Callable[[Question], Finding]] = {
    "secagg": lies_on_a_graph,
    "secagg_plus": lies_on_a_graph,
    "oneshot": lies_to_a_committee,
    "threshold_paillier": lies_to_a_committee,
    "verified": lies_to_helpers,
}


def prove(question: Question) -> Finding:
    """Search.

    Raises
    ------
    ValueError
        For a protocol that promises nothing against a server that lies, or parameters that make no sense.
    """
    if question.protocol not in SEARCHES:
        raise ValueError(
            f"{question.protocol!r} promises nothing against a server that lies, or is unknown; "
            f"known: {', '.join(SEARCHES)}"
        )
    if not 3 <= question.threshold <= question.nodes:
        raise ValueError(
            f"--threshold is from 3 to the {question.nodes} nodes of the group, got {question.threshold}"
        )
    if question.corrupt < 0:
        raise ValueError(f"--corrupt is at least 0, got {question.corrupt}")
    return SEARCHES[question.protocol](question)
