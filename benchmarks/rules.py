"""Robust rules beside ByzFL, krum and Flower: processor time on one thread, as ratios, and memory.

    python -m benchmarks.rules --byzfl PYTHON --krum PYTHON --flower PYTHON

Each option is the Python of an environment that has the package (`pip install byzfl`, `krum`, `flwr`); a
package without one is said to be missing. Peers run in processes of their own, on the same data, and
nothing of theirs is imported here. Times are the best of `--repeat` runs.
"""

import argparse
import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)

HARNESS = """
import json, sys, time
import numpy as np
rule, n, d, f, repeat = sys.argv[1], *map(int, sys.argv[2:])
points = np.random.default_rng(1).normal(size=(n, d))
{body}
best = float("inf")
for _ in range(repeat):
    begin = time.process_time()
    result = call()
    best = min(best, time.process_time() - begin)
print(json.dumps(best))
"""

OURS = """
from securenb.robust.columns import medians, trimmed_means
from securenb.robust.preaggregations.nnm import nearest_neighbour_mixing
from securenb.robust.rules.bulyan import bulyan
from securenb.robust.rules.krum import krum
call = {
    "krum": lambda: krum(points, f),
    "bulyan": lambda: bulyan(points, f),
    "median": lambda: medians(points),
    "trimmed_mean": lambda: trimmed_means(points, f),
    "nnm": lambda: nearest_neighbour_mixing(points, f),
}[rule]
"""

BYZFL = """
import byzfl
peer = {"krum": lambda: byzfl.Krum(f), "median": byzfl.Median, "trimmed_mean": lambda: byzfl.TrMean(f),
        "nnm": lambda: byzfl.NNM(f)}[rule]()
call = lambda: peer(points)
"""

KRUM = """
import torch
from importlib import import_module
torch.set_num_threads(1)
gradients = torch.from_numpy(points)
peer = {"krum": "Krum", "bulyan": "Bulyan", "median": "Median", "trimmed_mean": "TrimmedMean"}[rule]
aggregate = getattr(import_module("krum.primitives.aggregators." + rule), peer).aggregate
call = lambda: aggregate(gradients, n=n, f=f)
"""

FLOWER = """
from flwr.server.strategy import aggregate as flower
results = [([row], 1) for row in points]
call = {"krum": lambda: flower.aggregate_krum(results, f, 0),
        "bulyan": lambda: flower.aggregate_bulyan(list(results), f, flower.aggregate_krum, to_keep=0),
        "median": lambda: flower.aggregate_median(results),
        "trimmed_mean": lambda: flower.aggregate_trimmed_avg(results, f / n)}[rule]
"""

PEERS = {"byzfl": BYZFL, "krum": KRUM, "flower": FLOWER}

JOBS = [
    ("krum", 100, 10_000, 20), ("krum", 1_000, 10_000, 200),
    ("bulyan", 100, 10_000, 20), ("bulyan", 1_000, 100, 200),
    ("median", 100, 10_000, 20), ("median", 1_000, 10_000, 200),
    ("trimmed_mean", 100, 10_000, 20), ("trimmed_mean", 1_000, 10_000, 200),
    ("nnm", 100, 10_000, 20), ("nnm", 1_000, 10_000, 200),
]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in PEERS:
        parser.add_argument(f"--{name}", metavar="PYTHON")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--patience", type=float, default=90, help="seconds of wall time a run may take")
    options = vars(parser.parse_args())
    for name in PEERS:
        if options[name] is None:
            print(f"{name}: not available, give --{name} PYTHON")
    print("\n| rule | n × d | f | ours | " + " | ".join(PEERS) + " |")
    print("| --- | --- | --- | --- |" + " --- |" * len(PEERS))
    for rule, n, d, f in JOBS:
        arguments = [rule, *map(str, (n, d, f, options["repeat"]))]
        ours = timed(sys.executable, OURS, arguments, options["patience"])
        assert isinstance(ours, float), ours
        cells = [rule, f"{n} × {d}", str(f), shown(ours)]
        for name, body in PEERS.items():
            found = "–"
            if options[name] and f'"{rule}"' in body:
                theirs = timed(options[name], body, arguments, options["patience"])
                found = theirs if isinstance(theirs, str) else f"{shown(theirs)} = {theirs / ours:.1f} ×"
            cells.append(found)
        print(f"| {' | '.join(cells)} |", flush=True)
    peak, floats = mixing_memory(1_000, 10_000, 200)
    print(f"\nnnm 1000 × 10000: peak {peak / 8e6:.1f} M floats, input included = {peak / floats / 8:.2f} n·d")


def timed(python: str, body: str, arguments: list[str], patience: float) -> float | str:
    """Seconds of processor time, or why there are none."""
    code = HARNESS.format(body=body)
    own = {"PYTHONPATH": str(Path(__file__).resolve().parent.parent)} if python == sys.executable else {}
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | ONE_THREAD | own
    try:
        run = subprocess.run(
            [python, "-W", "ignore", "-c", code, *arguments],
            capture_output=True, text=True, timeout=patience, env=environment, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"> {patience:.0f} s"
    except OSError as error:
        return f"not available: {error.strerror}"
    if run.returncode:
        return (
            run.stderr.strip().splitlines()[-1][:60] if run.stderr.strip() else f"exit code {run.returncode}"
        )
    return float(json.loads(run.stdout.splitlines()[-1]))


def mixing_memory(n: int, d: int, f: int) -> tuple[int, int]:
    """Peak bytes of nearest-neighbour mixing, the input included, and the floats of the input."""
    import numpy as np

    from securenb.robust.preaggregations.nnm import nearest_neighbour_mixing

    tracemalloc.start()
    points = np.random.default_rng(1).normal(size=(n, d))
    tracemalloc.reset_peak()
    nearest_neighbour_mixing(points, f)
    return tracemalloc.get_traced_memory()[1], n * d


def shown(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1e3 * seconds:.1f} ms"


if __name__ == "__main__":
    main()
