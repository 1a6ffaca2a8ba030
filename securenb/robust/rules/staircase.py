"""Staircase sums: a trimmed mean over nodes, read off one sum of their votes on public thresholds."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from securenb.bayes.parameters import Parameters
from securenb.bayes.staircase.model import StaircaseModel
from securenb.robust.rule import Rows, Rule
from securenb.schema.increments import Increments
from securenb.schema.ladder import ladder
from securenb.schema.records import Records
from securenb.schema.schema import Schema


@dataclass(frozen=True)
class Staircase(Rule):
    """Nodes send increments instead of counts, and the rule reads votes off their sum (`docs/staircase.md`).

    A share of malicious nodes below `tolerate` moves no vote out of a box that is known afterwards, whatever
    they send and however many records they invent, as long as increments are proven to lie within their steps
    (protocol `verified`); `securenb.certify.staircase` certifies predictions. Class probabilities are equal.

    Parameters
    ----------
    tolerate
        b, the share of nodes that is trimmed at either end, in [0, ½).
    quota
        Records of each class that a node counts for at most: one number for all classes, or one for each in
        the schema's order, as ``"240/75"``. Public, and chosen without looking at the data: a node that holds
        more of a class counts for the first ones, one that holds fewer votes lower rates.
    nodes
        How many nodes are expected, for the widths of the steps; public. A scenario knows it.
    unchecked
        Whether increments are taken as nodes claim them, under any protocol: then nothing of the above holds
        for a node that lies.

    Raises
    ------
    ValueError
        If a number is out of range.
    """

    tolerate: float = 0.48
    quota: int | str | None = None
    nodes: int | None = None
    unchecked: bool = False

    pools: ClassVar[bool] = True
    increments: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.tolerate < 0.5:
            raise ValueError(f"tolerate is a share of the nodes in [0, 0.5), got {self.tolerate}")
        if self.quota is not None:
            self._quotas()
        if self.nodes is not None and self.nodes < 2:
            raise ValueError(f"a sum has at least 2 nodes, got nodes={self.nodes}")

    @classmethod
    def for_tests(cls, reference: Records) -> Self:
        """An instance that can combine rows of nodes with records like `reference`."""
        return cls(quota=max(1, int(np.bincount(reference.labels).max())), nodes=5)

    def layout(self, schema: Schema, deviation: Callable[[Schema], float]) -> Schema:
        """See `Rule.layout`: increments over a ladder for each class."""
        quotas = self._quotas()
        if len(quotas) not in (1, len(schema.classes)):
            raise ValueError(
                f"quota {self.quota} has {len(quotas)} numbers for {len(schema.classes)} classes: "
                f"{', '.join(schema.classes)}"
            )
        quotas = quotas if len(quotas) > 1 else quotas * len(schema.classes)
        if self.nodes is None:
            raise ValueError(
                "the rule 'staircase' must know how many nodes are expected: staircase(nodes=100)"
            )
        # the noise depends on the number of features alone, so any thresholds do for asking
        noise = deviation(Increments.of(schema, [(0, quota) for quota in quotas]))
        return Increments.of(schema, [ladder(quota, self.nodes, noise) for quota in quotas])

    def tolerance(self, rows: int) -> int:
        """Of whole rows none: it withstands nodes within a row."""
        return 0 if rows else -1

    def check_nodes(self, nodes: int, malicious: int) -> None:
        """See `Rule.check_nodes`: no more than are trimmed."""
        if malicious >= self.tolerate * nodes:
            most = max(0, math.ceil(self.tolerate * nodes) - 1)
            raise ValueError(
                f"the rule 'staircase' trims {self.tolerate:g} of {nodes} nodes: it withstands {most} "
                f"malicious ones, not {malicious}"
            )

    def unproven(self) -> str:
        """See `Rule.unproven`: increments within their steps, unless unchecked ones are asked for."""
        if self.unchecked:
            return ""
        return "nodes that prove their increments: protocol verified, or staircase(...):unchecked for none"

    def model(self, rows: Rows) -> StaircaseModel:
        """See `Rule.model`; with the row of votes that it was read from, so that it can be certified."""
        layout = rows.schema
        if not isinstance(layout, Increments):
            raise ValueError("the rule 'staircase' combines increments, not counts")  # noqa: TRY004
        return StaircaseModel(layout, rows.tables.sum(axis=0), int(rows.sizes.sum()), self.tolerate)

    def _combine(self, rows: Rows) -> Parameters:
        return self.model(rows).parameters

    def _quotas(self) -> tuple[int, ...]:
        """One quota, or one for each class."""
        if self.quota is None:
            raise ValueError(
                "the rule 'staircase' needs a public quota of records of each class that a node counts for, "
                "chosen without looking at the data: staircase(quota=100), or staircase(quota=240/75)"
            )
        try:
            quotas = tuple(int(part) for part in str(self.quota).split("/"))
        except ValueError:
            quotas = (0,)
        if min(quotas) < 1:
            raise ValueError(f"a quota is a positive number, or one for each class as 240/75: {self.quota!r}")
        return quotas
