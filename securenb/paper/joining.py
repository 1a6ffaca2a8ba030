"""Online updates (Algorithm 3): nodes join one after the other, in any order and in batches of any size."""

from collections.abc import Mapping
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd

from protocols.schemes.plain import Plain
from securenb.bayes.parameters import Floats
from securenb.data.partition import deal
from securenb.experiments.montecarlo import Batch, Scorer, batches
from securenb.federation.federation import Federation
from securenb.paper.aggregate import aggregate
from securenb.paper.figures import joining_figure
from securenb.paper.online import OnlineModel
from securenb.paper.records import load_paper_data
from securenb.paper.release import release
from securenb.paper.study import Finding, Item, Settings, joined
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.randomness import Streams
from securenb.robust.rules.sum import Sum

SHOWN = ("adult", "mushroom")
NODES = 100
EPSILON = 1.0
FEW = 20
"""Orders tried at most: each is one line of the picture, and exactness needs no statistics."""


def joins(dataset: str, seed: int, orders: range) -> Floats:
    """Accuracy after each of 100 nodes, and the error at the end; shape (orders, nodes + 1).

    The last column is the largest relative difference between the online parameters after all nodes, which
    joined in batches of random sizes, and those of Algorithm 2.
    """
    data = load_paper_data(dataset, "as-published")
    schema = data.schema
    scorer = Scorer(schema, data.test.evidence(schema), data.test.labels)
    found = np.empty((len(orders), NODES + 1))
    for at, order in enumerate(orders):
        rng = Streams(seed).rng("paper", dataset, order, "joining")
        shuffle = rng.permutation(len(data.train))
        sent = [release(schema, data.train[part], EPSILON, rng) for part in np.array_split(shuffle, NODES)]
        model = OnlineModel.start(schema, sent[0])
        tables = [model.parameters()]
        for node in sent[1:]:
            model = model.update(node)
            tables.append(model.parameters())
        found[at, :NODES] = scorer.accuracies(np.stack(tables))[0]
        cuts = np.unique(np.r_[0, rng.integers(1, NODES, 9), NODES])
        late = rng.permutation(NODES)
        totals = [sum(sent[node] for node in late[start:stop]) for start, stop in pairwise(cuts)]
        batched = OnlineModel.start(schema, np.asarray(totals[0]))
        for total in totals[1:]:
            batched = batched.update(np.asarray(total))
        whole = aggregate(schema, sent)
        found[at, NODES] = np.max(np.abs(batched.parameters() - whole) / np.maximum(np.abs(whole), 1e-300))
    return found


def product_differs(dataset: str, seed: int) -> int:
    """How many parameters of the main product change when nodes join late, shuffled and in batches: none."""
    data = load_paper_data(dataset, "corrected")
    streams = Streams(seed)
    nodes = deal(data.coded_train, len(data.schema.classes), NODES, rng=streams.rng("nodes"))
    choice = Federation(
        data.schema, Plain(), DiscreteLaplace.from_epsilon(EPSILON), Sum(), group_size=1, seed=seed
    )
    batch = choice.run(nodes).model.parameters.table
    late = [nodes[index] for index in streams.rng("order").permutation(NODES)]
    round_ = choice.run(late[:30])
    for start, stop in ((30, 31), (31, 70), (70, 100)):
        round_ = choice.update(round_, late[start:stop])
    return int(np.count_nonzero(round_.model.parameters.table != batch))


class Online(Item):
    """Accuracy as nodes join, and exactness at the end."""

    name = "online"

    def batches(self, settings: Settings) -> list[Batch]:
        """See `Item.batches`."""
        found = []
        for dataset in SHOWN:
            task = partial(joins, dataset, settings.seed)
            found += batches(f"{self.name}-{dataset}", task, min(settings.trials, FEW))
        return found

    def finding(self, settings: Settings, results: Mapping[str, Floats]) -> Finding:
        """See `Item.finding`."""
        lines, summary = [], []
        for dataset in SHOWN:
            found = joined(results, f"{self.name}-{dataset}")
            for order, accuracies in enumerate(found[:, :NODES]):
                lines += [
                    {"dataset": dataset, "order": order, "nodes": count, "accuracy": accuracy}
                    for count, accuracy in enumerate(accuracies, start=1)
                ]
            summary.append(
                {
                    "dataset": dataset,
                    "orders and batchings": len(found),
                    "largest relative difference, paper's formulas": f"{found[:, NODES].max():.1e}",
                    "parameters that differ, main product": product_differs(dataset, settings.seed),
                }
            )
        table = pd.DataFrame(lines)
        exactness = pd.DataFrame(summary)
        return Finding(
            "Online updates: nodes that join late",
            {"online": table, "online_exactness": exactness},
            {"online": joining_figure(table)},
            exactness,
            [
                (
                    f"{NODES} nodes at epsilon {EPSILON:g} join one after the other; every line is another "
                    "order. The end is Algorithm 2's, to the last digits for the paper's real-valued "
                    "formulas, and bit for bit for the main product's integer sums "
                    "(`Federation.update`), whose ledger goes on from round to round."
                )
            ],
        )
