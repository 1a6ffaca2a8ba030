"""Whether a node costs the same however many there are: `oneshot`, streamed, 240 coordinates.

    python -m benchmarks.scale                    # 1,000 against 10,000 nodes, in turn: about two minutes
    python -m benchmarks.scale --most 30000

Processor time of the whole run, all parties and encoding, divided by the nodes. Exits 1 if a node costs more
than 1.2 times as much among many as among a thousand. `securenb scale --streamed` gives every figure apart.
"""

import argparse
import resource
import sys
from statistics import median

from protocols.protocol import PROTOCOLS
from securenb.experiments.scale import scale

FEW, LENGTH, MOST_RATIO = 1000, 240, 1.2


def per_node(name: str, nodes: int, seed: int) -> float:
    """Milliseconds of processor time."""
    table = scale(name, PROTOCOLS.build(name), [nodes], LENGTH, seed, streamed=True)
    return float(1e3 * table["process_cpu"][0] / nodes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--protocol", default="oneshot")
    parser.add_argument("--most", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    per_node(options.protocol, 50, options.seed)
    few, many = [], []
    for trial in range(options.repeats):
        few.append(per_node(options.protocol, FEW, options.seed + trial))
        many.append(per_node(options.protocol, options.most, options.seed + trial))
        few.append(per_node(options.protocol, FEW, options.seed + trial))
    ratio = median(many) / median(few)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{options.protocol}: {median(few):.2f} ms a node of {FEW:,} ({min(few):.2f} to {max(few):.2f})")
    print(f"{median(many):.2f} ms a node of {options.most:,} ({min(many):.2f} to {max(many):.2f})")
    print(f"ratio {ratio:.2f} (at most {MOST_RATIO}); {memory:,.0f} MB at most")
    return int(ratio > MOST_RATIO)


if __name__ == "__main__":
    sys.exit(main())
