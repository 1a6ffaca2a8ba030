"""One identity, several capped submissions: how a node with more records than the cap takes part whole.

The registry says, publicly, how many submissions a node may make; it always makes so many, some of them
perhaps empty, so that their number says nothing. Every record is in exactly one of them, and all of them
are in the same row: the row moves with a record as before, and the node pays for it once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from protocols.grouping import Groups
from protocols.protocol import Protocol
from securenb.data.node import Node

MARK = "#"


def identity(submission: str) -> str:
    """Whose submission it is: ``node-3#2`` is the second of node-3."""
    return submission.partition(MARK)[0]


def identities(submissions: Sequence[str]) -> tuple[str, ...]:
    """Whose they are, each once, in the order in which they first appear."""
    return tuple(dict.fromkeys(map(identity, submissions)))


def names(node: str, allowed: int) -> tuple[str, ...]:
    """What a node's submissions are called: by its own name if it is a single one."""
    return (node,) if allowed == 1 else tuple(f"{node}{MARK}{part}" for part in range(1, allowed + 1))


def parts(node: Node, allowed: int, cap: int) -> list[Node]:
    """The node as `allowed` submitters of at most `cap` records each; together they hold what it holds.

    Raises
    ------
    ValueError
        If it holds more than that.
    """
    if len(node.records) > allowed * cap:
        times = "once" if allowed == 1 else f"{allowed} times"
        raise ValueError(
            f"{node.id} holds {len(node.records)} records; it may submit {times}, and the public cap is {cap}"
        )
    if allowed == 1:
        return [node]
    return [
        replace(node, id=name, records=node.records[part * cap : (part + 1) * cap])
        for part, name in enumerate(names(node.id, allowed))
    ]


def expanded(groups: Groups, allowed: Mapping[str, int]) -> Groups:
    """Groups of submissions, from groups of identities."""
    return tuple(
        tuple(name for node in group for name in names(node, allowed.get(node, 1))) for group in groups
    )


def check_identities(group: Sequence[str], survivors: int) -> None:
    """Refuse a group of several nodes that the submissions of one alone could open.

    Raises
    ------
    ValueError
        With the threshold that it takes.
    """
    of = [identity(name) for name in group]
    most = max(of.count(node) for node in set(of))
    if survivors <= most < len(of):
        raise ValueError(
            f"{survivors} submissions open a row, and one node makes {most}: its own sum would be opened; "
            f"set a threshold of at least {most + 1}"
        )


def check_submissions(submissions: Mapping[str, int], *, proven: bool, increments: bool) -> None:
    """Refuse, with a `ValueError`, several submissions of a node where nothing bounds or counts them."""
    if submissions and not proven:
        raise ValueError("nodes submit several times only where they prove a cap")
    if submissions and increments:
        raise ValueError(
            "nodes that send increments submit once: certificates count nodes, and quotas bound each; "
            "leave out split"
        )


@dataclass(frozen=True)
class Registry:
    """What is publicly registered about nodes that prove caps.

    Parameters
    ----------
    cap
        The most records of one submission.
    submissions
        How many submissions a node may make; one where it says nothing.

    Raises
    ------
    ValueError
        If a number of submissions is below one, or a node's name is that of a submission.
    """

    cap: int
    submissions: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node, allowed in self.submissions.items():
            if allowed < 1 or MARK in node:
                raise ValueError(
                    f"a node may submit once or more, and has no {MARK} in its name: {node}, {allowed}"
                )

    def allowed(self, node: str) -> int:
        """How many submissions the node may make."""
        return self.submissions.get(node, 1)

    def grouped(self, groups: Groups, protocol: Protocol) -> Groups:
        """Groups of submissions: all of a node in one group.

        Raises
        ------
        ValueError
            If a group of several could be opened with the submissions of one.
        """
        found = expanded(groups, self.submissions)
        for group in found if self.submissions else ():
            check_identities(group, protocol.survivors(len(group)))
        return found

    def split(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes as submitters; a `ValueError` for one that holds more than it may submit."""
        if MARK in "".join(node.id for node in nodes):
            raise ValueError(f"{MARK} is kept for the submissions of a node that makes several")
        made = [parts(node, self.allowed(node.id), self.cap) for node in nodes]
        return [part for of_one in made for part in of_one]
