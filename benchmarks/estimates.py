"""What shrinkage of noisy sums gains or costs: one shared dose, the rule sum, paired by seed.

    python -m benchmarks.estimates                 # accuracy over epsilon: before, after, without noise
    python -m benchmarks.estimates --widths        # each prior width four times as large, and a quarter of it
    python -m benchmarks.estimates --count 0.1     # a tenth for the class count, where levels tell it
    python -m benchmarks.estimates --plot docs/privacy

The sum of statistics and of all noise is taken without running a protocol, because every protocol opens
exactly that sum (a contract test). The claim `shrinkage` of the evidence says that nothing gets worse.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd

from benchmarks.problems import Problem, shipped
from securenb.bayes.parameters import Floats, estimate
from securenb.experiments.montecarlo import GroupNoise, Scorer
from securenb.federation.postprocess import Refinement, variances
from securenb.privacy.mechanism import MECHANISMS
from securenb.privacy.spec import choose_mechanism
from securenb.report.charts import styled
from securenb.report.picture import save, specification
from securenb.robust.rule import Rows
from securenb.robust.rules.sum import Sum
from securenb.schema import shrinking
from securenb.schema.statistics import Statistics

BEFORE, AFTER = Refinement(shrinkage=False), Refinement()
DELTA = 1e-6
EPSILONS = ("0.01", "0.0316", "0.1", "0.316", "1", "3.16", "10", "31.6", "100")
SHOWN = (
    ("breast_cancer", "gaussian"), ("digits", "gaussian"), ("wine", "gaussian"), ("iris", "gaussian"),
    ("adult", "gaussian"), ("skin", "gaussian"), ("accelerometer", "gaussian"), ("adult", "histogram"),
    ("breast_cancer", "histogram"), ("digits", "histogram"), ("mushroom", "gaussian"),
    ("phishing", "gaussian"), ("votes", "gaussian"), ("spect", "gaussian"),
)  # fmt: skip
WIDTHS = {"COUNT_WIDTH": 4, "SHARE_WIDTH": 4, "LEVEL_FLOOR": 4, "NUMBER_WIDTH": 4, "VARIANCE_FLOOR": 4}
SENSITIVE = (
    ("breast_cancer", "gaussian", "1"), ("breast_cancer", "gaussian", "10"), ("digits", "gaussian", "1"),
    ("digits", "gaussian", "10"), ("adult", "gaussian", "0.1"), ("adult", "histogram", "0.0316"),
    ("phishing", "gaussian", "0.1"), ("mushroom", "gaussian", "0.316"), ("spect", "gaussian", "1"),
)  # fmt: skip


@lru_cache(maxsize=1)
def _scorer(problem: Problem) -> Scorer:
    return Scorer.of(problem.schema, problem.test)


def scores(
    problem: Problem, epsilon: str, seeds: int, how: Sequence[Refinement], mechanism: str = "discrete_laplace"
) -> Floats:
    """Accuracy and balanced accuracy of each way to refine the same noisy sums, shape (ways, 2, seeds)."""
    schema, rule = problem.schema, Sum()
    needs_delta = MECHANISMS[MECHANISMS.spec(mechanism).name].needs_delta
    chosen = choose_mechanism(mechanism, epsilon, DELTA if needs_delta else None)
    exact = Statistics.of(schema, problem.train).table
    noise, variance = GroupNoise(schema, chosen, 1, 1), variances(chosen, schema, 1, 1)[None]
    one = np.ones(1, dtype=np.int64)
    drawn = [exact + noise.draw(np.random.default_rng(seed)).astype(np.int64) for seed in range(seeds)]
    rows = [Rows(schema, table[None], one) for table in drawn]
    tables = [[each.refine(row, variance, rule).tables[0] for row in rows] for each in how]
    parameters = estimate(schema, np.array(tables), rule.smoothing).table
    return np.stack(_scorer(problem).accuracies(parameters), axis=1)


def without_noise(problem: Problem) -> Floats:
    """Accuracy and balanced accuracy of the exact sums, shape (2,)."""
    table = estimate(problem.schema, Statistics.of(problem.schema, problem.train).table).table
    return np.array(_scorer(problem).accuracies(table))


def difference(pairs: Floats) -> tuple[Floats, Floats]:
    """Mean and half of the 95 % interval of after less before, (2, 2, seeds) in, both (2,) out."""
    found = pairs[1] - pairs[0]
    half = 1.96 * found.std(axis=-1, ddof=1) / np.sqrt(found.shape[-1])
    return found.mean(axis=-1), half


@contextmanager
def width(name: str, factor: float) -> Iterator[None]:
    """A prior width of `securenb.schema.shrinking`, times a factor, for a while."""
    kept = getattr(shrinking, name)
    setattr(shrinking, name, kept * factor)
    yield
    setattr(shrinking, name, kept)


def _cell(found: Floats) -> str:
    return "{:.3f} / {:.3f}".format(*found)


def table(seeds: int) -> None:
    """Print accuracy over epsilon."""
    print("| data, mode | epsilon | before | after | difference, points |\n| --- | --- | --- | --- | --- |")
    for name, numeric in SHOWN:
        problem = shipped(name, numeric)
        for epsilon in EPSILONS:
            found = scores(problem, epsilon, seeds, (BEFORE, AFTER))
            change, half = difference(found)
            changes = " / ".join(f"{100 * a:+.1f} ± {100 * b:.1f}" for a, b in zip(change, half, strict=True))
            before, after = (_cell(each.mean(axis=-1)) for each in found)
            print(f"| {problem.name} | {epsilon} | {before} | {after} | {changes} |", flush=True)
        print(f"| {problem.name} | no noise | {_cell(without_noise(problem))} | | |")


def sensitivity(seeds: int) -> None:
    """Print what each width does when it is four times as large, and a quarter."""
    cells = [(shipped(name, numeric), epsilon) for name, numeric, epsilon in SENSITIVE]
    print(f"| width | {' | '.join(f'{p.name}, {epsilon}' for p, epsilon in cells)} |")
    print("| --- |" + " --- |" * len(cells))
    rows = [("as it is", "COUNT_WIDTH", 1.0)]
    for name, factor in WIDTHS.items():
        rows += [(f"`{name}` × {factor}", name, float(factor)), (f"`{name}` / {factor}", name, 1 / factor)]
    for label, name, factor in rows:
        with width(name, factor):
            found = [_cell(scores(p, e, seeds, (AFTER,))[0].mean(axis=-1)) for p, e in cells]
        print(f"| {label} | {' | '.join(found)} |", flush=True)


def counted(part: float, seeds: int) -> None:
    """Print what it gains that the class count gets so large a part of what other queries get."""
    print(f"| data, mode | epsilon | even | count={part} | difference, points |")
    print("| --- | --- | --- | --- | --- |")
    for name, numeric in SHOWN:
        problem = shipped(name, numeric)
        if not any(block.partition for block in problem.schema.blocks):
            continue
        for epsilon in EPSILONS[1:5]:
            mechanisms = ("discrete_laplace", f"discrete_laplace(count={part})")
            found = np.concatenate([scores(problem, epsilon, seeds, (AFTER,), each) for each in mechanisms])
            change, half = difference(found)
            changes = " / ".join(f"{100 * a:+.1f} ± {100 * b:.1f}" for a, b in zip(change, half, strict=True))
            even, little = (_cell(each.mean(axis=-1)) for each in found)
            print(f"| {problem.name} | {epsilon} | {even} | {little} | {changes} |", flush=True)


def plot(folder: Path, seeds: int) -> None:
    """Draw `accuracy-over-epsilon.png` into a folder."""
    lines = []
    for name, numeric in SHOWN:
        problem = shipped(name, numeric)
        for epsilon in EPSILONS:
            found = scores(problem, epsilon, seeds, (BEFORE, AFTER)).mean(axis=-1)[:, 1].tolist()
            labels = ("before", "after", "no noise")
            for label, balanced in zip(labels, (*found, float(without_noise(problem)[1])), strict=True):
                lines.append((problem.name, float(epsilon), label, balanced))
    frame = pd.DataFrame(lines, columns=["data", "epsilon", "line", "balanced"])
    base = alt.Chart(frame).encode(
        x=alt.X("epsilon:Q", scale=alt.Scale(type="log")),
        y=alt.Y("balanced:Q", title="balanced accuracy"),
        color=alt.Color("line:N", sort=["before", "after", "no noise"]),
    )
    order = [shipped(name, numeric).name for name, numeric in SHOWN]
    panels = base.mark_line(point=True).properties(width=200, height=150)
    panels = panels.facet(alt.Facet("data:N", sort=order), columns=4)
    folder.mkdir(exist_ok=True)
    save(specification(styled(panels, fit=False)), folder, "accuracy-over-epsilon")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--widths", action="store_true")
    parser.add_argument("--count", type=float, metavar="PART")
    parser.add_argument("--plot", type=Path, metavar="FOLDER")
    chosen = parser.parse_args()
    if chosen.plot:
        plot(chosen.plot, chosen.seeds)
    elif chosen.count:
        counted(chosen.count, chosen.seeds)
    elif chosen.widths:
        sensitivity(chosen.seeds)
    else:
        table(chosen.seeds)


if __name__ == "__main__":
    main()
