"""L2: what contributors of noise add to nothing, run after run, against the law in the ledger.

Both samplers are asked, the fast one of simulations and the exact one of releases, through the round's own
functions. Distribution functions are summed by arithmetic of the auditor's own. All bounds hold for any
number of draws: the largest distance of distribution functions is Massart's (1990), frequencies are
Hoeffding's, those of rare draws Chernoff's.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from attacks.audit import boxed
from attacks.audit.boxed import POINTS, drawn_together
from attacks.audit.finding import Finding
from attacks.audit.target import Mode, Target
from protocols.ring import Integers
from securenb.bayes.parameters import Floats
from securenb.privacy.box import Box
from securenb.privacy.distributions import DiscreteGaussian, Polya, Skellam
from securenb.privacy.joint import BoxMarginal

DRAWS: dict[Mode, int] = {"simulation": 20_000, "release": 12_000}
"""Draws of each law; the exact sampler takes its time."""

MOST_RUNS = 600

MODULI = (2, 3, 5)

QUANTILES = 12
"""Powers of a half that a tail has at most."""

LAGS = 400
"""Cells between draws that are compared."""

NEXT = 8
"""Contributions between them."""


def audit_samplers(
    target: Target,
    alpha: float,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[Finding]:
    """One finding a sampler; none where there is no noise."""
    one = target.contributed()
    if one is None:
        return
    columns: dict[Any, list[int]] = defaultdict(list)
    for column, law in enumerate(one.laws):
        if not isinstance(law, BoxMarginal):
            columns[law].append(column)
    boxes: dict[Box, list[list[int]]] = defaultdict(list)
    for (_, box), cells in drawn_together(enumerate(one.laws), target.schema.width).items():
        boxes[box].append([column for column, _ in cells])
    for mode, draws in DRAWS.items():
        progress(f"the sampler of a {mode}")
        runs = min(MOST_RUNS, math.ceil(draws / max(map(len, columns.values()), default=1)))
        runs = max([runs, *(math.ceil(POINTS / len(classes)) for classes in boxes.values())])
        added = one.added(mode, runs)
        each = alpha / (len(DRAWS) * (len(columns) + len(boxes)))
        problems = [
            problem for law, those in columns.items() for problem in misfits(added[:, those], law, each)
        ]
        for box, those in boxes.items():
            problems += boxed.misfits(added[:, np.array(those)], box, each)
        check = f"the sampler of a {mode} draws from the ledger's laws"
        evidence = f"{runs} contributions, {added.size:,} draws of {len(columns) + len(boxes)} laws"
        yield Finding("L2", check, "FAIL" if problems else "PASS", problems[0] if problems else evidence)


def misfits(draws: Integers, law: Any, alpha: float) -> Iterator[str]:
    """Where draws, shape (runs, cells), differ from a law: each with a probability of alpha in all.

    Parameters
    ----------
    alpha
        Probability that anything is said of independent draws from the law.
    """
    table = probabilities(law)
    if table is None:
        return
    k, masses = table
    sample = draws.ravel()
    n = len(sample)
    far = math.sqrt(math.log(2 / (alpha / 8)) / (2 * n))
    sample_at = np.searchsorted(np.sort(sample), k, side="right") / n
    distance = np.abs(sample_at - np.cumsum(masses))
    worst = int(distance.argmax())
    if distance[worst] > far:
        yield (
            f"{law}: {100 * sample_at[worst]:.3g} % of {n} draws are at most {k[worst]}, "
            f"{100 * np.cumsum(masses)[worst]:.3g} % are expected"
        )
    yield from _tails(law, np.cumsum(masses), k, sample_at, n, alpha / 8)
    signs = np.sign(sample[sample != 0])
    if len(signs) and abs(float(signs.mean())) > 2 * math.sqrt(math.log(2 / (alpha / 8)) / (2 * len(signs))):
        yield f"{law}: {100 * float((signs > 0).mean()):.3g} % of {len(signs)} draws beside zero are positive"
    bins = sum(MODULI)
    rough = math.sqrt(math.log(2 * bins / (alpha / 8)) / (2 * n))
    for modulus in MODULI:
        for rest in range(modulus):
            seen, expected = (
                float((sample % modulus == rest).mean()),
                float(masses[k % modulus == rest].sum()),
            )
            if abs(seen - expected) > rough:
                yield (
                    f"{law}: {100 * seen:.3g} % of {n} draws are {rest} modulo {modulus}, "
                    f"{100 * expected:.3g} % are expected"
                )
    yield from _repeats(draws, law, float((masses**2).sum()), alpha / 2)


def _tails(
    law: Any, expected: Floats, k: NDArray[np.int64], seen: Floats, n: int, alpha: float
) -> Iterator[str]:
    """Where far fewer, or more, of n draws are far out than should be: Chernoff's bound, at quantiles."""
    levels = 2.0 ** -np.arange(1, QUANTILES + 1)
    points = np.unique(np.searchsorted(expected, np.concatenate([levels, 1 - levels])))
    for at in points[points < len(k)]:
        share, law_has = float(seen[at]), float(min(max(expected[at], 1e-300), 1 - 1e-15))
        surprise = special.rel_entr(share, law_has) + special.rel_entr(1 - share, 1 - law_has)
        if n * surprise > math.log(4 * QUANTILES / alpha):
            yield (
                f"{law}: {100 * share:.3g} % of {n} draws are at most {k[at]}, "
                f"{100 * law_has:.3g} % are expected"
            )


def _repeats(draws: Integers, law: Any, same: float, alpha: float) -> Iterator[str]:
    """Draws that return, or their negatives: some cells later, or in the next contributions."""
    runs, cells = draws.shape
    pairs = {f"{lag} cells later": (draws[:, :-lag], draws[:, lag:]) for lag in range(1, min(cells, LAGS))}
    pairs |= {f"{lag} contributions later": (draws[:-lag], draws[lag:]) for lag in range(1, min(runs, NEXT))}
    for what, (one, other) in pairs.items():
        # pairs share draws with other pairs: every other one of them, or of their runs, is independent
        n = one.size // 2
        if n < 25:
            continue
        near = same + math.sqrt(math.log(8 * len(pairs) / alpha) / (2 * n))
        for sign, word in ((1, "equal"), (-1, "the negative of")):
            seen = float((one == sign * other).mean())
            if seen > near:
                yield (
                    f"{law}: {100 * seen:.3g} % of draws are {word} that of {what}, "
                    f"{100 * same:.2g} % are expected"
                )


def probabilities(law: Any) -> tuple[NDArray[np.int64], Floats] | None:
    """Where a law has its mass, and how much: the auditor's own sums; nothing for unknown laws."""
    match law:
        case Polya(scale=scale, doses=doses):
            x, r = math.exp(-1 / float(scale)), float(doses)
            top = int(45 * float(scale)) + 64
            if top > 1 << 21:
                return None
            from scipy import stats  # takes a second, which most audits can do without

            one = stats.nbinom.pmf(np.arange(top), r, 1 - x)
            size = 1 << (2 * top - 1).bit_length()
            masses = np.fft.irfft(np.abs(np.fft.rfft(one, size)) ** 2, size)
            masses = np.concatenate([masses[-(top - 1) :], masses[:top]])
            return np.arange(-(top - 1), top), np.maximum(masses, 0.0)
        case Skellam(variance=variance):
            k = _around(float(variance))
            return k, np.asarray(special.ive(np.abs(k), float(variance)))
        case DiscreteGaussian(variance=variance, terms=terms):
            each = float(variance) / terms
            k = _around(each)
            exponents = -(k**2) / (2 * each)
            masses = np.exp(exponents - special.logsumexp(exponents))
            if terms == 1:
                return k, masses
            wide = _around(float(variance) * 1.0 + len(k))
            size = 1 << (terms * len(k)).bit_length()
            summed = np.fft.irfft(np.fft.rfft(masses, size) ** terms, size)[: terms * (len(k) - 1) + 1]
            middle = terms * (len(k) // 2)
            reach = min(int(wide[-1]), middle)
            return np.arange(-reach, reach + 1), np.maximum(summed[middle - reach : middle + reach + 1], 0.0)
    return None


def _around(variance: float) -> NDArray[np.int64]:
    span = int(14 * variance**0.5) + 60
    return np.arange(-span, span + 1)
