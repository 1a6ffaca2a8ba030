"""What may be known of the records beforehand: a schema, and public records to deal rounds from."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from attacks.planning.wishes import Wishes
from attacks.sweeps.arena import Arena
from attacks.toolkit.sampled import joined
from securenb.data.dataset import Dataset, load_dataset
from securenb.data.own import load_file
from securenb.experiments.montecarlo import Scorer
from securenb.randomness import Streams
from securenb.schema.schema import Schema
from securenb.schema.toml import read_schema

Shape = Literal["gaussian", "histogram"]
TRUSTED = 100
"""Public records that rules get which need some, if there are so many."""
HELD_OUT = 3
"""One in so many public records is held out to be judged on."""


@dataclass(frozen=True)
class Trial:
    """One deal, and the records it is judged on."""

    arena: Arena
    scorer: Scorer


@dataclass(frozen=True)
class Population:
    """Records as they may be known beforehand.

    Attributes
    ----------
    wishes
        What is asked.
    """

    wishes: Wishes

    def schema(self, numeric: Shape) -> Schema:
        """The schema, numbers in this shape."""
        path = self.wishes.schema_path
        if path is None:
            return self._all(numeric).schema
        found = read_schema(path)
        return found.histogram() if numeric == "histogram" else found

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes that numbers can have: two, where there are any whose histogram has public edges."""
        try:
            same = self.schema("histogram") == self.schema("gaussian")
        except ValueError:  # numbers whose histogram has no public edges
            return ("gaussian",)
        return ("gaussian",) if same else ("gaussian", "histogram")

    @property
    def foretold(self) -> bool:
        """Whether there are public records."""
        return self.wishes.schema_path is None or self.wishes.public is not None

    @property
    def records(self) -> float:
        """Of a node, in the mean."""
        if self.wishes.records is not None:
            return float(self.wishes.records)
        return len(self._all("gaussian").train) / self.wishes.nodes

    @property
    def public(self) -> int:
        """How many public records there are."""
        data = self._all("gaussian")
        return len(data.train) + len(data.test)

    def _all(self, numeric: Shape) -> Dataset:
        path, public = self.wishes.schema_path, self.wishes.public
        return _read(self.wishes.dataset, None if path is None else str(path), public, numeric)

    def trials(self, numeric: Shape, count: int, first: int = 0) -> Iterator[Trial]:
        """Deals of public records to nodes, from number `first` on.

        The same people are in the same trial whatever the shape of numbers.

        Records of a data set are dealt as they are. Of a sample, one record in three is held out to be
        judged on, and the nodes get records drawn with replacement from the others: as many as they will
        have, but never more different ones than there are, so that what is foretold errs to the low side.
        """
        data = self._all(numeric)
        for trial in range(first, first + count):
            streams = Streams(int.from_bytes(Streams(self.wishes.seed).entropy(f"plan {trial}")(8), "big"))
            dealt = data if self.wishes.schema_path is None else self._resampled(data, streams)
            nodes = replace(dealt, holders=None).deal(self.wishes.nodes, seed=streams.seed)
            chosen = streams.rng("reference").permutation(len(data.train))[:TRUSTED]
            arena = Arena(
                dealt,
                tuple(nodes),
                np.array([node.statistics(data.schema).table for node in nodes]),
                streams.rng("malicious").permutation(self.wishes.nodes),
                data.train[np.sort(chosen)],
                streams,
            )
            yield Trial(arena, Scorer.of(data.schema, dealt.test))

    def _resampled(self, data: Dataset, streams: Streams) -> Dataset:
        everything = joined([data.train, data.test])
        order = streams.rng("held out").permutation(len(everything))
        held, kept = np.split(order, [len(everything) // HELD_OUT])
        size = round(self.records * self.wishes.nodes)
        drawn = kept[streams.rng("drawn").integers(0, len(kept), size)]
        return replace(data, train=everything[drawn], test=everything[np.sort(held)])


@cache
def _read(dataset: str, schema: str | None, public: str | None, numeric: Shape) -> Dataset:
    if schema is None:
        return load_dataset(dataset, numeric=numeric)
    if public is None:
        raise ValueError(f"{schema} has no public records: give some (--public FILE)")
    return load_file(Path(public), Path(schema), numeric=numeric)
