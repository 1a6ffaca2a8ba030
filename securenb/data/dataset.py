"""Data sets: records with a public schema, split into training and test, the same everywhere.

A source is a file in `securenb/data/datasets/`. Its schema is written by hand from public documentation;
nothing in it is ever computed from the records.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from protocols.canonical import digest
from protocols.catalogue import Catalogue, Choice, snake
from securenb.data.node import Node
from securenb.data.partition import Sizes, deal, gather
from securenb.randomness import Streams
from securenb.schema.records import Records
from securenb.schema.schema import Schema

TEST_SHARE = 10
"""One record in ten is a test record where a data set comes without a split."""


class DatasetUnavailable(ValueError):
    """A data set's files are nowhere to be had; the message says what to do about it."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Records to learn from and to be judged on.

    Attributes
    ----------
    name
        The name it was loaded by.
    schema
        What is public about the records.
    train, test
        Disjoint; together all records of the data set.
    digest
        SHA-256 over the tables they were made from, in hexadecimal, for manifests; empty for a
        user's own.
    holders
        The node that holds each training record, where the data say so.
    tables
        Reads the training and the test records again as they came, see `frame`.
    """

    name: str
    schema: Schema
    train: Records
    test: Records
    digest: str
    holders: NDArray[np.object_] | None = None
    tables: Callable[[], tuple[pd.DataFrame, pd.DataFrame]] | None = None

    @staticmethod
    def from_frame(
        frame: pd.DataFrame, schema: Schema, *, node: str | None = None, test: pd.DataFrame | None = None
    ) -> "Dataset":
        """A user's own table as a data set; see `securenb.data.own.from_frame`."""
        from securenb.data.own import from_frame  # which makes data sets

        return from_frame(frame, schema, node=node, test=test)

    def frame(self, part: Literal["train", "test"]) -> "tuple[pd.DataFrame, pd.Series[Any]]":
        """The same records before they were encoded: a table of features, and the labels.

        So that other estimators can be fitted and judged on the very same split.

        Raises
        ------
        ValueError
            If they came from standard input, which cannot be read again.
        """
        if self.tables is None:
            raise ValueError(f"{self.name} was read from standard input, and is gone")
        train, test = self.tables()
        table = {"train": train, "test": test}[part]
        return table[[feature.name for feature in self.schema.features]], table[self.schema.label]

    def deal(
        self,
        nodes: int | None,
        *,
        sizes: Sizes = "equal",
        label_skew: float | None = None,
        seed: int | None,
    ) -> list[Node]:
        """The training records at the nodes that hold them, or dealt to `nodes` nodes.

        Parameters
        ----------
        nodes
            How many; may be `None` where the data say who holds what.
        sizes, label_skew
            See `securenb.data.partition.deal`.
        seed
            One seed, one deal; `None` draws one from the operating system.

        Raises
        ------
        ValueError
            If other than `nodes` hold the records, or neither the data nor `nodes` say which nodes there are.
        """
        if self.holders is not None:
            held = gather(self.train, self.holders)
            if nodes not in (None, len(held)):
                raise ValueError(f"nodes {nodes}: the records say already who holds them, {len(held)} nodes")
            return held
        if nodes is None:
            raise ValueError("nodes is missing: how many nodes the records are dealt to")
        rng = Streams(seed).rng("deal")
        return deal(self.train, len(self.schema.classes), nodes, sizes=sizes, label_skew=label_skew, rng=rng)


class DatasetSource(ABC):
    """Where a data set comes from, and what is publicly known about it.

    Attributes
    ----------
    title
        Its name in full.
    origin
        Where it is published.
    licence
        The licence of the data.
    schema
        Written by hand, each bound, edge and level with its reason in the module's docstring.
    rows
        Records in each table: all of them, or those of the training and of the test table.
    digest
        The `fingerprint` of the published tables.
    """

    title: ClassVar[str]
    origin: ClassVar[str]
    licence: ClassVar[str] = "CC BY 4.0"
    schema: ClassVar[Schema]
    rows: ClassVar[tuple[int] | tuple[int, int]]
    digest: ClassVar[str]

    @abstractmethod
    def read(self) -> list[pd.DataFrame]:
        """One table that is still to be split, or the training and the test table.

        Raises
        ------
        DatasetUnavailable
            If the files are nowhere to be had.
        """

    def check(self, tables: list[pd.DataFrame]) -> None:
        """Raise `ValueError` unless these are exactly the published tables."""
        rows = tuple(len(table) for table in tables)
        if not hasattr(self, "rows") or not hasattr(self, "digest"):
            raise ValueError(
                f"{type(self).__name__} does not say which records these are; if they are the right ones: "
                f"rows = {rows}, digest = {self.fingerprint(tables)!r}"
            )
        if rows != self.rows:
            raise ValueError(f"{self.title}: expected {self.rows} rows, got {rows}")
        found = self.fingerprint(tables)
        if found != self.digest:
            raise ValueError(f"{self.title}: the content differs from what was published (SHA-256 {found})")

    def fingerprint(self, tables: list[pd.DataFrame]) -> str:
        """What `digest` is compared with: the same for every faithful copy of the tables."""
        return table_digest(self.schema, tables)


def table_digest(schema: Schema, tables: list[pd.DataFrame]) -> str:
    """SHA-256, in hexadecimal, over the values of the schema's columns and the label.

    Numbers are hashed as 64-bit floats and the rest as text, so that files which differ in separators,
    spaces, headers or digits of no value have the same digest.
    """
    columns = []
    for table in tables:
        for feature in schema.features:
            if feature.bounds is not None:
                columns.append(table[feature.name].to_numpy(dtype="<f8").tobytes())
            else:
                columns.append("\n".join(table[feature.name].astype(str)).encode())
        columns.append("\n".join(table[schema.label].astype(str)).encode())
    return digest("securenb table", columns).hex()


class GivenDataset(DatasetSource):
    """A data set that was given as an object.

    Parameters
    ----------
    data
        Its records.
    """

    def __init__(self, data: Dataset) -> None:
        self.data = data

    def read(self) -> list[pd.DataFrame]:
        """See `DatasetSource.read`."""
        raise DatasetUnavailable(f"{self.data.name} was given as records, not as tables")


DATASETS: Catalogue[DatasetSource] = Catalogue(
    "securenb.data.datasets", DatasetSource, "data set", "securenb.datasets"
)


def load_dataset(
    name: str, *, numeric: Literal["gaussian", "histogram"] = "gaussian", seed: int = 0
) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name
        One of `DATASETS`.
    numeric
        How numbers enter the statistics: as sums and sums of squares, or as histograms over the
        schema's public edges.
    seed
        Decides which records are for testing, where the publisher did not decide.

    Raises
    ------
    DatasetUnavailable
        If its files are neither here nor to be had.
    ValueError
        If the name is unknown, or the files are not what was published.
    """
    source = DATASETS.build(name)
    if isinstance(source, GivenDataset):
        if numeric != "gaussian":
            raise ValueError(f"{source.data.name} was given as records: numeric {numeric!r} needs its tables")
        return source.data
    if numeric not in ("gaussian", "histogram"):
        raise ValueError(f"numeric must be 'gaussian' or 'histogram', got {numeric!r}")
    tables = source.read()
    source.check(tables)
    schema = source.schema if numeric == "gaussian" else source.schema.histogram()
    parts = [schema.records(table) for table in tables]
    train, test = parts if len(parts) == 2 else split(parts[0], seed)
    again = partial(_published, name, seed)
    return Dataset(name, schema, train, test, table_digest(source.schema, tables), None, again)


def _published(name: str, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    tables = DATASETS[name]().read()
    if len(tables) == 2:
        return tables[0], tables[1]
    test = held_out(len(tables[0]), seed)
    return tables[0][~test], tables[0][test]


def spell_dataset(choice: Choice[DatasetSource] | Dataset) -> str:
    """The name by which `load_dataset` finds a choice; an object is given one."""
    if not isinstance(choice, Dataset):
        return DATASETS.spelled(choice)
    for name, guest in DATASETS.guests().items():
        if isinstance(guest, GivenDataset) and guest.data is choice:
            return name
    return DATASETS.add(
        GivenDataset(choice), f"{snake(choice.name).replace('.', '_')}#{1 + len(DATASETS.guests())}"
    )


def split(records: Records, seed: int) -> tuple[Records, Records]:
    """Nine parts to train on, one part to test on, drawn by `seed`; each in the order of `records`."""
    test = held_out(len(records), seed)
    return records[~test], records[test]


def held_out(count: int, seed: int) -> NDArray[np.bool_]:
    """Which of `count` records are for testing, shape (count,).

    Built on the raw output of PCG64, which numpy promises never to change, unlike its permutations.
    """
    drawn = np.random.PCG64(seed).random_raw(count)
    test = np.zeros(count, dtype=np.bool_)
    test[np.argsort(drawn, kind="stable")[: round(count / TEST_SHARE)]] = True
    return test
