"""The contract of a poison: what malicious nodes send instead of their statistics."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from attacks.toolkit.projection import into_invariants
from attacks.toolkit.sampled import drawn, joined
from protocols.catalogue import Catalogue, Choice
from protocols.ring import Integers
from securenb.bayes.parameters import Floats, estimate
from securenb.data.node import Node
from securenb.federation.noise_plan import NoisePlan, WholeDoses
from securenb.federation.postprocess import consistent
from securenb.privacy.mechanisms.none import NoNoise
from securenb.privacy.samplers import FastNoise
from securenb.robust.rule import Rule
from securenb.schema.increments import Increments
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics


def _unknown(*name: str | int) -> NoReturn:
    raise ValueError(f"malicious nodes know the law of the noise, not what {' '.join(map(str, name))} drew")


Forged = NDArray[Any]
"""What one malicious node sends in place of its table (C, width): anything at all."""


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What the malicious nodes know together.

    What is made is what an omniscient attacker knows: everything but the records of the test, who stands in
    which group, and what is drawn later. `own_data_only` and `nothing` are the other two values; each
    poison's docstring says what of it the poison uses.

    Attributes
    ----------
    schema
        Public.
    own
        Their own true statistics, shape (m, C, width), int64, m ≥ 1.
    others
        The true statistics of the nodes that they can see, shape (k, C, width), k ≥ 1: of all honest nodes
        if they are omniscient, else their own once more. A node's noise is seen by itself alone.
    rule
        The rule that will be used, which is public.
    group_size
        How many nodes are summed in a row, which is public.
    cap
        The most records that a node may claim, where that is checked.
    nodes
        How many nodes there are, which is public; by default those whose statistics are known.
    records
        The malicious nodes' own records; drawn from a model of `own` where they are not given.
    noise
        Where the noise of rows comes from, its law, which is public; `None` for no noise. Its draws cannot be
        asked for.
    """

    schema: Schema
    own: Integers
    others: Integers
    rule: Rule
    group_size: int
    cap: int
    nodes: int | None = None
    records: Records | None = None
    noise: NoisePlan | None = None

    def __post_init__(self) -> None:
        # a plan whose sources could be asked would tell the noise itself
        if isinstance(self.noise, WholeDoses):
            object.__setattr__(self, "noise", replace(self.noise, sources=_unknown, own={}))

    @property
    def own_data_only(self) -> "Knowledge":
        """What nodes know that see no other's statistics: their own, their records, what is public."""
        return replace(self, others=self.own)

    @property
    def nothing(self) -> "Knowledge":
        """What is public alone: own statistics and records are of values that are all as frequent.

        The cap says how many records. What is drawn is the same for every node, whatever it holds.
        """
        schema, rng = self.schema, np.random.default_rng(0)
        rows = np.arange(max(self.cap, len(schema.classes)))
        codes = np.stack([rng.integers(0, feature.size, len(rows)) for feature in schema.features], axis=1)
        records = Records(codes.astype(np.int32), (rows % len(schema.classes)).astype(np.int32))
        table = Statistics.of(schema, records).table
        own = np.repeat(table[None], len(self.own), axis=0)
        return replace(self, own=own, others=own, records=records, nodes=self.nodes)

    @property
    def layout(self) -> Schema:
        """What nodes send: the schema's statistics, or increments of them."""
        return self.schema if self.noise is None else self.noise.schema

    @property
    def honest_sum(self) -> Floats:
        """The sum of all honest nodes' statistics, (C, width), as far as it is known."""
        honest = (len(self.own) + len(self.others) if self.nodes is None else self.nodes) - len(self.own)
        total: Floats = self.others.mean(axis=0) * max(honest, 1)
        return total

    def noise_draws(self, count: int, rng: np.random.Generator) -> Floats:
        """Draws of the noise in the sum of all rows, post-processed as rounds do it, (count, C, width)."""
        shape = (len(self.schema.classes), self.schema.width)
        if self.noise is None or isinstance(self.noise.mechanism, NoNoise):
            return np.zeros((1, *shape))
        rows = max((self.nodes or len(self.own) + len(self.others)) // self.group_size, 1)
        plan, source = self.noise, FastNoise(rng)
        draws = np.zeros((count, *shape))
        for draw in draws:
            for _ in range(rows):
                share = plan.mechanism.share(
                    self.schema, plan.honest(self.group_size), source, plan.contributors(self.group_size)
                )
                draw += share.reshape(shape) / plan.mechanism.grid
        # the estimate of what adds up is linear, so that of the noise is the noise of the estimate
        return consistent(self.schema, draws, rows * plan.variances(self.group_size), plan.tied)

    def judged_on(self, most: int, rng: np.random.Generator) -> Records:
        """Records to judge forgeries on: their own, at most so many, or as many drawn from their model."""
        if self.records is not None and len(np.unique(self.records.labels)) > 1:
            chosen = np.sort(rng.permutation(len(self.records))[:most])
            return self.records[chosen]
        model = estimate(self.schema, self.own.sum(axis=0), self.rule.smoothing).table
        return drawn(self.schema, model, max(most // 10, 1), rng)

    @property
    def smoothing(self) -> float:
        """What the rule gives each row, see `securenb.robust.centre_rule.local_parameters`."""
        nodes = len(self.own) + len(self.others)
        return self.rule.smoothing / max(nodes // self.group_size, 1)


@dataclass(frozen=True)
class Poison(ABC):
    """Malicious nodes of one kind. Implementations are frozen dataclasses; their fields are parameters.

    Parameters
    ----------
    inside
        Whether what they send is brought within the invariants of honest statistics and the cap, so that
        no check of one node's statistics can refuse it. Otherwise they send what they like.
    local
        Whether they know only their own data (`Knowledge.own_data_only`); otherwise they are omniscient.
    blind
        Whether they know nothing but what is public (`Knowledge.nothing`).
    noisy
        Whether they add their shares of noise like all others; otherwise they keep them back.
    """

    inside: bool = False
    local: bool = False
    noisy: bool = False
    blind: bool = False

    aim: ClassVar[str] = "accuracy"
    """What it is after: `accuracy`, `target`, `backdoor` or `denial`."""
    against_rule: ClassVar[bool] = False
    """Whether what it sends depends on the rule, beyond its smoothing."""

    def brief(self) -> Self:
        """The same with little effort, for tests of what is sent and not of how much it hurts."""
        return self

    @abstractmethod
    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """What each malicious node sends in place of its table, before `inside` is heeded."""

    def sent(self, known: Knowledge, rng: np.random.Generator) -> list[Forged]:
        """What each malicious node sends in place of its table, without noise.

        Parameters
        ----------
        known
            What an omniscient attacker would know.
        """
        if self.local or self.blind:
            known = known.nothing if self.blind else known.own_data_only
        forged = list(self.forge(known, rng))
        if not self.inside:
            return forged
        # many poisons send one table from every node
        different = {id(table): table for table in forged}
        inside = {key: into_invariants(known.schema, table, known.cap) for key, table in different.items()}
        return [inside[id(table)] for table in forged]

    def wanted(self, schema: Schema, records: Records) -> Records | None:
        """Records of which the attacker wants the model to predict the labels; `None` for no such aim."""
        return None

    def nodes(
        self,
        nodes: Sequence[Node],
        malicious: Sequence[int],
        schema: Schema,
        rule: Rule,
        rng: np.random.Generator,
        *,
        group_size: int = 1,
        cap: int | None = None,
    ) -> list[Node]:
        """The nodes of a federation, those at the positions `malicious` replaced by poisoned ones.

        Parameters
        ----------
        cap
            See `Knowledge`; by default the mean number of records of a node.
        """
        tables = np.array([node.statistics(schema).table for node in nodes])
        bad = sorted(set(malicious))
        if not bad:
            return list(nodes)
        own = joined([nodes[index].records for index in bad])
        honest = np.delete(tables, bad, axis=0)
        cap = cap or int(np.ceil(np.mean([len(node.records) for node in nodes])))
        others = honest if len(honest) else tables[bad]
        known = Knowledge(schema, tables[bad], others, rule, group_size, cap, len(nodes), own)
        result = list(nodes)
        for index, forged in zip(bad, self.sent(known, rng), strict=True):
            result[index] = PoisonedNode(nodes[index].id, nodes[index].records, forged, self.noisy)
        return result


@dataclass(frozen=True, eq=False)
class PoisonedNode(Node):
    """A node that sends what it likes.

    Attributes
    ----------
    forged
        In place of its statistics.
    noisy
        Whether it adds its share of noise.
    """

    forged: Forged
    noisy: bool

    def contribution(self, schema: Schema, noise: Integers, grid: int) -> Integers:
        """See `Node.contribution`; the type is a lie where the poison wants it to be."""
        forged = self.forged
        if isinstance(schema, Increments) and forged.shape == (len(schema.classes), schema.base.width):
            # what is claimed is cut as honest counts are: a table that the quotas allow
            forged = schema.expanded(schema.within(forged.astype(np.int64)))
        sent: Integers = contribution(forged, noise if self.noisy else None, grid)
        return sent


def contribution(forged: Forged, noise: Integers | None, grid: int = 1) -> Any:
    """What a malicious node sends: something of the shape (d,) if its table has the right shape."""
    flat = forged.reshape(-1)
    if flat.dtype != np.int64:
        return flat
    flat = flat * grid
    return flat if noise is None or flat.shape != noise.shape else flat + noise


POISONS: Catalogue[Poison] = Catalogue("attacks.poisons", Poison, "poison", "securenb.poisons")

VARIANTS = ("inside", "local", "noisy", "blind")


def choose_poison(choice: Choice[Poison]) -> Poison:
    """The poison that was chosen: an object, ``"alie"``, or ``"ipm(factor=2):inside:noisy"``.

    Raises
    ------
    ValueError
        If the poison or a parameter is unknown.
    """
    return POISONS.build(choice)
