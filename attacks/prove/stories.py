"""The lies of a server under double masking, as an integer program: which secrets and sums it opens.

An honest node masks with the participants that it was told, confirms one survivor list within them, and
gives away one share of each participant's secrets once enough holders confirmed the same list to it. The
server chooses participants for every node, lists, and who is told which; corrupt nodes do as it likes.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from attacks.prove.program import Name, Program
from protocols.primitives.harary import Neighbourhoods


@dataclass(frozen=True)
class Game:
    """What is attacked.

    Attributes
    ----------
    graph
        Who holds whose shares.
    threshold
        Shares that rebuild a secret, confirmations before an answer.
    minimum
        The fewest members of a list.
    corrupt
        How many nodes work with the server; on a complete graph the last ones, on another the worst.
    lists
        How many different survivor lists the server may tell.
    """

    graph: Neighbourhoods
    threshold: int
    minimum: int
    corrupt: int
    lists: int

    @property
    def complete(self) -> bool:
        """Whether each node holds a share of every other."""
        return self.graph.holders == self.graph.size

    @property
    def nodes(self) -> range:
        """All nodes."""
        return range(self.graph.size)

    def others(self, node: int) -> Iterator[int]:
        """The neighbours of a node."""
        return (other for other in self.graph.around(node) if other != node)


def any_lie(game: Game, goal: str) -> Program:
    """Every lie within the game that opens a sum it should not.

    Parameters
    ----------
    game
        What is attacked.
    goal
        ``"small"``: a sum of fewer honest nodes than any list has; ``"two"``: two sums that share no node.
    """
    program = Program()
    _corrupt(program, game)
    _lists(program, game)
    _shares(program, game)
    sums = ("a",) if goal == "small" else ("a", "b")
    for node in game.nodes:
        program.at_most(1, {**{(s, node): 1 for s in sums}, ("corrupt", node): 1})
        program.at_least(
            0,
            {
                **{("seed", i, w, node): 1 for i in range(game.lists) for w in game.graph.around(node)},
                **{(s, node): -game.threshold for s in sums},
            },
        )
        for other in game.others(node):
            _masks_cancel(program, node, other, sums)
    for each in sums:
        program.at_least(1, {(each, node): 1 for node in game.nodes})
    if game.complete:  # honest nodes are alike: the sum may as well be of the first ones
        for node in game.nodes[: game.graph.size - game.corrupt - 1]:
            program.at_least(0, {("a", node): 1, ("a", node + 1): -1})
    if goal == "small":
        program.at_most(game.minimum - game.corrupt - 1, {("a", node): 1 for node in game.nodes})
    return program


def _corrupt(program: Program, game: Game) -> None:
    program.exactly(game.corrupt, {("corrupt", node): 1 for node in game.nodes})
    if game.complete:  # all alike: the last ones
        for node in game.nodes:
            program.exactly(int(node >= game.graph.size - game.corrupt), {("corrupt", node): 1})
    elif game.corrupt:  # a circle looks the same from every node
        program.exactly(1, {("corrupt", 0): 1})


def _lists(program: Program, game: Game) -> None:
    """Which lists are told, confirmed and answered; names: in, told, answers, with."""
    needed, count = game.threshold, range(game.lists)
    for i in count:
        program.at_least(game.minimum, {("in", i, node): 1 for node in game.nodes})
    for node in game.nodes:
        liar: Name = ("corrupt", node)
        # it masks with at least so many holders, itself among them
        program.at_least(
            needed - 1, {**{("with", node, v): 1 for v in game.others(node)}, liar: float(needed)}
        )
        program.at_most(1, {**{("told", i, node): 1 for i in count}, liar: -float(game.lists)})
        for i in count:
            told: Name = ("told", i, node)
            program.at_most(0, {told: 1, ("in", i, node): -1})
            program.at_most(0, {("answers", i, node): 1, told: -1})
            holders = game.graph.around(node)
            standing: dict[Name, float] = {("in", i, v): 1.0 for v in holders}
            program.at_least(0, {**standing, told: -float(needed), liar: float(needed)})
            confirmed: dict[Name, float] = {("told", i, v): 1.0 for v in holders}
            program.at_least(0, {**confirmed, ("answers", i, node): -float(needed), liar: float(needed)})
            for v in game.others(node):
                program.at_most(1, {told: 1, ("in", i, v): 1, ("with", node, v): -1, liar: -1})


def _shares(program: Program, game: Game) -> None:
    """Which shares the server gets: one a holder and owner from honest holders, both from corrupt ones."""
    for owner in game.nodes:
        for holder in game.graph.around(owner):
            liar: Name = ("corrupt", holder)
            for kind in ("seed", "key"):
                program.at_most(1, {(kind, i, holder, owner): 1 for i in range(game.lists)})
                for i in range(game.lists):
                    share: Name = (kind, i, holder, owner)
                    program.at_most(0, {share: 1, ("answers", i, holder): -1, liar: -1})
                    if kind == "seed":
                        program.at_most(0, {share: 1, ("in", i, owner): -1, liar: -1})
                    else:
                        program.at_most(1, {share: 1, ("in", i, owner): 1, liar: -1})
                    if holder != owner:
                        program.at_most(0, {share: 1, ("with", holder, owner): -1, liar: -1})
        program.at_least(
            0,
            {
                **{("key", i, w, owner): 1 for i in range(game.lists) for w in game.graph.around(owner)},
                ("open", owner): -game.threshold,
            },
        )


def _masks_cancel(program: Program, node: int, other: int, sums: Collection[str]) -> None:
    """Every mask of a summed node is taken off, or stands in the same sum a second time."""
    opened: dict[Name, float] = {("open", node): -1.0, ("open", other): -1.0, ("corrupt", other): -1.0}
    for s in sums:
        program.at_most(1, {(s, node): 1, ("with", node, other): 1, (s, other): -1, **opened})
        program.at_most(
            2,
            {(s, node): 1, (s, other): 1, ("with", node, other): 1, ("with", other, node): -1, **opened},
        )


def two_whole_lists(game: Game) -> Program:
    """The lies that a pair of honest servers could tell: all nodes survived, and some did not; both open.

    Fewer than `any_lie` has, but each is an attack that replays on the real parties by itself.
    """
    program = Program()
    needed = game.threshold
    _corrupt(program, game)
    program.at_least(game.minimum, {("in", 1, node): 1 for node in game.nodes})
    program.at_most(game.graph.size - 1, {("in", 1, node): 1 for node in game.nodes})
    for node in game.nodes:
        liar: Name = ("corrupt", node)
        program.at_least(0, {("in", 1, node): 1, liar: -1})
        program.exactly(1, {("in", 0, node): 1})
        program.at_most(1, {("told", 0, node): 1, ("told", 1, node): 1, liar: -1})
        holders = game.graph.around(node)
        for i in (0, 1):
            told: Name = ("told", i, node)
            program.at_least(0, {told: 1, liar: -1})
            program.at_most(0, {told: 1, ("in", i, node): -1})
            program.at_most(0, {("answers", i, node): 1, told: -1})
            standing: dict[Name, float] = {("in", i, v): 1.0 for v in holders}
            program.at_least(0, {**standing, told: -float(needed)})
            confirmed: dict[Name, float] = {("told", i, v): 1.0 for v in holders}
            program.at_least(0, {**confirmed, ("answers", i, node): -float(needed)})
            # every secret that list i asks for is rebuilt from its answers
            program.at_least(needed, {("answers", i, v): 1 for v in holders})
    return program
