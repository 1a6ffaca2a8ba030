"""A small release to audit, and ways to break it."""

from fractions import Fraction

import numpy as np

from attacks.audit.federation_target import FederationTarget
from protocols.schemes.ideal import Ideal
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.robust.rules.sum import Sum
from securenb.schema.features import Categorical, Numeric
from securenb.schema.records import Records
from securenb.schema.schema import Schema

SCHEMA = Schema(("a", "b"), (Categorical("colour", ("x", "y", "z")), Numeric("size", 0, 10, steps=8)))


def nodes(count=9, size=6):
    rng = np.random.default_rng(0)
    return [
        Node(
            f"node-{index}",
            Records(
                np.stack([rng.integers(3, size=size), rng.integers(9, size=size)], axis=1).astype(np.int32),
                rng.integers(2, size=size).astype(np.int32),
            ),
        )
        for index in range(count)
    ]


def federation(kind=Federation, mechanism=None, **choices):
    mechanism = mechanism or DiscreteLaplace(Fraction(1))
    return kind(SCHEMA, Ideal(), mechanism, Sum(), seed=1, **choices)


def target(kind=FederationTarget, view="group", count=9, **choices):
    return kind(federation(**choices), nodes(count), view)
