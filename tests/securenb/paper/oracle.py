"""The paper's experiment, one node after the other, in plain Python: what the fast engine must equal.

A trial deals the records, lets every node answer, and scores the model on the training and on the test
records with scikit-learn, as the authors' scripts do.
"""

import numpy as np
from sklearn.metrics import accuracy_score, balanced_accuracy_score

from securenb.paper.aggregate import aggregate, predict
from securenb.paper.centralised import centralised
from securenb.paper.release import release


def dealt(data, nodes, rng):
    """The training records of each node: a permutation in equal parts, the first ones larger by one."""
    order = rng.permutation(len(data.train))
    return [data.train[part] for part in np.array_split(order, nodes)]


def federated_parameters(data, nodes, epsilon, deal_rng, noise_rng):
    return aggregate(
        data.schema,
        [release(data.schema, node, epsilon, noise_rng) for node in dealt(data, nodes, deal_rng)],
    )


def centralised_parameters(data, epsilon, noise_rng):
    return centralised(data.schema, data.train, epsilon, noise_rng)


def scores(data, table):
    """Training accuracy and balanced accuracy, then those on the test records."""
    result = []
    for records in (data.train, data.test):
        predicted = predict(data.schema, table, records)
        result.append(accuracy_score(records.labels, predicted))
        result.append(balanced_accuracy_score(records.labels, predicted))
    return result


def trial(data, nodes, epsilon, deal_rng, noise_rng):
    """One trial; `nodes` is `None` for the centralised baseline."""
    if nodes is None:
        return scores(data, centralised_parameters(data, epsilon, noise_rng))
    return scores(data, federated_parameters(data, nodes, epsilon, deal_rng, noise_rng))
