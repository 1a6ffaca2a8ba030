"""The search finds what is known to be broken, replays it, and never what the planner accepts."""

import json
from dataclasses import replace
from itertools import product

import pytest

from attacks.prove import graphs
from attacks.prove.finding import Verdict
from attacks.prove.program import OutOfTime, Program
from attacks.prove.question import Question
from attacks.prove.search import SEARCHES, prove
from attacks.prove.stories import Game, any_lie
from protocols.primitives.harary import Complete
from protocols.protocol import PROTOCOLS
from securenb.cli.main import MISTAKE, main


@pytest.mark.parametrize(
    ("nodes", "threshold"), [(4, 3), (5, 3), (6, 4), (7, 5), pytest.param(9, 7, marks=pytest.mark.slow)]
)
def test_on_the_complete_graph_the_condition_is_exactly_2t_above_n_plus_c(nodes, threshold):
    for corrupt in range(threshold - 1):
        found = prove(Question("secagg", nodes, threshold, corrupt))
        broken = 2 * threshold <= nodes + corrupt
        assert found.verdict is (Verdict.BROKEN if broken else Verdict.INFEASIBLE)
        assert found.replayed is (True if broken else None), found.transcript


@pytest.mark.parametrize("protocol", ["oneshot", "threshold_paillier"])
@pytest.mark.parametrize(("holders", "quorum"), [(3, 2), (4, 3), (5, 3), (5, 4)])
def test_in_a_committee_it_is_exactly_2q_above_h_plus_c(protocol, holders, quorum):
    for corrupt in range(quorum):
        found = prove(Question(protocol, 6, 4, corrupt, holders, quorum))
        broken = 2 * quorum <= holders + corrupt
        assert found.verdict is (Verdict.BROKEN if broken else Verdict.INFEASIBLE)
        assert found.replayed is (True if broken else None), found.transcript
        assert found.planned is not broken


def small_questions():
    for protocol, nodes in product(("secagg", "secagg_plus"), range(3, 7)):
        for threshold, corrupt in product(range(3, nodes + 1), range(nodes)):
            yield Question(protocol, nodes, threshold, corrupt)
    for protocol in ("oneshot", "threshold_paillier"):
        for holders in range(1, 8):
            for quorum, corrupt in product(range(1, holders + 1), range(holders + 1)):
                yield Question(protocol, 5, 3, corrupt, holders, quorum)
    for helpers in range(1, 4):
        for corrupt in range(helpers + 1):
            yield Question("verified", 5, 4, corrupt, helpers)
    yield Question("secagg_plus", 10, 7, 0, neighbours=6)


def test_the_planner_accepts_nothing_that_is_broken(monkeypatch):
    """Over every protocol that promises something; the plays are for other tests."""
    monkeypatch.setattr(graphs, "play_stories", lambda *_: (True, ()))
    asked, accepted = set(), set()
    for question in small_questions():
        found = prove(replace(question, seconds=30))
        asked.add(question.protocol)
        if found.planned:
            accepted.add(question.protocol)
            assert found.verdict is Verdict.INFEASIBLE, question
    assert asked == accepted == set(SEARCHES) <= set(PROTOCOLS)


def test_a_protocol_is_searched_or_claims_nothing_against_a_server_that_lies():
    nothing = {"plain", "ideal", "masking", "mixer", "gossip", "ring", "paillier"}
    assert set(SEARCHES) | nothing == set(PROTOCOLS)
    for name in nothing:
        with pytest.raises(ValueError, match="promises nothing"):
            prove(Question(name, 5, 4, 0))


def test_a_search_that_is_out_of_time_says_so():
    found = prove(Question("secagg_plus", 16, 6, 1, neighbours=6, seconds=0.05))
    assert found.verdict is Verdict.UNDECIDED
    assert found.transcript == ()


def test_the_general_program_finds_more_than_two_whole_lists():
    """Three survivors in a row that nobody else masks with: participants differ from node to node."""
    assert any_lie(Game(Complete(6), 3, 3, 0, 2), "two").solution(30) is not None
    assert any_lie(Game(Complete(7), 5, 5, 0, 1), "small").solution(30) is None


def test_a_program_is_solved_in_integers():
    program = Program()
    program.exactly(2, {"x": 1, "y": 1, "z": 1})
    program.at_most(0, {"x": 1})
    assert program.solution(5) == {"x": False, "y": True, "z": True}
    program.at_most(1, {"y": 1, "z": 1})
    assert program.solution(5) is None
    hard = any_lie(Game(Complete(13), 9, 9, 4, 2), "small")
    with pytest.raises(OutOfTime):
        hard.solution(0.01)


@pytest.mark.parametrize(
    ("arguments", "code", "verdict"),
    [
        ("oneshot --nodes 6 --threshold 3 --corrupt 1 --holders 5 --quorum 3", 1, "broken"),
        ("oneshot --nodes 6 --threshold 3 --corrupt 0 --holders 5 --quorum 3", 0, "infeasible"),
        ("secagg --nodes 6 --threshold 4 --corrupt 2", 1, "broken"),
        ("secagg_plus --nodes 16 --threshold 6 --corrupt 1 --neighbours 6 --seconds 0.05", 3, "undecided"),
    ],
)
def test_the_command_prints_a_transcript_and_the_verdict(arguments, code, verdict, capsys):
    assert main(["prove", *arguments.split(), "--json"]) == code
    said = json.loads(capsys.readouterr().out)
    assert said["verdict"] == verdict
    assert bool(said["transcript"]) == (code == 1) == bool(said["replayed"])
    assert main(["prove", *arguments.split()]) == code
    shown = capsys.readouterr().out
    assert f"{verdict}: " in shown
    assert ("replayed against the real parties" in shown) == (code == 1)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("plain --nodes 5 --threshold 4 --corrupt 0", "plain"),
        ("secagg --nodes 5 --threshold 6 --corrupt 0", "got 6"),
        ("secagg --nodes 5 --threshold 4 --corrupt 5", "got 5"),
        ("secagg --nodes 5 --threshold 4 --corrupt -1", "got -1"),
        ("secagg_plus --nodes 9 --threshold 5 --corrupt 0 --neighbours 5", "got 5"),
        ("secagg_plus --nodes 9 --threshold 8 --corrupt 0 --neighbours 6", "8 of 7 holders"),
        ("oneshot --nodes 5 --threshold 4 --corrupt 0 --holders 3 --quorum 4", "got 4"),
        ("verified --nodes 5 --threshold 4 --corrupt 2", "got 1, 2"),
    ],
)
def test_bad_questions_are_refused_in_one_line(arguments, named, capsys):
    assert main(["prove", *arguments.split()]) == MISTAKE
    [line] = capsys.readouterr().err.strip().splitlines()
    assert named in line
