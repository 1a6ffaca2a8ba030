"""Sums under drop-outs are exact, on complete and on sparse graphs."""

import runpy
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.entropy import seeded
from protocols.errors import TooFewParties
from protocols.party import AGGREGATOR
from protocols.ring import Capacity
from protocols.schemes.secagg_plus import SecAggPlus

trial = runpy.run_path(str(Path(__file__).parents[4] / "benchmarks" / "exactness.py"))["trial"]


def test_random_rounds_are_exact_or_abort():
    """A sample; ten thousand are the claim `exact_rounds` (`python3 run.py evidence`)."""
    total = sum((trial(7, number) for number in range(20)), Counter())
    assert total["rounds"] == 20
    assert total["opened"] > total["lost"] > 0


def sparse_run(profile, frames):
    nodes = tuple(f"node-{i}" for i in range(len(frames)))
    protocol = SecAggPlus(profile=profile, corrupt=0.0, dropout=0.1)
    session = protocol.session((nodes,), 2, Capacity(1000, len(nodes)), bytes(16))
    graph, threshold = protocol.graph(session, 0)
    assert graph.holders < len(nodes)
    vectors = {node: np.array([i, -i]) for i, node in enumerate(nodes)}
    silent = {node: int(count) for node, count in zip(nodes, frames, strict=True) if count < 6}
    parties = protocol.parties(vectors, session, seeded(1))
    run = LocalRun(parties, protocol.codec(session), session, Faults(silent))
    last = 6 if profile == "malicious" else 5
    to_the_end = {i for i, count in enumerate(frames) if count >= last}
    summed = [i for i, count in enumerate(frames) if count >= 4]
    # needed are the seeds of survivors, and the mask keys of those who shared and have a survivor around
    needed = set(summed) | {
        i for i, count in enumerate(frames) if count == 3 and set(graph.around(i)) & set(summed)
    }
    enough = all(len(to_the_end & set(graph.around(i))) >= threshold for i in needed)
    return run, nodes, summed, enough and len(summed) >= protocol.survivors(len(nodes))


@pytest.mark.parametrize("profile", ["malicious", "semi-honest"])
@pytest.mark.parametrize("rate", [0.0, 0.1])
def test_a_sparse_graph_opens_exact_sums_within_the_rates_it_was_sized_for(profile, rate):
    rng = np.random.default_rng(3)
    frames = np.full(110, 6)
    frames[rng.choice(110, int(rate * 110), replace=False)] = rng.integers(6, size=int(rate * 110))
    run, nodes, summed, enough = sparse_run(profile, frames)
    opened = run.run()
    assert enough
    assert opened.members == (tuple(nodes[i] for i in summed),)
    assert opened.rows.tolist() == [[sum(summed), -sum(summed)]]
    assert not run.transcript.blames


@pytest.mark.parametrize("profile", ["malicious", "semi-honest"])
@pytest.mark.parametrize("seed", [0, 2, 5])
def test_a_sparse_graph_opens_nothing_else_when_more_fall_silent(profile, seed):
    rng = np.random.default_rng(seed)
    frames = np.where(rng.random(110) < 0.12 + 0.06 * seed, rng.integers(6, size=110), 6)
    run, nodes, summed, enough = sparse_run(profile, frames)
    try:
        opened = run.run()
    except TooFewParties:
        assert run.parties[AGGREGATOR].output is None
        assert not enough or any("holders" in stop.reason for stop in run.transcript.stops)
    else:
        assert enough
        assert opened.members == (tuple(nodes[i] for i in summed),)
        assert opened.rows.tolist() == [[sum(summed), -sum(summed)]]
