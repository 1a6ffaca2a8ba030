"""What an adversary who knows every node but one concludes about that one, by protocol and epsilon.

    python -m benchmarks.inferences

Prints a Markdown table: the share of right conclusions with its 95 % bootstrap interval, and the share that
is right without having seen anything. Ten nodes, one group.
"""

import argparse

from attacks.inference import INFERENCES
from protocols.protocol import PROTOCOLS
from securenb.data.dataset import load_dataset
from securenb.federation.federation import Federation
from securenb.privacy.mechanism import Mechanism
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.none import NoNoise
from securenb.robust.rules.sum import Sum

NODES = 10


def noise(epsilon: str) -> Mechanism:
    """The mechanism of a column."""
    return NoNoise() if epsilon == "none" else DiscreteLaplace.from_epsilon(epsilon)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", default="adult")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    choices = parser.parse_args()
    data = load_dataset(choices.dataset)
    # few records a node: many would hide each other
    nodes = [type(node)(node.id, node.records[:50]) for node in data.deal(NODES, seed=choices.seed)]
    epsilons = ("none", "10", "1")
    print(f"| inference, protocol | {' | '.join(f'epsilon {e}' for e in epsilons)} | unseen |")
    print("| --- |" + " --- |" * (len(epsilons) + 1))
    for name in INFERENCES:
        for protocol in ("plain", "secagg"):
            cells, lucky = [], 0.0
            for epsilon in epsilons:
                federation = Federation(data.schema, PROTOCOLS[protocol](), noise(epsilon), Sum())
                found = INFERENCES[name]().measure(
                    federation, nodes, trials=choices.trials, seed=choices.seed
                )
                cells.append(f"{found.right:.2f} ({found.low:.2f} to {found.high:.2f})")
                lucky = found.lucky
            print(f"| {name}, {protocol} | {' | '.join(cells)} | {lucky:.2f} |")


if __name__ == "__main__":
    main()
