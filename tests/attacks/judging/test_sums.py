"""Adapters of secure sums: what is planted is found, what is right is right, and every end is an outcome."""

import sys

import pytest

from attacks.judging.outcome import Outcome, exit_code
from attacks.judging.run import judge

HEAD = """
import os, secrets, time
M = 2**64
def about():
    return {"name": "ours", "version": "1", "level": "class", "own": True, "schemes": {"masks": {
        "lowest": -1000, "highest": 1000, "stages": ["upload"], "clients": 100, "tampers": TAMPERS}}}
TAMPERS = ["repeated", "ciphertext zero"]
def masks(vectors):
    return [[secrets.randbelow(M) for _ in vectors[0]] for _ in vectors]
def messages(vectors, silent):
    m = masks(vectors)
    return [[(v + a - b) % M for v, a, b in zip(*rows)] for rows in zip(vectors, m, m[1:] + m[:1])]
def signed(sent):
    return [t - M if t > M // 2 else t for t in (sum(c) % M for c in zip(*sent))]
def run(scheme, vectors, silent, tamper):
    if silent: raise ValueError("a client is missing")
    if any(not -1000 <= v <= 1000 for row in vectors for v in row): raise ValueError("out of range")
    if tamper: raise ValueError("this message was not expected")
    sent = messages(vectors, silent)
    return {"sum": signed(sent), "sent": sent}
"""


@pytest.fixture
def judged(tmp_path):
    def run(source, checks=None, **limits):
        path = tmp_path / "adapter.py"
        path.write_text(source)
        return judge(path, sys.executable, checks=checks, **limits)

    return run


def outcomes(results, check):
    return {result.case: result.outcome for result in results if result.check == check}


def test_a_right_sum_is_right_and_the_control_stands_first(judged):
    results = judged(HEAD)
    assert (results[0].check, results[0].outcome) == ("control", Outcome.RIGHT)
    assert exit_code(results) == 0
    assert set(outcomes(results, "exact").values()) == {Outcome.RIGHT, Outcome.NOT_APPLICABLE}
    assert outcomes(results, "full_range")["one client sends one more than the most"] == Outcome.REFUSED
    assert set(outcomes(results, "secrets_repeat").values()) == {Outcome.RIGHT}
    refused = next(result for result in results if result.check == "drop_outs")
    assert refused.reason == "ValueError: a client is missing"


@pytest.mark.parametrize(
    ("fault", "check", "outcome"),
    [
        (
            "def masks(v): return [[hash((i, j)) % M for j in range(5)][: len(w)] for i, w in enumerate(v)]",
            "secrets_repeat",
            Outcome.OPENED,
        ),
        (
            "def masks(v):\n  return [[secrets.randbelow(M)] * len(v[0]) for _ in v]",
            "secrets_repeat",
            Outcome.OPENED,
        ),
        ("def masks(v): return [[0] * len(v[0]) for _ in v]", "in_the_clear", Outcome.OPENED),
        ("M = 2048", "full_range", Outcome.WRONG),
        ("def signed(sent): return [sum(c) % M for c in zip(*sent)]", "negatives", Outcome.WRONG),
    ],
)
def test_a_planted_leak_is_found(judged, fault, check, outcome):
    results = judged(HEAD + fault, [check])
    assert outcome in outcomes(results, check).values()
    assert exit_code(results) == 1


TAMPERED = HEAD.replace('raise ValueError("this message was not expected")', "{}").replace(
    'raise ValueError("a client is missing")', "{}"
)


@pytest.mark.parametrize(
    ("does", "outcome", "said"),
    [
        ("vectors = vectors + [vectors[1]]", Outcome.WRONG, "off by"),
        ("return {'sum': [sum(c) for c in zip(*vectors)], 'opened': [vectors[2]]}", Outcome.OPENED, "vector"),
        ("return [sum(c) for c in zip(*vectors[:1], *vectors[2:])]", Outcome.RIGHT, ""),
        ("return {'sum': [sum(c) for c in zip(*vectors)], 'members': [0, 1, 1]}", Outcome.WRONG, "twice"),
        ("vectors[99]", Outcome.ABORTED, "IndexError"),
        ("raise RuntimeError('no such client')", Outcome.REFUSED, "no such client"),
        ("os._exit(7)", Outcome.ABORTED, "died: the interpreter ended with exit code 7"),
        ("time.sleep(60)", Outcome.HANGS, "timed out: no answer within 0.5 seconds"),
        ("bytearray(1 << 40)", Outcome.ABORTED, "MemoryError"),
        ("print('x' * 100000); os.system('echo y')", Outcome.RIGHT, ""),
        ("return 'done'", Outcome.BROKEN, "whole numbers"),
        ("return {'sum': [1.5]}", Outcome.BROKEN, "whole numbers"),
        ("return None", Outcome.BROKEN, "whole numbers"),
        ("return {'sum': [1] * 5, 'members': ['a']}", Outcome.BROKEN, "members"),
    ],
)
def test_every_end_is_an_outcome_and_later_checks_are_made(judged, does, outcome, said):
    source = HEAD.replace('raise ValueError("this message was not expected")', does, 1)
    results = judged(
        source.replace("if tamper: ", "if tamper:\n        "), ["messages", "negatives"], seconds=0.5
    )
    found = next(
        result for result in results if result.check == "messages" and result.outcome != "not applicable"
    )
    assert (found.outcome, said in found.reason) == (outcome, True), found
    assert set(outcomes(results, "negatives").values()) == {Outcome.RIGHT}


@pytest.mark.parametrize(
    "source",
    [
        HEAD + "def signed(sent): return [0] * 3",
        HEAD + "def run(scheme, vectors, silent, tamper): os._exit(1)",
        HEAD + "def about(): return {'name': 'x'}",
        HEAD + "def about(): return 5",
        HEAD.replace('"class"', '"toy"'),
        HEAD.replace('"lowest": -1000,', ""),
        HEAD + "run = None\ndel run",
        "import nothing_of_the_kind",
        "def about(:",
        HEAD + "raise SystemExit(0)",
    ],
)
def test_what_breaks_its_contract_is_a_broken_adapter_and_never_the_peer(judged, source):
    results = judged(source)
    assert {result.outcome for result in results} == {Outcome.BROKEN}
    assert exit_code(results) == 3


def test_a_missing_file_interpreter_or_check_is_a_mistake(judged, tmp_path):
    with pytest.raises(ValueError, match="there is no adapter"):
        judge(tmp_path / "none.py", sys.executable)
    (tmp_path / "adapter.py").write_text(HEAD)
    with pytest.raises(ValueError, match="cannot run the interpreter /nowhere"):
        judge(tmp_path / "adapter.py", "/nowhere")
    with pytest.raises(ValueError, match="exakt"):
        judged(HEAD, ["exakt"])
