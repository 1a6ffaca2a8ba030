"""Figure 3: the relative error of a mean, N = 1, 10, 100: from Laplace towards normal.

The error of a sum over N nodes is a sum of N Laplace variables. With equal scales its excess kurtosis is
3 / N, so the central limit is close at N = 10 already. A mean is a sum over a count, which has N Laplace
variables of its own: that takes away a little at N = 1 too.
"""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import kurtosis

from securenb.bayes.parameters import Floats
from securenb.experiments.montecarlo import Batch, batches
from securenb.paper.aggregate import parameters
from securenb.paper.centralised import estimates
from securenb.paper.figures import error_figure
from securenb.paper.records import load_paper_data
from securenb.paper.release import sum_columns
from securenb.paper.study import Finding, Item, Settings, joined
from securenb.paper.trials import Dealer
from securenb.randomness import Streams
from securenb.schema.features import Numeric

NUMBERS = (1, 10, 100)
EPSILON = 1.0
DRAWS = 10
"""Noise is drawn this many times for each partition: tails need many draws, and partitions matter less."""
DRAWN = ("age", 0)
"""The feature and the class that the picture shows."""


def relative_errors(seed: int, trials: range) -> Floats:
    """(noisy mean - mean) / mean on Adult, shape (trials, draws, numbers, C, numeric)."""
    data = load_paper_data("adult", "as-published")
    schema = data.schema
    sums = sum_columns(schema)
    exact = estimates(schema, data.train)[:, sums]
    dealer = Dealer(schema, data.train, NUMBERS)
    found = np.empty((len(trials), DRAWS, len(NUMBERS), *exact.shape))
    for at, trial in enumerate(trials):
        streams = Streams(seed)
        dealt = dealer.deal(streams.rng("paper", "adult", trial, "deal"))
        for column, count in enumerate(NUMBERS):
            rng = streams.rng("paper", "adult", trial, "errors", count)
            for draw in range(DRAWS):
                noisy = parameters(schema, dealt[count].totals(schema, (EPSILON,), rng)[0])[:, sums]
                found[at, draw, column] = (noisy - exact) / exact
    return found


def expected_kurtosis(feature: int, label: int, nodes: int) -> float:
    """Excess kurtosis of the error of a mean on Adult, to first order, all nodes with the pooled scale."""
    own = load_paper_data("adult", "as-published").train
    values = own.values[own.labels == label, feature]
    variances = np.array([np.abs(values).max() / values.sum(), 1 / len(values)]) ** 2
    return float(3 / nodes * (variances**2).sum() / variances.sum() ** 2)


class Figure3(Item):
    """Errors of every mean on Adult, and their kurtosis."""

    name = "fig3"

    def batches(self, settings: Settings) -> list[Batch]:
        """See `Item.batches`."""
        return batches(f"{self.name}-adult", partial(relative_errors, settings.seed), settings.trials)

    def finding(self, settings: Settings, results: Mapping[str, Floats]) -> Finding:
        """See `Item.finding`."""
        schema = load_paper_data("adult", "as-published").schema
        names = [feature.name for feature in schema.features if isinstance(feature, Numeric)]
        errors = joined(results, f"{self.name}-adult")
        errors = errors.reshape(-1, *errors.shape[2:])
        excess = kurtosis(errors, axis=0)
        table = pd.DataFrame(
            {
                "class": schema.classes[label],
                "feature": names[feature],
                "nodes": NUMBERS[at],
                "draws": len(errors),
                "mean_error": errors[:, at, label, feature].mean(),
                "std_error": errors[:, at, label, feature].std(),
                "excess_kurtosis": value,
            }
            for (at, label, feature), value in np.ndenumerate(excess)
        )
        feature, label = DRAWN
        drawn = errors[:, :, label, names.index(feature)]
        shown = table[table["feature"] == feature].assign(
            theory=lambda own: [
                expected_kurtosis(names.index(feature), schema.classes.index(label), nodes)
                for label, nodes in zip(own["class"], own["nodes"], strict=True)
            ]
        )
        return Finding(
            "Figure 3: the relative error of a mean",
            {"fig3": table},
            {"fig3": error_figure(drawn, NUMBERS, f"Adult, {feature}, class {schema.classes[label]}")},
            shown.drop(columns="draws"),
            [
                (
                    f"Adult at epsilon {EPSILON:g}, {len(errors):,} draws. Excess kurtosis is 3 for Laplace "
                    "and 0 for a normal distribution. Theory: the error of a sum of N answers and of "
                    "its count, each a sum of N Laplace variables of one scale."
                )
            ],
        )
