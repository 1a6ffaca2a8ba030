"""Attacks measured: what a model is worth after a poison, rule by rule.

Rows are summed here as the ideal functionality sums them. Every protocol opens the same rows, to the last
bit (`tests/contracts/test_protocols.py`), so that what holds here holds under each of them. Randomness is
paired: one trial has the same deal, the same malicious nodes (a larger share adds some), the same groups
and the same noise in every cell.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attacks.poison import Forged, Knowledge, Poison, choose_poison, contribution
from attacks.sweeps.arena import Arena, arena_of, judged_on
from attacks.sweeps.poisoning_grid import NO_ATTACK
from protocols.grouping import Groups
from protocols.ring import Capacity, Integers
from protocols.schemes.ideal import Ideal
from protocols.validity import Validity
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import Floats, Parameters
from securenb.experiments.choices import NO_EPSILON
from securenb.experiments.montecarlo import Scorer
from securenb.experiments.sweep import Cell
from securenb.federation.admission import admit
from securenb.federation.federation import RECORD_CAP, Federation
from securenb.federation.influence import STANDS_OUT, influences
from securenb.federation.postprocess import variances
from securenb.privacy.mechanism import MECHANISMS, Mechanism
from securenb.privacy.mechanisms.none import NoNoise
from securenb.privacy.samplers import FastNoise
from securenb.robust.rule import Rows, Rule
from securenb.robust.rules.sum import Sum
from securenb.robust.spec import choose_rule
from securenb.schema.invariants import invariants
from securenb.schema.records import Records
from securenb.schema.statistics import Statistics

DOSES = 2
"""Aggregators of verified inputs, each of which adds a dose."""


@lru_cache(maxsize=64)
def _rules(schema: Any, cap: int) -> Validity:
    return invariants(schema, cap)


@dataclass(frozen=True, eq=False)
class Setting:
    """One arena under one choice of noise, groups and checks.

    Attributes
    ----------
    groups
        Positions of the nodes in each group.
    noise
        What each node would add, shape (N, d); zero where aggregators add it instead.
    central
        What is added to each row, shape (G, d).
    cap
        The most records that a node may claim.
    """

    arena: Arena
    federation: Federation
    groups: tuple[NDArray[np.int64], ...]
    noise: Integers
    central: Integers
    verified: bool
    cap: int

    @classmethod
    def of(cls, arena: Arena, cell: Cell) -> "Setting":
        """The setting that a cell describes."""
        mechanism: Mechanism = (
            NoNoise()
            if cell["epsilon"] == NO_EPSILON
            else MECHANISMS[cell["mechanism"]].from_epsilon(cell["epsilon"], cell["delta"])
        )
        federation = Federation(
            arena.data.schema,
            Ideal(),
            mechanism,
            Sum(),
            group_size=cell["group_size"],
            seed=arena.streams.seed,
        )
        named: Groups = federation.groups(list(arena.nodes))
        place = {node.id: index for index, node in enumerate(arena.nodes)}
        groups = tuple(np.array([place[node] for node in group]) for group in named)
        verified = cell["inputs"] == "verified"
        nodes, length = len(arena.nodes), arena.data.schema.length
        noise = np.zeros((nodes, length), dtype=np.int64)
        central = np.zeros((len(groups), length), dtype=np.int64)
        if mechanism != NoNoise():
            source = FastNoise(arena.streams.rng("noise", cell["epsilon"], cell["group_size"] or 0))
            if verified:
                for row in central:
                    row += sum(mechanism.share(arena.data.schema, 1, source) for _ in range(DOSES))
            else:
                for group in groups:
                    among = federation.among(len(group))
                    for node in group:
                        noise[node] = mechanism.share(arena.data.schema, among, source)
        ratio = 1.0 if cell["cap_ratio"] is None else cell["cap_ratio"]
        cap = math.ceil(ratio * arena.mean_size)
        return cls(arena, federation, groups, noise, central, verified, cap)

    def honest(self) -> Integers:
        """Statistics of nodes that heed the cap, where there is one: the others leave records out."""
        return _heeding(self.arena, self.cap) if self.verified else self.arena.tables

    def variances(self, rows: Rows) -> Floats:
        """Variance of the honest noise in each column of each row, shape (g, width), as a round knows it."""
        federation = self.federation

        def of(size: int) -> Floats:
            among, shares = (1, DOSES) if self.verified else (federation.among(size), federation.shares(size))
            return variances(federation.mechanism, federation.schema, among, shares)

        known = {int(size): of(int(size)) for size in set(rows.sizes.tolist())}
        return np.array([known[int(size)] for size in rows.sizes])

    def refined(self, rows: Rows, rule: Rule) -> Rows:
        """The rows that the rule combines: refined as a round refines them."""
        return self.federation.refinement.refine(rows, self.variances(rows), pool=rule.pools)

    def opened(
        self, poison: Poison | None, malicious: int, rule: Rule
    ) -> tuple[Rows, NDArray[np.bool_], int]:
        """Rows, whether a malicious node is in each, and how many nodes were refused.

        Parameters
        ----------
        malicious
            How many nodes the poison has.
        rule
            What the attacker knows of the rule.
        """
        arena, grid = self.arena, self.federation.mechanism.grid
        schema, honest = arena.data.schema, self.honest()
        vectors = honest.reshape(len(honest), -1) * grid + self.noise
        present, bad = np.ones(len(honest), dtype=np.bool_), np.zeros(len(honest), dtype=np.bool_)
        if poison is not None and malicious:
            places = np.sort(arena.order[:malicious])
            bad[places] = True
            size = min(self.federation.group_size or len(honest), len(honest))
            forged = _forged(arena, self.cap, self.verified, size, poison, malicious, rule)
            let_in = self._door(forged, places, noisy=poison.noisy and not self.verified)
            for index, vector in zip(places, let_in, strict=True):
                present[index] = vector is not None
                vectors[index] = 0 if vector is None else vector
        sums, sizes, contaminated = [], [], []
        for group, dose in zip(self.groups, self.central, strict=True):
            members = group[present[group]]
            if len(members):
                sums.append(vectors[members].sum(axis=0) + dose)
                sizes.append(len(members))
                contaminated.append(bool(bad[members].any()))
        nearest = (2 * np.array(sums) + grid) // (2 * grid)
        tables = nearest.reshape(len(sums), len(schema.classes), schema.width)
        rows = Rows(schema, tables, np.array(sizes, dtype=np.int64))
        return rows, np.array(contaminated), int((~present).sum())

    def _door(
        self, forged: Sequence[Forged], places: NDArray[np.int64], *, noisy: bool
    ) -> list[Integers | None]:
        """What malicious nodes at these places send, `None` where it is refused.

        Honest statistics are valid by construction: proving them in every cell would only cost time.
        """
        schema, grid = self.arena.data.schema, self.federation.mechanism.grid
        capacity = Capacity(schema.reach * RECORD_CAP * grid, len(self.noise), 1 << 50)
        checks = _rules(schema, self.cap) if self.verified else None
        found: dict[int, Integers | None] = {}
        let_in = []
        for index, table in zip(places, forged, strict=True):
            # many poisons send one table from every node
            key = -1 - int(index) if noisy else id(table)
            if key not in found:
                vector = contribution(table, self.noise[index] if noisy else None, grid)
                try:
                    found[key] = admit(vector, schema.length, capacity, checks)
                except ValueError:
                    found[key] = None
            let_in.append(found[key])
        return let_in


@lru_cache(maxsize=8)
def _heeding(arena: Arena, cap: int) -> Integers:
    tables = arena.tables.copy()
    for index, node in enumerate(arena.nodes):
        if len(node.records) > cap:
            tables[index] = Statistics.of(arena.data.schema, node.records[:cap]).table
    return tables


@lru_cache(maxsize=512)
def _forged(
    arena: Arena, cap: int, verified: bool, size: int, poison: Poison, malicious: int, rule: Rule  # noqa: FBT001
) -> list[Forged]:  # fmt: skip
    """What malicious nodes send; nobody sees noise, so it is the same whatever epsilon is."""
    honest = _heeding(arena, cap) if verified else arena.tables
    bad = np.sort(arena.order[:malicious])
    others = np.delete(honest, bad, axis=0) if malicious < len(honest) else honest
    known = Knowledge(arena.data.schema, arena.tables[bad], others, rule, size, cap)
    return poison.sent(known, arena.streams.rng("poison"))


UNSAID = ("rules", "delta", "trusted_records", "influence", "test_records")
"""What is not repeated in every line of results: the manifest has it."""

CHOICES = ("mechanism", "epsilon", "delta", "group_size", "inputs", "cap_ratio")
"""What a setting takes from a cell."""


@lru_cache(maxsize=8)
def _setting(arena: Arena, *choices: Any) -> Setting:
    return Setting.of(arena, dict(zip(CHOICES, choices, strict=True)))


def measure(cell: Cell) -> list[dict[str, Any]]:
    """One line of results for each rule of a cell of `attacks.sweeps.poisoning_grid.AttackGrid.cells`."""
    arena = arena_of(cell)
    scorer = judged_on(cell["dataset"], cell["numeric"], cell["test_records"], cell["seed"])[1]
    setting = _setting(arena, *(cell[name] for name in CHOICES))
    poison = None if cell["attack"] == NO_ATTACK else choose_poison(cell["attack"])
    wanted = None if poison is None else poison.wanted(arena.data.schema, arena.data.test)
    records = arena.tables[:, :, 0].sum(axis=1)
    share = records[arena.order[: cell["malicious"]]].sum() / records.sum()
    lines = []
    seen: tuple[Rows, NDArray[np.bool_], int] | None = None
    for name in cell["rules"]:
        rule = choose_rule(name, reference=arena.reference)
        if poison is not None and poison.against_rule:
            armed = replace(
                rule, malicious=min(cell["malicious"], max(rule.tolerance(len(setting.groups)), 0))
            )
            rows, contaminated, refused = setting.opened(poison, cell["malicious"], armed)
        else:
            seen = seen or setting.opened(poison, cell["malicious"], rule)
            rows, contaminated, refused = seen
        line = {k: v for k, v in cell.items() if k not in UNSAID}
        line |= {"rule": name, "record_share": round(float(share), 6), "rows": len(rows.sizes)}
        line |= {"contaminated": int(contaminated.sum()), "refused": refused}
        line |= {"classes": len(arena.data.schema.classes)}
        refined = setting.refined(rows, rule)
        # told the truth, or its bound: curves show what happens beyond it, where a preflight would refuse
        withstood = rule.tolerated(refined)
        told = replace(rule, malicious=max(min(int(contaminated.sum()), withstood), 0))
        line |= {"withstood": withstood} | _outcome(told, refined, scorer, wanted)
        if cell["influence"]:
            refine = partial(setting.refined, rule=rule)
            line |= _unmasked(told, rows, contaminated, arena.reference, refine)
        lines.append(line)
    return lines


def _outcome(rule: Rule, rows: Rows, scorer: Scorer, wanted: Records | None) -> dict[str, Any]:
    """Scores of the rule's model, or why there is none."""
    nothing = {"accuracy": math.nan, "balanced_accuracy": math.nan, "success": math.nan}
    try:
        combined = rule.combine(rows)
    except ValueError as error:
        return {**nothing, "failure": str(error)}
    accuracy, balanced = scorer.accuracies(combined.table)
    return {
        "accuracy": round(float(accuracy), 6),
        "balanced_accuracy": round(float(balanced), 6),
        "success": math.nan if wanted is None else round(_success(combined, wanted), 6),
        "failure": "",
    }


def _unmasked(
    rule: Rule,
    rows: Rows,
    contaminated: NDArray[np.bool_],
    reference: Records,
    refined: Callable[[Rows], Rows],
) -> dict[str, float]:
    """Which rows stand out: the share of the contaminated ones, and of the others."""
    try:
        out = (influences(rule, rows, reference, refined)["verdict"] == STANDS_OUT).to_numpy()
    except ValueError:
        return {"unmasked": math.nan, "accused": math.nan}
    parts = {"unmasked": out[contaminated], "accused": out[~contaminated]}
    return {name: round(float(part.mean()), 6) if len(part) else math.nan for name, part in parts.items()}


def _success(combined: Parameters, wanted: Records) -> float:
    return NaiveBayes(combined).score(wanted)
