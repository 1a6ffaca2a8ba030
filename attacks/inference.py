"""The contract of an inference: a conclusion about one node's records from what was seen of a round."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from protocols.catalogue import Catalogue
from securenb.bayes.parameters import Floats
from securenb.data.node import Node
from securenb.experiments.intervals import mean_interval
from securenb.federation.federation import Federation
from securenb.federation.postprocess import variances
from securenb.schema.schema import Schema


@dataclass(frozen=True, eq=False)
class View:
    """What an adversary saw of one round.

    Attributes
    ----------
    schema
        Public.
    rows
        Opened rows; or every node's vector, where the protocol shows those to another party. Brought from the
        noise's grid to real units, shape (g, C, width).
    members
        Whose statistics each row sums.
    noise
        Variance of the noise in each column of each row, which is public, shape (g, width).
    """

    schema: Schema
    rows: Floats
    members: tuple[tuple[str, ...], ...]
    noise: Floats

    def row_of(self, node: str) -> int:
        """The row that a node is in."""
        return next(index for index, members in enumerate(self.members) if node in members)

    def alone(self, victim: str, known: Sequence[Node]) -> Floats:
        """The victim's noisy statistics, shape (C, width): its row less what the others in it hold.

        Parameters
        ----------
        known
            All other nodes of the row: the adversary knows all about them but their noise.
        """
        index = self.row_of(victim)
        others = [node for node in known if node.id in self.members[index] and node.id != victim]
        rest: Floats = self.rows[index] - sum(node.statistics(self.schema).table for node in others)
        return rest


def look(federation: Federation, nodes: Sequence[Node], seed: int) -> View:
    """The view of one simulated round that every node survives.

    Nothing is sent: all protocols open exactly the sums of what nodes contribute (a contract test), so the
    sums are taken here; with the doses of aggregators, where they add the noise.
    """
    federation = replace(federation, seed=seed)
    sent = federation.prepare(nodes)
    schema, grid = federation.schema, federation.mechanism.grid
    vectors = federation.vectors_are_read
    members = tuple((node.id,) for node in nodes) if vectors else tuple(map(tuple, sent.groups))
    size_of = {node: len(group) for group in sent.groups for node in group}
    sums = [np.sum([sent.vectors[node] for node in row], axis=0) for row in members]
    if federation.doses is not None:  # which nodes do not send
        opened, _, _ = federation.opened(sent, by="ideal")
        sums, members = list(opened.rows), opened.members
    rows = [total[: schema.length] / grid for total in sums]
    noise = [
        variances(federation.mechanism, schema, federation.noise.honest(size_of[row[0]]), len(row))
        if federation.doses is None
        else federation.noise.variances(size_of[row[0]])
        for row in members
    ]
    shape = (len(rows), len(schema.classes), schema.width)
    return View(schema, np.array(rows).reshape(shape), members, np.array(noise))


@dataclass(frozen=True)
class Attempt:
    """How one trial went.

    Attributes
    ----------
    right
        The share of the adversary's conclusions that were right.
    lucky
        The share that would have been right without the view, from what is known anyhow.
    """

    right: float
    lucky: float


@dataclass(frozen=True)
class Success:
    """Many trials.

    Attributes
    ----------
    right, low, high
        Mean share of right conclusions, and its interval, see `securenb.experiments.intervals`.
    lucky
        The same without the view.
    gain, gain_low, gain_high
        What the view adds, trial by trial.
    trials
        How many.
    """

    right: float
    low: float
    high: float
    lucky: float
    gain: float
    gain_low: float
    gain_high: float
    trials: int


class Inference(ABC):
    """One kind of conclusion. Implementations are frozen dataclasses; their fields are parameters.

    The adversary knows the schema, the noise's distribution, and every node but one, the victim.
    """

    @abstractmethod
    def attempt(self, federation: Federation, nodes: Sequence[Node], rng: np.random.Generator) -> Attempt:
        """One trial, with a victim, a round and noise of its own.

        Parameters
        ----------
        federation
            The round's choices.
        nodes
            At least two; one drawn at random is the victim.
        """

    def measure(self, federation: Federation, nodes: Sequence[Node], *, trials: int, seed: int) -> Success:
        """Many independent trials.

        Raises
        ------
        ValueError
            If there are no trials.
        """
        if trials < 1:
            raise ValueError(f"a measurement needs at least one trial, got {trials}")
        found = [
            self.attempt(federation, nodes, np.random.default_rng([seed, trial])) for trial in range(trials)
        ]
        right = np.array([attempt.right for attempt in found])
        lucky = np.array([attempt.lucky for attempt in found])
        of_right, of_gain = mean_interval(right), mean_interval(right - lucky)
        return Success(
            *(of_right.middle, of_right.low, of_right.high),
            float(lucky.mean()),
            *(of_gain.middle, of_gain.low, of_gain.high),
            trials,
        )


def drawn_seed(rng: np.random.Generator) -> int:
    """A seed for one simulated round."""
    return int(rng.integers(1 << 62))


INFERENCES: Catalogue[Inference] = Catalogue("attacks.inferences", Inference, "inference")
