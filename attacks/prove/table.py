"""The page of what was found broken, infeasible or undecided, for every protocol that promises something.

python -m attacks.prove.table > docs/protocols/adversary.md
"""

import sys
from collections.abc import Iterator
from dataclasses import replace

from attacks.prove.finding import Finding, Verdict
from attacks.prove.question import Question
from attacks.prove.search import prove

SECONDS = 20.0

INTRODUCTION = f"""# What a malicious server can get

<!-- written by `python -m attacks.prove.table`; do not edit -->

`securenb prove` searches for an attack of a server that lies, with so many parties on its side, and ends in
one of three ways: **broken**, with a transcript that replays against the real parties (exit code 1);
**infeasible** within what it says it searched (0); **undecided** in its time (3; here {SECONDS:.0f} s each).
A row goes through the numbers of corrupt parties, from none to the first that is broken.

An attack is a sum of fewer honest nodes than any list may have, or two sums of one group. On the complete
graph and in committees the search is over everything that the server may choose. On a circle it is over two
survivor lists and every choice of participants, with the corrupt nodes where they are worst. HiGHS solves it;
a solution is checked in integers. *Accepted*: the most that the planner's conditions let through. *Replayed*
is empty where the attack needs no play (a list with one honest node, a quorum of corrupt holders) or where it
is a solution of the general program, which is printed and not played.
"""

COMPLETE = [(4, 3), (5, 4), (6, 5), (7, 5), (8, 6), (9, 7), (10, 7), (11, 8), (12, 9), (13, 9), (13, 11)]
UNSAFE = [(6, 4), (9, 5), (12, 6)]
CIRCLES = [(12, 6, 6), (12, 6, 7), (16, 6, 7), (18, 8, 9)]
COMMITTEES = [(3, 2), (3, 3), (4, 3), (5, 3), (5, 4), (6, 4), (6, 5), (7, 4), (7, 5), (7, 6)]
HELPERS = [1, 2, 3]


def questions() -> Iterator[tuple[str, Question]]:
    """The rows: what they are called, and the question with no party corrupt."""
    for nodes, threshold in (*COMPLETE, *UNSAFE):
        yield f"{threshold} of {nodes}", Question("secagg", nodes, threshold, 0)
    for nodes, neighbours, threshold in CIRCLES:
        said = f"{threshold} of {neighbours + 1} holders, {nodes} nodes"
        yield said, Question("secagg_plus", nodes, threshold, 0, neighbours=neighbours)
    for protocol in ("oneshot", "threshold_paillier"):
        for holders, quorum in COMMITTEES:
            yield f"{quorum} of {holders} holders", Question(protocol, 6, 4, 0, holders, quorum)
    for helpers in HELPERS:
        yield f"{helpers} helper{'s' * (helpers > 1)}", Question("verified", 6, 4, 0, helpers)


def row(question: Question) -> tuple[list[Finding], str]:
    """The findings for none corrupt, one, and so on to the first that is broken; and the row's cells."""
    found: list[Finding] = []
    for corrupt in range(question.nodes + 1):
        try:
            found.append(prove(replace(question, corrupt=corrupt, seconds=SECONDS)))
        except ValueError:
            break
        if found[-1].verdict is Verdict.BROKEN:
            break
    return found, " | ".join(_cells(found))


def _cells(found: list[Finding]) -> list[str]:
    accepted = [corrupt for corrupt, each in enumerate(found) if each.planned]
    infeasible = [corrupt for corrupt, each in enumerate(found) if each.verdict is Verdict.INFEASIBLE]
    undecided = [str(corrupt) for corrupt, each in enumerate(found) if each.verdict is Verdict.UNDECIDED]
    broken = [corrupt for corrupt, each in enumerate(found) if each.verdict is Verdict.BROKEN]
    replayed = {True: "yes", None: "", False: "no"}[found[-1].replayed if broken else None]
    return [
        str(max(accepted)) if accepted else "none",
        str(max(infeasible)) if infeasible else "none",
        ", ".join(undecided),
        str(broken[0]) if broken else "",
        replayed,
    ]


def page() -> str:
    """The page, in Markdown."""
    lines = [INTRODUCTION]
    last = ""
    for said, question in questions():
        if question.protocol != last:
            last = question.protocol
            lines += [
                f"\n## {last}\n",
                "| | accepted with | infeasible with | undecided | broken with | replayed |",
                "| --- | --- | --- | --- | --- | --- |",
            ]
        lines.append(f"| {said} | {row(question)[1]} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
