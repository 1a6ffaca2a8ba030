"""Nodes that are made one after another open what nodes that are all there open."""

import numpy as np
import pytest

from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.engines.streamed import StreamedRun
from protocols.entropy import seeded
from protocols.grouping import one_group, shuffled
from protocols.protocol import PROTOCOLS
from protocols.ring import Capacity

NODES = tuple(f"node-{i}" for i in range(7))
ONCE = [name for name in PROTOCOLS if name not in {"secagg", "secagg_plus"}]


def made(name, groups, **parameters):
    protocol = PROTOCOLS[name].for_tests() if not parameters else PROTOCOLS[name](**parameters)
    session = protocol.session(groups, 3, Capacity(100, 7), bytes(16))
    rng = np.random.default_rng(3)
    vectors = {node: rng.integers(-100, 100, 3, endpoint=True) for node in NODES}
    return protocol, session, vectors


@pytest.mark.parametrize("name", ONCE)
@pytest.mark.parametrize("grouped", [False, True])
def test_it_opens_the_same_and_weighs_the_same(name, grouped):
    groups = shuffled(NODES, 3, np.random.default_rng(5)) if grouped else one_group(NODES)
    protocol, session, vectors = made(name, groups)
    local = LocalRun(protocol.parties(vectors, session, seeded(1)), protocol.codec(session), session)
    streamed = StreamedRun(protocol, vectors.items(), session, seeded(1))
    one, other = local.run(), streamed.run()
    assert np.array_equal(one.rows, other.rows)
    assert one.members == other.members
    assert not streamed.transcript.blames
    assert local.transcript.kinds == streamed.transcript.kinds
    assert local.transcript.kind_bytes == streamed.transcript.kind_bytes


def test_a_node_that_has_spoken_is_let_go_before_the_next_is_made():
    protocol, session, vectors = made("oneshot", one_group(NODES))
    kept = []

    def watched():
        for node, vector in vectors.items():
            kept.append(sum(type(run.parties[each]).__name__ == "_Node" for each in NODES))
            yield node, vector

    run = StreamedRun(protocol, watched(), session, seeded(1))
    run.run()
    assert kept == [0] * 7


def test_silent_holders_and_nodes_cost_what_they_cost_elsewhere():
    protocol, session, vectors = made("oneshot", one_group(NODES), holders=3, quorum=2, corrupt_holders=0)
    faults = Faults(silent={"holder-1": 0, "node-2": 1, "node-4": 0})
    opened = StreamedRun(protocol, vectors.items(), session, seeded(1), faults).run()
    lasting = [node for node in NODES if node not in {"node-2", "node-4"}]
    assert opened.members == (tuple(lasting),)
    assert opened.rows[0].tolist() == sum(vectors[node] for node in lasting).tolist()


def test_words_to_a_node_that_was_let_go_are_blamed_on_who_says_them():
    protocol, session, vectors = made("plain", one_group(NODES))
    run = StreamedRun(protocol, vectors.items(), session, seeded(1))
    run.run()
    body = protocol.messages[0](b"")
    run._send("node-1", run.parties["aggregator"].to("node-2", body))
    run._deliver_all()
    assert [(blame.by, blame.party) for blame in run.transcript.blames] == [("node-2", "node-1")]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda v: [*v.items(), ("node-3", v["node-3"])], "node-3"),
        (lambda v: [*v.items(), ("stranger", v["node-3"])], "stranger"),
        (lambda v: [(n, x) for n, x in v.items() if n != "node-5"], "node-5"),
        (lambda v: [(n, 1000 * x) for n, x in v.items()], "node-"),
    ],
)
def test_vectors_that_do_not_fit_the_session_are_refused_by_name(change, named):
    protocol, session, vectors = made("oneshot", one_group(NODES))
    with pytest.raises(ValueError, match=named):
        StreamedRun(protocol, change(vectors), session, seeded(1)).run()


def test_nodes_that_need_credentials_are_refused():
    protocol, session, vectors = made("secagg", one_group(NODES))
    with pytest.raises(ValueError, match="roster"):
        StreamedRun(protocol, vectors.items(), session, seeded(1)).run()
