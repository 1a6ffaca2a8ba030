from protocols.engines.transcript import Blame, Stop, Tally, Transcript
from protocols.party import AGGREGATOR


def transcript():
    record = Transcript(trustees=frozenset({"trustee-1"}))
    record.tallies["a"] = Tally(sent=100, received=10, sent_messages=2, received_messages=1, cpu=0.25)
    record.tallies["b"] = Tally(sent=300, received=30, sent_messages=4, received_messages=3, cpu=0.75)
    record.tallies[AGGREGATOR] = Tally(received=400)
    return record


def test_roles_are_nodes_trustees_and_one_aggregator():
    record = transcript()
    assert [record.role(party) for party in ("a", "trustee-1", AGGREGATOR)] == ["node", "trustee", AGGREGATOR]


def test_means_are_over_the_parties_of_a_role():
    record = transcript()
    assert record.mean("node", "sent") == 200
    assert record.mean("node", "cpu") == 0.5
    assert record.mean(AGGREGATOR, "received") == 400
    assert record.mean("trustee", "sent") == 0


def test_the_summary_has_a_line_for_each_role_blame_and_stop():
    record = transcript()
    record.blames.append(Blame("aggregator", "b", "sent this message twice"))
    record.stops.append(Stop("a", "too few"))
    record.rounds = 3
    node, aggregator, rounds, blamed, stopped = record.summary().splitlines()
    assert " ".join(node.split()) == "node ×2 up 200 B in 3.0 down 20 B in 2.0 cpu 500.00 ms"
    assert aggregator.startswith("aggregator ×1")
    assert rounds == "rounds     3 messages waited for one another"
    assert blamed == "blamed     b (by aggregator): sent this message twice"
    assert stopped == "stopped    a: too few"
