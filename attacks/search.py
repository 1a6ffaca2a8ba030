"""Spends time on finding a worse attack than the catalogue's: on deals of its own, with the true rule."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from attacks.poison import Knowledge, Poison, choose_poison
from attacks.toolkit.descent import Sums
from attacks.toolkit.evolution import Evolution
from attacks.toolkit.forging import claimed
from attacks.toolkit.free_tables import FreeTables
from attacks.toolkit.kept import Kept, label_of
from attacks.toolkit.projection import into_invariants
from attacks.toolkit.rehearsal import Rehearsal
from protocols.ring import Integers

QUICK = ("heavy_flip", "worst_records", "tight_cluster", "alie", "min_max", "scaled_flip")
"""Poisons that cost next to nothing: every search begins with them."""
OPTIMISED = ("gradient_rule", "gradient_calibrated")
CLAIM = 100
"""How many caps a node claims at most where no check holds it back."""
RECORDS, DRAWS = 1500, 2
"""What each rehearsal judges on, and how many draws of noise and groups it has."""


def searched(
    knowledge: Sequence[Knowledge],
    *,
    inside: bool,
    seed: int,
    seconds: float = np.inf,
    evaluations: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Kept:
    """The worst attack that a search finds, for settings that differ in nothing but who holds what.

    Quick poisons first, then the optimised ones on each deal, then a search without gradients from the best.
    Every candidate is judged on all deals, so that what is found does not live on one of them.

    Parameters
    ----------
    knowledge
        What the attacker knows on each of several deals.
    inside
        Whether tables must be within the invariants and the cap.
    seed
        Decides everything but how far it gets.
    seconds, evaluations
        When to stop: after so much time, or so many candidates, at least the quick ones. The same number of
        candidates finds the same attack.
    """
    begun, tried = clock(), 0
    rngs = np.random.SeedSequence(seed).spawn(len(knowledge) + 1)
    stages = [
        Rehearsal(known, RECORDS, DRAWS, np.random.default_rng(rng))
        for known, rng in zip(knowledge, rngs, strict=False)
    ]
    rng, known = np.random.default_rng(rngs[-1]), knowledge[0]
    bad = len(known.own)

    def over() -> bool:
        return clock() - begun >= seconds if evaluations is None else tried >= evaluations

    def score(tables: Sequence[Integers]) -> float:
        nonlocal tried
        tried += 1
        return float(np.mean([stage.score(tables) for stage in stages]))

    best, least, began = [known.own[0]] * bad, np.inf, "nothing"
    for name, tables in _starts(knowledge, rng, inside=inside):
        value = score(tables)
        if value < least:
            best, least, began = tables, value, name
        if over() and name not in QUICK:
            break
    cap = known.cap if inside else claimed(known, CLAIM)
    free = FreeTables(Sums.of(known.schema), cap)
    for width in (0.3 * 0.7**turn for turn in count()):
        if over() or width < 1e-3:
            break
        search = Evolution(free.near(best[0]), width)
        for _ in range(100):
            if over():
                break
            points = search.asked(rng)
            tables = [into_invariants(known.schema, np.rint(t), cap) for t in free.tables(points)[0]]
            scores = np.array([score([table] * bad) for table in tables])
            search.told(points, scores)
            if scores.min() < least:
                least, best = float(scores.min()), [tables[int(scores.argmin())]] * bad
    one = len({table.tobytes() for table in best}) == 1
    return Kept(
        label_of(known.rule),
        bad,
        bad + len(known.others) if known.nodes is None else known.nodes,
        known.group_size,
        known.cap,
        "" if known.noise is None else repr(known.noise.mechanism),
        inside,
        round(least, 6),
        began,
        tried,
        round(clock() - begun, 1),
        seed,
        np.array(best[:1] if one else best),
    )


def _starts(
    knowledge: Sequence[Knowledge], rng: np.random.Generator, *, inside: bool
) -> Iterator[tuple[str, list[Integers]]]:
    for names, over in ((QUICK, knowledge[:1]), (OPTIMISED, knowledge)):
        for known in over:
            for name in names:
                pools = known.rule.pools
                if name in OPTIMISED and pools != (name == "gradient_calibrated"):
                    continue
                poison: Poison = replace(choose_poison(name), inside=inside)
                try:
                    yield name, list(poison.sent(known, rng))
                except ValueError:
                    # a kind of feature for which this one cannot be forged
                    continue
