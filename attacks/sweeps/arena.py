"""What the cells of a sweep share: data, and each trial's nodes, malicious nodes and randomness."""

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protocols.ring import Integers
from securenb.data.dataset import Dataset
from securenb.data.node import Node
from securenb.data.own import Own
from securenb.experiments.montecarlo import Scorer
from securenb.experiments.sweep import Cell
from securenb.randomness import Streams
from securenb.schema.records import Records

OF_THE_CATALOGUE = Own()
"""No file of a user's."""


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


def judged_on(
    dataset: str, numeric: Any, test_records: int | None, seed: int, own: Own = OF_THE_CATALOGUE
) -> tuple[Dataset, Scorer]:
    """The data set with the test records that count, and these ready for scoring."""
    return _judged_on(dataset, numeric, test_records, seed, own, _stamp(dataset, own))


def _stamp(dataset: str, own: Own) -> tuple[object, ...]:
    """What tells a user's files from what they were before: a file that was edited is read again."""
    if own == OF_THE_CATALOGUE:
        return ()
    files = [Path(name).resolve() for name in (dataset, own.schema_file, own.test_file) if name]
    found = [(path, path.stat()) for path in files if path.exists()]  # what is absent, loading refuses
    return tuple((str(path), status.st_mtime_ns, status.st_size) for path, status in found)


@lru_cache(maxsize=4)
def _judged_on(
    dataset: str, numeric: Any, test_records: int | None, seed: int, own: Own, _: tuple[object, ...]
) -> tuple[Dataset, Scorer]:
    data = own.load(dataset, numeric)
    if test_records is not None and test_records < len(data.test):
        drawn = Streams(seed).rng("test records").permutation(len(data.test))[:test_records]
        data = replace(data, test=data.test[np.sort(drawn)])
    return data, Scorer.of(data.schema, data.test)


@lru_cache(maxsize=4)
def _arena(
    dataset: str, numeric: Any, test_records: int | None, nodes: int, sizes: Any, skew: float | None,
    trusted: int, seed: int, trial: int, own: Own, _: tuple[object, ...],
) -> Arena:  # fmt: skip
    data = judged_on(dataset, numeric, test_records, seed, own)[0]
    streams = Streams(int.from_bytes(Streams(seed).entropy(f"trial {trial}")(8), "big"))
    asked = None if data.holders is not None else nodes
    dealt = data.deal(asked, sizes=sizes, label_skew=skew, seed=streams.seed)
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
    own = own_of(cell)
    stamp = _stamp(cell["dataset"], own)
    return _arena(*key, *deal_by, cell["trusted_records"], cell["seed"], cell["trial"], own, stamp)


def own_of(cell: Cell) -> Own:
    """How to read the user's file of a cell."""
    return Own(*(cell.get(name) for name in ("schema_file", "label", "node_column", "test_file")))
