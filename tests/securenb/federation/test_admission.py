"""Malformed submissions are refused, and the round is bit-identical to the one without them."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.party import AGGREGATOR
from protocols.schemes.plain import Vector
from securenb.data.dataset import load_dataset
from securenb.data.node import Node
from securenb.experiments.scenario import Scenario
from securenb.federation.admission import admit
from securenb.robust.rule import RULES
from securenb.robust.spec import choose_rule
from securenb.schema.invariants import invariants

DATA = load_dataset("phishing")
SCENARIO = Scenario.checked(
    dataset="phishing", nodes=9, protocol="plain", epsilon="1", group_size=1, seed=3, rule="median"
)
FEDERATION = SCENARIO.federation(DATA)
NODES = SCENARIO.deal(DATA)
SILENT = FEDERATION.run(NODES, Faults(silent={"node-0004": 0}))
LENGTH = DATA.schema.length
CAPACITY = FEDERATION.session(FEDERATION.grouped([node.id for node in NODES])).capacity


@dataclass(frozen=True, eq=False)
class Malformed(Node):
    """A node that sends whatever it was given."""

    submission: Any = None

    def contribution(self, schema, noise, grid):
        return self.submission


def malformed(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    good = rng.integers(-50, 50, LENGTH)
    where = draw(st.integers(0, LENGTH - 1))
    kind = draw(
        st.sampled_from(
            ["nan", "inf", "-inf", "float", "huge", "-huge", "min", "long", "short", "2d", "dtype", "object"]
        )
    )
    if kind in ("nan", "inf", "-inf", "float"):
        bad = good.astype(np.float64)
        bad[where] = 0.5 if kind == "float" else float(kind)
        return bad
    if kind in ("huge", "-huge", "min"):
        beyond = draw(st.integers(CAPACITY.largest_input + 1, 2**63 - 1))
        good[where] = {"huge": beyond, "-huge": -beyond, "min": -(2**63)}[kind]
        return good
    match kind:
        case "long":
            return np.append(good, 0)
        case "short":
            return good[:where]
        case "2d":
            return good.reshape(1, -1)
        case "dtype":
            return good.astype(
                draw(st.sampled_from([np.int32, np.uint64, np.float32, np.bool_, np.complex128]))
            )
        case _:
            return draw(st.sampled_from([None, "vector", b"\x00" * 8, list(good), 3, {"x": 1}]))


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_every_malformed_submission_is_refused_and_leaves_the_round_as_if_it_were_never_sent(data):
    bad = malformed(data.draw)
    with pytest.raises(ValueError, match="expected|may send at most"):
        admit(bad, LENGTH, CAPACITY)
    nodes = [Malformed(n.id, n.records, bad) if n.id == "node-0004" else n for n in NODES]
    round_ = FEDERATION.run(nodes)
    assert set(round_.refused) == {"node-0004"}
    assert round_.opened.members == SILENT.opened.members
    assert round_.digests() == SILENT.digests()


MALFORMED = [
    np.full(LENGTH, np.nan),
    np.full(LENGTH, np.inf),
    np.full(LENGTH, -(2**63), dtype=np.int64),
    np.full(LENGTH, CAPACITY.largest_input + 1, dtype=np.int64),
    np.zeros(LENGTH - 1, dtype=np.int64),
    np.zeros(LENGTH, dtype=np.int32),
    None,
]


@pytest.mark.parametrize(
    "name", [name for name in RULES if not (RULES[name].capped or RULES[name].increments)]
)
def test_under_every_rule_a_malformed_submission_is_refused_and_changes_no_bit_of_the_model(name):
    federation = replace(FEDERATION, rule=choose_rule(name, reference=SCENARIO.reference(DATA)))
    silent = federation.run(NODES, Faults(silent={"node-0004": 0}))
    for bad in MALFORMED:
        nodes = [Malformed(n.id, n.records, bad) if n.id == "node-0004" else n for n in NODES]
        round_ = federation.run(nodes)
        assert set(round_.refused) == {"node-0004"}
        assert round_.digests() == silent.digests()
        assert np.array_equal(round_.model.parameters.table, silent.model.parameters.table)


class Rewriting(Faults):
    """A node whose frames are something else on the wire."""

    def __init__(self, rewrite):
        super().__init__()
        self.rewrite = rewrite

    def carry(self, frame):
        return (self.rewrite(frame) if frame.sender == "node-0004" else [frame]), []


def on_the_wire(rewrite, seed=3):
    federation = replace(FEDERATION, seed=seed)
    contributions = federation.prepare(NODES)
    session = federation.session(contributions.groups)
    parties = federation.protocol.parties(contributions.vectors, session, federation.streams.entropy_for)
    run = LocalRun(parties, federation.protocol.codec(session), session, Rewriting(rewrite))
    return run, run.run()


def encoded(words, seed=3):
    federation = replace(FEDERATION, seed=seed)
    session = federation.session(federation.prepare(NODES).groups)
    return federation.protocol.codec(session).encode("node-0004", AGGREGATOR, Vector(words))


WIRE = {
    "random bytes": lambda frame: np.random.default_rng(1).bytes(len(frame.data)),
    "nothing": lambda frame: b"",
    "too short": lambda frame: frame.data[:-1],
    "trailing bytes": lambda frame: frame.data + b"\x00",
    "enormous": lambda frame: frame.data * 1000,
    "all NaN": lambda frame: encoded(np.full(LENGTH, np.nan).tobytes()),
    "infinite": lambda frame: encoded(np.full(LENGTH, np.inf).tobytes()),
    "floats": lambda frame: encoded(np.full(LENGTH, 0.5).tobytes()),
    "huge": lambda frame: encoded(np.full(LENGTH, CAPACITY.largest_input + 1).tobytes()),
    "very negative": lambda frame: encoded(np.full(LENGTH, -(2**63)).tobytes()),
    "half a vector": lambda frame: encoded(np.zeros(LENGTH // 2, dtype=np.int64).tobytes()),
    "32-bit integers": lambda frame: encoded(np.zeros(LENGTH, dtype=np.int32).tobytes()),
    "a replay from another session": lambda frame: encoded(
        np.zeros(LENGTH, dtype=np.int64).tobytes(), seed=4
    ),
}


@pytest.mark.parametrize("kind", WIRE)
def test_a_malformed_or_replayed_frame_leaves_the_round_as_if_it_were_never_sent(kind):
    run, opened = on_the_wire(lambda frame: [replace(frame, data=WIRE[kind](frame))])
    assert opened.members == SILENT.opened.members
    assert np.array_equal(opened.rows, SILENT.opened.rows)
    assert {blame.party for blame in run.transcript.blames} == {"node-0004"}


@pytest.mark.parametrize("second", ["the same again", "another vector"])
def test_a_second_submission_under_one_name_is_refused_and_the_first_one_counts(second):
    other = encoded(np.zeros(LENGTH, dtype=np.int64).tobytes())
    run, opened = on_the_wire(
        lambda frame: [frame, frame if second == "the same again" else replace(frame, data=other)]
    )
    clean = FEDERATION.run(NODES).opened
    assert opened.members == clean.members
    assert np.array_equal(opened.rows, clean.rows)
    assert {blame.party for blame in run.transcript.blames} <= {"node-0004"}


def test_negative_counts_and_broken_invariants_are_refused_where_no_noise_hides_them():
    rules = invariants(DATA.schema, 200)
    good = NODES[0].statistics(DATA.schema).vector()
    assert admit(good, LENGTH, CAPACITY, rules) is good
    for change, family in ((-1, "level count out of range"), (1, "levels do not sum to the class count")):
        bad = good.copy()
        bad[1] = -1 if change < 0 else bad[1] + 1
        with pytest.raises(ValueError, match=family):
            admit(bad, LENGTH, CAPACITY, rules)
    with pytest.raises(ValueError, match="more records than the cap|out of range"):
        admit(good * 5, LENGTH, CAPACITY, rules)
