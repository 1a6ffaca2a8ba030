"""What the cells of a sweep share: data, and each trial's nodes, malicious nodes and randomness."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protocols.ring import Integers
from securenb.data.dataset import Dataset, load_dataset
from securenb.data.node import Node
from securenb.data.partition import deal
from securenb.experiments.montecarlo import Scorer
from securenb.experiments.sweep import Cell
from securenb.randomness import Streams
from securenb.schema.records import Records


@dataclass(frozen=True, eq=False)
class Arena:
    """What all cells of a trial share.

    Attributes
    ----------
    data
        Records, and the schema.
    nodes
        The honest ones: before anything is poisoned, all are.
    tables
        Their statistics, shape (N, C, width), int64.
    order
        Positions of the nodes; the first f of them are the malicious ones.
    reference
        Public records, for rules that need some.
    streams
        The trial's randomness.
    """

    data: Dataset
    nodes: tuple[Node, ...]
    tables: Integers
    order: NDArray[np.int64]
    reference: Records
    streams: Streams

    @property
    def mean_size(self) -> float:
        """Records of a node, in the mean."""
        return float(np.mean([len(node.records) for node in self.nodes]))


@lru_cache(maxsize=4)
def judged_on(dataset: str, numeric: Any, test_records: int | None, seed: int) -> tuple[Dataset, Scorer]:
    """The data set with the test records that count, and these ready for scoring."""
    data = load_dataset(dataset, numeric=numeric)
    if test_records is not None and test_records < len(data.test):
        drawn = Streams(seed).rng("test records").permutation(len(data.test))[:test_records]
        data = replace(data, test=data.test[np.sort(drawn)])
    return data, Scorer.of(data.schema, data.test)


@lru_cache(maxsize=4)
def _arena(
    dataset: str, numeric: Any, test_records: int | None, nodes: int, sizes: Any, skew: float | None,
    trusted: int, seed: int, trial: int,
) -> Arena:  # fmt: skip
    data, _ = judged_on(dataset, numeric, test_records, seed)
    streams = Streams(int.from_bytes(Streams(seed).entropy(f"trial {trial}")(8), "big"))
    dealt = deal(
        data.train, len(data.schema.classes), nodes, sizes=sizes, label_skew=skew, rng=streams.rng("deal")
    )
    return Arena(
        data,
        tuple(dealt),
        np.array([node.statistics(data.schema).table for node in dealt]),
        streams.rng("malicious").permutation(nodes),
        data.train[np.sort(streams.rng("reference").permutation(len(data.train))[:trusted])],
        streams,
    )


def arena_of(cell: Cell) -> Arena:
    """The arena of a cell's trial."""
    key = (cell["dataset"], cell["numeric"], cell["test_records"])
    deal_by = (cell["nodes"], cell["sizes"], cell["label_skew"])
    return _arena(*key, *deal_by, cell["trusted_records"], cell["seed"], cell["trial"])
