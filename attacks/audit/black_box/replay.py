"""L1 of any release that asks numpy for Laplace or normal noise: what the noise hides, for certain.

Noise is answered from a tape. A release whose output is an affine function of the tape is T(data) + A·noise:
A is found by moving one answer at a time, T by a tape of zeros. Then all is linear algebra: a change of T
outside the image of A is hidden by nothing, and a change inside it costs what the noise that undoes it costs.
Where the output is no such function, this level says nothing.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from attacks.audit.black_box.claim import Claim, gaussian_delta, gaussian_epsilon
from attacks.audit.black_box.release import Release
from attacks.audit.finding import Finding
from securenb.bayes.parameters import Floats

MOST_DRAWS = 300
"""Requests for noise that are moved one by one."""

TAPES = 60
"""Random tapes on which the output must be what the affine function says."""

CHECK = "noise hides what neighbours differ in"


@dataclass(frozen=True, eq=False)
class Affine:
    """A release on one input.

    Attributes
    ----------
    laws
        The law of each draw, n of them.
    exact
        The output without noise, shape (k,).
    effect
        What a unit of each draw does to it, shape (k, n).
    """

    laws: tuple[str, ...]
    exact: Floats
    effect: Floats


def audit_replay(
    release: Release,
    claim: Claim,
    seed: int,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[Finding]:
    """One finding, the costliest pair's; none if no pair can be replayed."""
    worst: Finding | None = None
    replayed = 0
    for pair, name in enumerate(release.pairs):
        progress(f"L1 {name}")
        rng = np.random.default_rng([seed, pair])
        both = [_affine(release, pair, side, rng) for side in (0, 1)]
        if both[0] is None or both[1] is None:
            continue
        loss, why = _loss(both[0], both[1], claim)
        if loss is None:
            continue
        replayed += 1
        failed = loss > claim.epsilon * (1 + 1e-6)
        evidence = f"{why}; {'witness' if failed else 'costliest'}: {name}; claimed {claim.epsilon:.4g}"
        found = Finding("L1", CHECK, "FAIL" if failed else "PASS", evidence, loss, claim.epsilon)
        if worst is None or loss > (worst.bound or 0.0):
            worst = found
    if worst is not None:
        yield worst


def _affine(release: Release, pair: int, side: int, rng: np.random.Generator) -> Affine | None:
    """The release as an affine function of its noise; `None` if it is not."""

    def output(tape: Floats) -> tuple[Floats, tuple[str, ...]] | None:
        found = release.tape(pair, side, tape.tolist())
        if found is None or found["outcome"] != "returns" or found["others"]:
            return None
        values = np.asarray(found["values"], dtype=np.float64)
        if not np.isfinite(values).all():
            return None
        return values, tuple(f"{law} {scale!r}" for law, scale in found["calls"])

    first = output(np.zeros(0))
    if first is None:
        return None
    exact, calls = first
    count = len(calls)
    if not 0 < count <= MOST_DRAWS:
        return None
    effect = np.zeros((len(exact), count))
    for at in range(count):
        moved = output(np.eye(1, count, at)[0])
        if moved is None or moved[1] != calls or len(moved[0]) != len(exact):
            return None
        effect[:, at] = moved[0] - exact
    size = np.abs(effect).sum(axis=1) + np.abs(exact) + 1e-300
    for _ in range(TAPES):
        tape = rng.laplace(size=count) * rng.choice([1.0, 3.0])
        moved = output(tape)
        if moved is None or moved[1] != calls or len(moved[0]) != len(exact):
            return None
        if (np.abs(moved[0] - exact - effect @ tape) > 1e-7 * size * (1 + np.abs(tape).max())).any():
            return None
    return Affine(tuple(call.split()[0] for call in calls), exact, effect)


def _loss(first: Affine, second: Affine, claim: Claim) -> tuple[float | None, str]:
    """The epsilon that the pair costs at the claim's delta, and why; `None` where that is not known."""
    if first.laws != second.laws or first.effect.shape != second.effect.shape:
        return None, ""
    shift = second.exact - first.exact
    size = np.abs(first.effect).sum(axis=1) + np.abs(first.exact) + 1e-300
    if not np.allclose(first.effect, second.effect, rtol=1e-9, atol=0):
        return _unequal(first, second, claim)
    used = np.abs(first.effect).max(axis=0) > 0
    effect, laws = (
        first.effect[:, used],
        [law for law, is_used in zip(first.laws, used, strict=True) if is_used],
    )
    needed = np.linalg.lstsq(effect, shift, rcond=1e-10)[0]
    left = np.abs(shift - effect @ needed)
    bare = np.flatnonzero(left > 1e-6 * np.maximum(np.abs(shift).max(), 1e-6 * size))
    if len(bare):
        return math.inf, f"outputs differ by {left[bare[0]]:.4g} in number {bare[0]}, which no noise hides"
    if np.linalg.matrix_rank(effect, tol=1e-10 * np.abs(effect).max()) < effect.shape[1]:
        return None, ""
    kinds = {law for law, move in zip(laws, needed, strict=True) if abs(move) > 1e-12}
    if kinds <= {"laplace"}:
        total = float(np.abs(needed).sum())
        if claim.delta:
            # up to a delta several draws may cost less than their sum; one draw may, too
            return (total, f"Laplace noise, loss {total:.6g}") if total <= claim.epsilon else (None, "")
        return total, f"Laplace noise loses {total:.6g}: {len(laws)} draws"
    if kinds == {"normal"}:
        if not claim.delta:
            return math.inf, "normal noise loses more than any epsilon without a delta"
        distance = float(np.linalg.norm(needed))
        epsilon = gaussian_epsilon(distance, claim.delta)
        at_claim = gaussian_delta(distance, claim.epsilon)
        return epsilon, f"normal noise loses {epsilon:.6g}: delta {at_claim:.3g} at the claimed epsilon"
    return None, ""


def _unequal(first: Affine, second: Affine, claim: Claim) -> tuple[float | None, str]:
    """Noise of another size on the neighbour: far out, a loss without bound; up to a delta, unknown."""
    k, n = first.effect.shape
    if claim.delta or set(first.laws) != {"laplace"} or k != n:
        return None, ""
    if min(np.linalg.matrix_rank(each.effect) for each in (first, second)) < n:
        return None, ""
    directions = np.concatenate([first.effect, second.effect], axis=1)
    sizes = [np.abs(np.linalg.solve(each.effect, directions)).sum(axis=0) for each in (first, second)]
    ratio = np.abs(sizes[0] / sizes[1] - 1).max()
    if ratio < 1e-6:
        return None, ""
    return math.inf, f"the noise depends on the data: its scale differs by a factor of {1 + ratio:.4g}"
