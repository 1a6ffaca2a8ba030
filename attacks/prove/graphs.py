"""The search under double masking, on the complete graph or on a circle of neighbours."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from attacks.prove.finding import Finding, Verdict
from attacks.prove.program import Name, OutOfTime
from attacks.prove.question import MOST_LISTS, Question
from attacks.prove.stories import Game, any_lie, two_whole_lists
from attacks.prove.stories_play import Stories
from attacks.prove.stories_play import play as play_stories
from protocols.canonical import digest
from protocols.primitives.harary import Complete, Harary, Neighbourhoods
from protocols.protocol import Protocol
from protocols.ring import Capacity
from protocols.schemes.secagg import SecAgg
from protocols.schemes.secagg_plus import SecAggPlus
from protocols.session import SESSION_ID_BYTES, Session
from protocols.session_rules import RefusedSession


@dataclass(frozen=True)
class Unchecked(SecAgg):
    """The real parties, without the planner's check of the threshold, on the graph that is asked for.

    Parameters
    ----------
    neighbours
        On a circle; `None` for the complete graph.
    shares
        How many rebuild a secret; by default the threshold.
    """

    neighbours: int | None = None
    shares: int | None = None

    def check_threshold(self, threshold: int, holders: int) -> None:
        """See `DoubleMasking.check_threshold`; anything goes."""

    def graph(self, session: Session, group: int) -> tuple[Neighbourhoods, int]:
        """See `DoubleMasking.graph`."""
        size = len(session.groups[group])
        return _graph(size, self.neighbours), self.shares or self.survivors(size)


def _graph(size: int, neighbours: int | None) -> Neighbourhoods:
    if neighbours is None:
        return Complete(size)
    return Harary(size, neighbours, digest("securenb prove", size, neighbours))


def lies_on_a_graph(question: Question) -> Finding:
    """See `attacks.prove.search.prove`."""
    begin = time.monotonic()
    nodes, needed, corrupt = question.nodes, question.threshold, question.corrupt
    if not 0 <= corrupt < nodes:
        raise ValueError(f"--corrupt is fewer than the {nodes} nodes, got {corrupt}")
    if question.neighbours is not None and not (
        2 <= question.neighbours < nodes and question.neighbours % 2 == 0
    ):
        raise ValueError(
            f"--neighbours is even, from 2 to fewer than the {nodes} nodes, got {question.neighbours}"
        )
    graph = _graph(nodes, question.neighbours)
    if needed > graph.holders:
        raise ValueError(f"a threshold of {needed} of {graph.holders} holders rebuilds nothing")
    minimum = needed if question.neighbours is None else 2 * nodes // 3 + 1
    lists = _lists(question)
    game = Game(graph, needed, minimum, corrupt, lists)
    planned = _planned(question)

    def left() -> float:
        return question.seconds - (time.monotonic() - begin)

    where = "complete graph" if question.neighbours is None else f"circle of {question.neighbours} neighbours"
    searched = (
        f"{nodes} nodes on a {where}, {corrupt} corrupt ({'the last' if game.complete else 'the worst'}), "
        f"{needed} shares rebuild a secret, lists of at least {minimum}; every choice of {lists} survivor "
        f"list{'s' * (lists > 1)}{' (no more can be answered)' * (lists < MOST_LISTS and game.complete)}, "
        "of participants for each node and of who is told which"
    )
    if minimum - corrupt <= 1:
        line = (
            f"a list of {minimum} may hold the {corrupt} corrupt nodes and one honest one: a vector is read"
        )
        return Finding(Verdict.BROKEN, searched, (line,), None, planned)
    try:
        if (found := two_whole_lists(game).solution(left())) is not None:
            return _replayed(question, game, found, searched, planned=planned)
        goals = ["small"]
        if 2 * (minimum - corrupt) <= nodes - corrupt:
            goals.append("two")
        for goal in goals:
            if (found := any_lie(game, goal).solution(left())) is not None:
                lines = tuple(_told(game, found))
                return Finding(Verdict.BROKEN, searched, lines, None, planned)
    except OutOfTime:
        return Finding(Verdict.UNDECIDED, searched, planned=planned)
    return Finding(Verdict.INFEASIBLE, searched, planned=planned)


def _lists(question: Question) -> int:
    """How many survivor lists are worth telling: of the others no share is given away.

    On the complete graph an answer takes `threshold` confirmations, of which the honest give one each.
    """
    if question.neighbours is not None:
        return 2
    honest = question.nodes - question.corrupt
    if question.threshold <= question.corrupt:
        return MOST_LISTS
    return max(1, min(honest // (question.threshold - question.corrupt), MOST_LISTS))


def _planned(question: Question) -> bool:
    """Whether the planner accepts it, and for `secagg` what its page says of corrupt nodes.

    On a circle the conditions of the proof count: below 100 nodes the planner takes the complete graph.
    """
    nodes, needed, corrupt = question.nodes, question.threshold, question.corrupt
    if question.neighbours is None:
        protocol: Protocol = SecAgg(threshold=needed)
        if question.protocol == "secagg_plus":
            rate = (corrupt + 0.5) / nodes  # which the planner counts as just so many
            protocol = SecAggPlus(threshold=needed, corrupt=rate, dropout=0.0)
        try:
            protocol.session((question.names,), 1, Capacity(1, nodes), bytes(SESSION_ID_BYTES))
        except RefusedSession:
            return False
        return 2 * needed > nodes + corrupt and needed > corrupt + 1
    holders = question.neighbours + 1
    near = min(corrupt, question.neighbours)
    return 3 * needed > 2 * holders + 2 * near + 1 and needed >= near + question.neighbours // 2 + 2


def _replayed(
    question: Question, game: Game, found: Mapping[Name, bool], searched: str, *, planned: bool
) -> Finding:
    names = question.names
    corrupt = [names[u] for u in game.nodes if found["corrupt", u]]
    silent = [names[u] for u in game.nodes if not found["in", 1, u]]
    told = {
        names[u]: i for i in (0, 1) for u in game.nodes if found["told", i, u] and names[u] not in corrupt
    }
    protocol = Unchecked(threshold=game.minimum, neighbours=question.neighbours, shares=game.threshold)
    opened, lines = play_stories(protocol, names, Stories(silent, told, corrupt))
    first = (
        f"work with the server: {', '.join(corrupt) or 'none'}",
        "list 0 has every node",
        f"list 1 calls silent, after they have sent their vectors: {', '.join(silent)}",
    )
    return Finding(Verdict.BROKEN, searched, first + lines, opened, planned)


def _told(game: Game, found: Mapping[Name, bool]) -> list[str]:
    """The solution in words."""

    def which(*key: object) -> str:
        return ", ".join(f"node-{u}" for u in game.nodes if found.get((*key, u))) or "none"

    lines = [
        f"work with the server: {which('corrupt')}",
        *(
            f"list {i}: {which('in', i)}; told to {which('told', i)}; answered by {which('answers', i)}"
            for i in range(game.lists)
        ),
    ]
    left_out = {
        u: [v for v in game.others(u) if not found.get(("with", u, v))]
        for u in game.nodes
        if not found.get(("corrupt", u))
    }
    lines += [
        f"node-{u} is told that these do not go on: {', '.join(f'node-{v}' for v in out)}"
        for u, out in left_out.items()
        if out
    ]
    lines.append(f"the server opens the sum of {which('a')}")
    if any(name[0] == "b" for name in found if isinstance(name, tuple) and found[name]):
        lines.append(f"and the sum of {which('b')}")
    return lines
