"""Full decentralisation: gossip instead of an aggregator (the paper's outlook, after Jelasity et al. 2005).

Nodes that each added a whole dose push halves of their statistics to neighbours. What is shown is how soon
every node has the model that an aggregator would have had, on the schedules of the protocol `gossip`.
"""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd

from protocols.canonical import digest
from protocols.primitives.push_sum import schedule
from protocols.primitives.topology import Topology
from protocols.schemes.gossip import Gossip
from protocols.schemes.plain import Plain
from securenb.bayes.parameters import Floats, estimate
from securenb.data.partition import deal
from securenb.experiments.montecarlo import Batch, Scorer, batches
from securenb.federation.federation import Federation
from securenb.paper.figures import gossip_figure
from securenb.paper.records import load_paper_data
from securenb.paper.study import Finding, Item, Settings, joined
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.samplers import FastNoise
from securenb.randomness import Streams
from securenb.robust.rules.sum import Sum

DATASET = "mushroom"
NODES = 100
EPSILON = 1.0
TOPOLOGIES: tuple[Topology, ...] = ("complete", "regular", "erdos-renyi")
DEGREE = 4
BOUND = 1 << 40
ROUNDS = 160
"""How far the picture goes."""

FEW = 10
"""Networks drawn at most."""


def gossiped(topology: Topology, seed: int, networks: range) -> Floats:
    """After each round: largest relative error, mean and worst accuracy over nodes, then the rounds planned.

    Shape (networks, rounds + 1, 4); round 0 is before anything was pushed. A schedule that needs fewer rounds
    than the picture shows repeats its end.
    """
    data = load_paper_data(DATASET, "corrected")
    schema = data.schema
    scorer = Scorer.of(schema, data.coded_test)
    mechanism = DiscreteLaplace.from_epsilon(EPSILON)
    found = np.empty((len(networks), ROUNDS + 1, 4))
    for at, network in enumerate(networks):
        rng = Streams(seed).rng("gossip", topology, network)
        noise = FastNoise(rng)
        vectors = np.stack(
            [
                node.statistics(schema).vector() + mechanism.share(schema, 1, noise)
                for node in deal(data.coded_train, len(schema.classes), NODES, rng=rng)
            ]
        ).astype(np.float64)
        truth = vectors.sum(axis=0)
        plan = schedule(topology, NODES, DEGREE, BOUND, digest("paper gossip", seed, network))
        state = np.hstack([vectors, np.ones((NODES, 1))])
        for turn in range(ROUNDS + 1):
            sums = NODES * state[:, :-1] / state[:, -1:]
            error = np.linalg.norm(sums - truth, axis=1).max() / np.linalg.norm(truth)
            tables = estimate(schema, sums.reshape(NODES, len(schema.classes), schema.width)).table
            accuracy = scorer.accuracies(tables)[0]
            found[at, turn] = error, accuracy.mean(), accuracy.min(), plan.rounds
            if turn < plan.rounds:
                goes = state / 2
                state = goes.copy()
                np.add.at(state, plan.partners[turn], goes)
    return found


def protocol_differs(seed: int, nodes: int = 20) -> int:
    """How many parameters differ between a run of the protocol `gossip` and of `plain`: none."""
    data = load_paper_data(DATASET, "corrected")
    dealt = deal(data.coded_train, len(data.schema.classes), nodes, rng=Streams(seed).rng("nodes"))
    tables = []
    for protocol in (Gossip(), Plain()):
        # the node that is pushed to reads the sender: a share must be a whole dose
        choice = Federation(
            data.schema, protocol, DiscreteLaplace.from_epsilon(EPSILON), Sum(), survivors=1, seed=seed
        )
        tables.append(choice.run(dealt).model.parameters.table)
    return int(np.count_nonzero(tables[0] != tables[1]))


class Decentralised(Item):
    """Error and accuracy by round, for networks of three kinds."""

    name = "gossip"

    def batches(self, settings: Settings) -> list[Batch]:
        """See `Item.batches`."""
        found = []
        for topology in TOPOLOGIES:
            task = partial(gossiped, topology, settings.seed)
            found += batches(f"{self.name}-{topology}", task, min(settings.trials, FEW), size=5)
        return found

    def finding(self, settings: Settings, results: Mapping[str, Floats]) -> Finding:
        """See `Item.finding`."""
        tables, summary = [], []
        for topology in TOPOLOGIES:
            drawn = joined(results, f"{self.name}-{topology}")
            means = drawn.mean(axis=0)
            tables.append(
                pd.DataFrame(means[:, :3], columns=["error", "accuracy", "worst"]).assign(
                    topology=topology, round=range(len(means))
                )
            )
            close = np.abs(means[:, 2] - means[-1, 1]) <= 0.001
            summary.append(
                {
                    "topology": topology,
                    "networks": len(drawn),
                    "rounds to a relative error of 1 %": _first(means[:, 0] <= 0.01),
                    "rounds until the worst node is within .001 accuracy": _first(close),
                    "rounds planned until exact": drawn[:, 0, 3].mean(),
                    "accuracy in the end": means[-1, 1],
                }
            )
        table = pd.concat(tables)[["topology", "round", "error", "accuracy", "worst"]]
        differing = protocol_differs(settings.seed)
        return Finding(
            "Gossip: no aggregator at all",
            {"gossip": table, "gossip_rounds": pd.DataFrame(summary)},
            {"gossip": gossip_figure(table)},
            pd.DataFrame(summary),
            [
                (
                    f"{DATASET}, {NODES} nodes that each add a whole dose at epsilon {EPSILON:g}; the mean "
                    "over networks of the largest relative error of a node's sums, and of the mean and the "
                    "worst node's accuracy. A ring of 100 is refused: it does not converge in 5000 rounds."
                ),
                (
                    "The protocol itself goes on until its sums are exact: "
                    f"{differing} parameters differ from those of an aggregator, 20 nodes."
                ),
            ],
        )


def _first(reached: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> int:
    """The round from which on it stays reached."""
    missed = np.flatnonzero(~reached)
    return int(missed[-1]) + 1 if len(missed) else 0
