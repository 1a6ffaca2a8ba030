"""Poisoning attacks measured: what a model is worth after a poison, rule by rule.

Every cell is a round of `Federation`: nodes contribute, malicious ones what they forged, the rows are
those that the protocol opens, and `Readout` makes them a model. Rows are computed without messages, which
gives the same ones to the last bit (`tests/contracts/test_protocols.py`). Randomness is paired: one trial has
the same deal, the same malicious nodes (a larger share adds some), the same groups and the same noise in
every cell.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from attacks.poison import Forged, Knowledge, Poison, PoisonedNode, choose_poison
from attacks.sweeps.arena import Arena, arena_of, judged_on, own_of
from attacks.sweeps.certainty import certainly_right
from attacks.sweeps.outcome import Outcome
from attacks.sweeps.poisoning_grid import NO_ATTACK
from attacks.sweeps.remembered import RememberedSources
from attacks.toolkit.sampled import joined
from protocols.errors import Abort
from protocols.opened import Opened
from protocols.protocol import Protocol
from protocols.ring import Integers
from protocols.schemes.ideal import Ideal
from protocols.schemes.verified import Verified
from securenb.data.node import Node
from securenb.experiments.montecarlo import Scorer
from securenb.experiments.sweep import Cell
from securenb.federation.federation import RECORD_CAP, Federation
from securenb.federation.influence import STANDS_OUT, influences
from securenb.federation.noise_plan import StreamSources
from securenb.federation.readout import Readout
from securenb.federation.round import Contributions
from securenb.federation.submissions import identity
from securenb.privacy.spec import choose_mechanism
from securenb.robust.rule import Rows, Rule
from securenb.robust.rules.sum import Sum
from securenb.robust.spec import choose_rule
from securenb.schema.records import Records


@dataclass(frozen=True, eq=False)
class Setting:
    """One arena under one choice of noise, groups and checks.

    Attributes
    ----------
    federation
        Of the rounds; its rule is replaced by those that are compared.
    submitters
        The nodes, or their submissions where they make several.
    cap
        The most records that a submission may claim.
    """

    arena: Arena
    federation: Federation
    submitters: tuple[Node, ...]
    cap: int

    @classmethod
    def of(cls, arena: Arena, cell: Cell, rule: Rule | None = None) -> "Setting":
        """The setting that a cell describes.

        Parameters
        ----------
        rule
            One that nodes send something of its own for; by default they send statistics.

        Raises
        ------
        ValueError
            If a node holds more records than it may submit, as a round would refuse it.
        """
        mechanism = choose_mechanism(cell["mechanism"], cell["epsilon"], cell["delta"])
        verified = cell["inputs"] == "verified"
        cap = math.ceil((1.0 if cell["cap_ratio"] is None else cell["cap_ratio"]) * arena.mean_size)
        split = verified and cell["split"]
        parts = {node.id: -(-len(node.records) // cap) for node in arena.nodes} if split else {}
        # refused nodes are left out one by one: what a denial costs is not what is measured here
        protocol: Protocol = Verified(1) if verified else Ideal()
        federation = Federation(
            arena.data.schema,
            protocol,
            mechanism,
            rule or Sum(),
            group_size=cell["group_size"],
            # increments prove quotas instead, which a node may exceed
            record_cap=cap if verified and rule is None else RECORD_CAP,
            proven=verified,
            submissions={node: count for node, count in parts.items() if count > 1},
            seed=arena.streams.seed,
            sources=RememberedSources(StreamSources(arena.streams)),
        )
        registry = federation.registry
        try:
            submitters = list(arena.nodes) if registry is None else registry.split(arena.nodes)
        except ValueError as error:
            raise ValueError(
                f"{error}; deal equal sizes, allow a larger cap_ratio, or let nodes split (split = true)"
            ) from None
        return cls(arena, federation, tuple(submitters), cap)

    @cached_property
    def honest(self) -> Contributions:
        """What is sent if no node is malicious."""
        return self.federation.prepare(self.arena.nodes)

    @cached_property
    def tables(self) -> Integers:
        """Statistics of the submitters, shape (N, C, width)."""
        if len(self.submitters) == len(self.arena.nodes):
            return self.arena.tables
        return np.array([node.statistics(self.arena.data.schema).table for node in self.submitters])

    @property
    def groups(self) -> list[list[int]]:
        """Positions of the nodes in each group."""
        place = {node.id: index for index, node in enumerate(self.arena.nodes)}
        return [sorted({place[identity(name)] for name in group}) for group in self.honest.groups]

    def malicious(self, count: int) -> list[int]:
        """Positions of the submitters that are malicious if so many nodes are."""
        bad = {self.arena.nodes[index].id for index in self.arena.order[:count]}
        return [at for at, node in enumerate(self.submitters) if identity(node.id) in bad]

    def readout(self, rule: Rule) -> Readout:
        """How a round with this rule makes rows a model."""
        return replace(self.federation.readout, rule=rule)

    def opened(self, poison: Poison | None, malicious: int, rule: Rule) -> Outcome:
        """The rows of a round.

        Parameters
        ----------
        malicious
            How many nodes the poison has.
        rule
            What the attacker knows of the rule.

        Raises
        ------
        Abort
            If no group can be opened.
        """
        sent, bad = self.honest, self.malicious(malicious) if poison is not None else []
        names = {self.submitters[at].id for at in bad}
        if poison is not None and bad:
            size = min(self.federation.group_size or len(self.arena.nodes), len(self.arena.nodes))
            forged = _forged(self, size, poison, malicious, rule)
            size_of = {name: len(group) for group in sent.groups for name in group}
            lies = {
                node.id: self.federation.contribution(
                    PoisonedNode(node.id, node.records, table, poison.noisy), size_of[node.id]
                )
                for node, table in zip((self.submitters[at] for at in bad), forged, strict=True)
            }
            sent = Contributions(sent.groups, {**sent.vectors, **lies})
        opened, _, _ = self.federation.opened(sent, by="ideal")
        contaminated = np.array([not names.isdisjoint(members) for members in opened.members])
        summed = {name for members in opened.members for name in members}
        whole = {name for lost in opened.lost for name in sent.groups[lost.group]}
        refused = len(set(sent.vectors) - summed - whole) + sum(len(lost.missing) for lost in opened.lost)
        forged_ones = {name: sent.vectors[name] for name in names & summed}
        return Outcome(opened, contaminated, refused, forged_ones)


@lru_cache(maxsize=512)
def _forged(setting: Setting, size: int, poison: Poison, malicious: int, rule: Rule) -> list[Forged]:
    """What malicious nodes send."""
    return poison.sent(known_in(setting, size, malicious, rule), setting.arena.streams.rng("poison"))


def known_in(setting: Setting, size: int, malicious: int, rule: Rule) -> Knowledge:
    """What omniscient malicious nodes know in groups of a size: of the noise its law, not its draws."""
    bad = setting.malicious(malicious)
    others = np.delete(setting.tables, bad, axis=0)
    own = setting.tables[bad]
    return Knowledge(
        setting.arena.data.schema,
        own,
        others if len(others) else own,
        rule,
        size,
        setting.cap,
        len(setting.submitters),
        joined([setting.submitters[at].records for at in bad]),
        setting.federation.noise,
    )


UNSAID = ("rules", "delta", "trusted_records", "influence", "test_records", "split")
"""What is not repeated in every line of results: the manifest has it."""

CHOICES = ("mechanism", "epsilon", "delta", "group_size", "inputs", "cap_ratio", "split")
"""What a setting takes from a cell."""


@lru_cache(maxsize=8)
def _setting(arena: Arena, rule: Rule | None, *choices: Any) -> Setting:
    return Setting.of(arena, dict(zip(CHOICES, choices, strict=True)), rule)


def measure(cell: Cell) -> list[dict[str, Any]]:
    """One line of results for each rule of a cell of `attacks.sweeps.poisoning_grid.AttackGrid.cells`."""
    arena = arena_of(cell)
    scorer = judged_on(cell["dataset"], cell["numeric"], cell["test_records"], cell["seed"], own_of(cell))[1]
    poison = None if cell["attack"] == NO_ATTACK else choose_poison(cell["attack"])
    wanted = None if poison is None else poison.wanted(arena.data.schema, arena.data.test)
    records = arena.tables[:, :, 0].sum(axis=1)
    share = records[arena.order[: cell["malicious"]]].sum() / records.sum()
    lines = []
    seen: dict[Setting, Outcome] = {}
    for name in cell["rules"]:
        rule = choose_rule(name, reference=arena.reference, nodes=len(arena.nodes))
        own = rule if rule.increments else None
        setting = _setting(arena, own, *(cell[name] for name in CHOICES))
        line = {k: v for k, v in cell.items() if k not in UNSAID}
        line |= {"rule": name, "record_share": round(float(share), 6)}
        try:
            if poison is not None and poison.against_rule:
                outcome = attacked(setting, poison, cell["malicious"], rule)
            else:
                if setting not in seen:
                    seen[setting] = attacked(setting, poison, cell["malicious"], rule)
                outcome = seen[setting]
        except Abort as abort:
            line |= {"rows": 0, "contaminated": 0, "refused": cell["malicious"]}
            line |= {"classes": len(arena.data.schema.classes), "withstood": 0}
            lines.append(line | _nothing(f"the round was aborted: {abort}") | {"certified": math.nan})
            continue
        line |= {"rows": len(outcome.opened.members), "contaminated": int(outcome.contaminated.sum())}
        line |= {"refused": outcome.refused, "classes": len(arena.data.schema.classes)}
        readout, withstood = informed(setting, rule, outcome)
        line |= {"withstood": withstood} | scores(readout, outcome.opened, scorer, wanted)
        most_added = len(setting.malicious(cell["malicious"])) * setting.cap
        test = arena.data.test
        line["certified"] = certainly_right(readout, outcome.opened, outcome.forged, test, most_added)
        if cell["influence"]:
            line |= _unmasked(readout, outcome, arena.reference)
        lines.append(line)
    return lines


def attacked(setting: Setting, poison: Poison | None, malicious: int, rule: Rule) -> Outcome:
    """The rows of a round whose rule is told at most what it withstands; raises as `Setting.opened`."""
    if poison is None or not poison.against_rule:
        return setting.opened(poison, malicious, rule)
    most = max(rule.tolerance(len(setting.groups)), 0)
    return setting.opened(poison, malicious, replace(rule, malicious=min(malicious, most)))


def informed(setting: Setting, rule: Rule, outcome: Outcome) -> tuple[Readout, int]:
    """The readout whose rule is told how many rows are malicious, or its bound; and that bound.

    Curves show what happens beyond it, where a preflight would refuse.
    """
    readout = setting.readout(rule)
    withstood = rule.tolerated(readout.refined(readout.rows(outcome.opened)))
    told = replace(rule, malicious=max(min(int(outcome.contaminated.sum()), withstood), 0))
    return setting.readout(told), withstood


def _nothing(failure: str) -> dict[str, Any]:
    """Scores of a round without a model, and why there is none."""
    return {"accuracy": math.nan, "balanced_accuracy": math.nan, "success": math.nan, "failure": failure}


def scores(readout: Readout, opened: Opened, scorer: Scorer, wanted: Records | None) -> dict[str, Any]:
    """Scores of the round's model, or why there is none."""
    try:
        model = readout.model(opened)
    except ValueError as error:
        return _nothing(str(error))
    accuracy, balanced = scorer.judged(model)
    return {
        "accuracy": round(accuracy, 6),
        "balanced_accuracy": round(balanced, 6),
        "success": math.nan if wanted is None else round(model.score(wanted), 6),
        "failure": "",
    }


def _unmasked(readout: Readout, outcome: Outcome, reference: Records) -> dict[str, float]:
    """Which rows stand out: the share of the contaminated ones, and of the others."""
    rows: Rows = readout.rows(outcome.opened)
    try:
        found = influences(readout.rule, rows, reference, readout.refined)
    except ValueError:
        return {"unmasked": math.nan, "accused": math.nan}
    out, contaminated = (found["verdict"] == STANDS_OUT).to_numpy(), outcome.contaminated
    parts = {"unmasked": out[contaminated], "accused": out[~contaminated]}
    return {name: round(float(part.mean()), 6) if len(part) else math.nan for name, part in parts.items()}
