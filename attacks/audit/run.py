"""An audit from beginning to end: the levels that were asked for, cheapest first."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from attacks.audit.asked_level import audit_asked
from attacks.audit.finding import LEVELS, Audit, Finding, Level
from attacks.audit.ledger_level import audit_ledger
from attacks.audit.neighbours import neighbours
from attacks.audit.replay_level import audit_replay
from attacks.audit.target import Target
from securenb.privacy.sensitivity import Adjacency
from securenb.randomness import Streams

NOT_COVERED = (
    "more colluding nodes than the noise is sized for",
    "a person with records at several nodes, or several records at one",
    "which nodes take part and drop out, sizes of messages, timing",
    "nodes that do not add their noise, which --witnesses show round by round",
    "whatever is computed outside the audited release",
)
"""Of every audit."""


def steps_of(target: Target, levels: Sequence[Level]) -> int:
    """How often `run_audit` reports progress, about."""
    pairs = len(neighbours(target.schema, "add-remove", Streams(0).rng("neighbours")).pairs)
    each = {"L0": 1, "L1": pairs, "L2": len(target.schema.blocks), "L3": 2}
    return sum(each[level] for level in levels)


def run_audit(
    target: Target,
    adjacency: Adjacency,
    levels: Sequence[Level],
    *,
    seed: int,
    confidence: float = 0.95,
    trials: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Audit:
    """Audit a target.

    Parameters
    ----------
    levels
        Any of L0 to L3.
    seed
        Of neighbours and samples.
    confidence
        Family-wise, of each statistical level by itself.
    trials
        Runs on each input, for both statistical levels; by default what each of them needs.
    progress
        Called with what is being tested.

    Raises
    ------
    ValueError
        If a level is unknown or the confidence is not between 0 and 1.
    """
    unknown = [level for level in levels if level not in LEVELS]
    if unknown or not levels:
        raise ValueError(f"levels are {', '.join(LEVELS)}, got {', '.join(unknown) or 'none'}")
    if not 0 < confidence < 1:
        raise ValueError(f"the confidence must be between 0 and 1, got {confidence}")
    streams, alpha = Streams(seed), 1 - confidence
    pairs = neighbours(target.schema, adjacency, streams.rng("neighbours"))
    read = len(target.encode(pairs.pool))
    count: dict[str, Any] = {} if trials is None else {"trials": trials}

    def level(name: Level) -> Any:
        rng = streams.rng(name)

        def step(what: str) -> None:
            progress(f"{name} {what}")

        match name:
            case "L0":
                step("ledger")
                asked = audit_asked(target)
                return chain(audit_ledger(target, adjacency), [] if asked is None else [asked])
            case "L1":
                return audit_replay(target, adjacency, pairs, step)
            case "L2":  # statistics take a second to load, which the other levels do without
                from attacks.audit.sampler_level import audit_samplers
                from attacks.audit.statistical_level import audit_queries

                queries = audit_queries(target, adjacency, pairs, rng, alpha / 2, progress=step, **count)
                return chain(audit_samplers(target, alpha / 2, step), queries)
            case "L3":
                from attacks.audit.view_level import audit_view

                return audit_view(target, adjacency, pairs, rng, alpha, progress=step, **count)

    findings: tuple[Finding, ...]
    if read == len(pairs.pool):
        findings = tuple(chain.from_iterable(level(name) for name in LEVELS if name in levels))
    else:  # nothing can be said of single records
        evidence = f"{len(pairs.pool)} records are read as {read}"
        findings = (Finding("L1", "a record is read by itself", "FAIL", evidence),)
    claimed = target.claimed(adjacency)
    left_out = tuple(f"level {name}" for name in LEVELS if name not in levels)
    return Audit(
        target=target.name,
        view=target.view,
        adjacency=adjacency,
        claimed=None if claimed is None else float(claimed),
        delta=target.delta,
        confidence=confidence,
        findings=findings,
        not_covered=(*NOT_COVERED, *left_out),
        settings={"seed": seed, "levels": list(levels), "trials": trials},
    )
