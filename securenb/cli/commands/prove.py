"""`securenb prove`: what a server that lies can get from a protocol, searched for."""

from typing import Annotated

import typer

from attacks.prove.finding import EXIT_CODE
from attacks.prove.question import Question
from attacks.prove.search import SEARCHES, prove
from securenb.cli import console
from securenb.cli.options import Json


def command(
    protocol: Annotated[str, typer.Argument(help=f"One of {', '.join(SEARCHES)}.")],
    nodes: Annotated[int, typer.Option(help="Nodes of the group.")],
    threshold: Annotated[int, typer.Option(help="The fewest members of a list, and shares of a secret.")],
    corrupt: Annotated[
        int, typer.Option(help="Who works with the server: holders or helpers if there are any, else nodes.")
    ],
    holders: Annotated[int | None, typer.Option(help="Holders of a committee, or helpers.")] = None,
    quorum: Annotated[int | None, typer.Option(help="Holders that open a sum.")] = None,
    neighbours: Annotated[
        int | None, typer.Option(help="Neighbours on a circle; by default the complete graph.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="How long to search.")] = 60.0,
    json: Json = False,  # noqa: FBT002
) -> int:
    """Search for an attack: exit code 1 and a transcript that replays, 0 infeasible, 3 undecided."""
    question = Question(protocol, nodes, threshold, corrupt, holders, quorum, neighbours, seconds)
    found = prove(question)
    if json:
        console.show_json(
            {
                "verdict": found.verdict.value,
                "searched": found.searched,
                "transcript": list(found.transcript),
                "replayed": found.replayed,
                "planned": found.planned,
            }
        )
        return EXIT_CODE[found.verdict]
    for line in found.transcript:
        console.say(line)
    if found.transcript:
        console.say(
            {
                True: "replayed against the real parties: it opens what it says",
                False: "the real parties did not open what it says",
                None: "not replayed",
            }[found.replayed]
        )
    console.say(f"{found.verdict.value}: {found.searched}")
    console.say(f"the planner {'accepts' if found.planned else 'refuses'} these parameters")
    return EXIT_CODE[found.verdict]
