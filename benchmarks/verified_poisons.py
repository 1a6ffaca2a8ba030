"""What poisons can do to a verified sum: every poison of the catalogue, brought within the invariants.

    python -m benchmarks.verified_poisons                # Adult and Mushroom, 100 nodes, 5 seeds, epsilon 1
    python -m benchmarks.verified_poisons --seeds 1 --epsilon 10
    python -m benchmarks.verified_poisons --rule calibrated_sum --poisons worst_records,adaptive --seeds 2

Balanced accuracy, mean over seeds. Sums are exact, so nothing is encrypted here: honest tables are added to
forged ones that the rules accept, and each of two aggregators adds a dose. The cap is the mean size of a
node. Backdoors are judged by their success, which is another question, and are left out; what is malformed
is refused at the door.
"""

import argparse
from fractions import Fraction

import numpy as np

from attacks.poison import POISONS, Knowledge, choose_poison
from securenb.bayes.model import NaiveBayes
from securenb.data.dataset import Dataset, load_dataset
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.samplers import FastNoise
from securenb.robust.rule import Rows
from securenb.robust.spec import choose_rule
from securenb.schema.invariants import invariants

AGGREGATORS = 2
SHARES = (0.1, 0.2, 0.3, 0.45)
PUBLIC = 100
"""Public records, for rules that need some."""


def measured(
    data: Dataset, nodes: int, epsilon: Fraction, seed: int, name_of_rule: str, poisons: list[str]
) -> dict[str, list[float]]:
    """Balanced accuracy without malicious nodes, and under each poison at each share of them."""
    rng = np.random.default_rng([seed, nodes])
    schema, mechanism = data.schema, DiscreteLaplace(epsilon)
    tables = np.array([node.statistics(schema).table for node in data.deal(nodes, seed=seed)])
    cap = -(-len(data.train) // nodes)
    rules = invariants(schema, cap)
    public = np.random.default_rng([seed, 1]).permutation(len(data.train))[:PUBLIC]
    rule = choose_rule(name_of_rule, reference=data.train[np.sort(public)])

    def score(total: np.ndarray, doses: int) -> float:
        for _ in range(doses):
            total = total + mechanism.share(schema, 1, FastNoise(rng)).reshape(total.shape)
        rows = Rows(schema, total[None], np.array([nodes]))
        return NaiveBayes(rule.combine(rows)).balanced_score(data.test)

    whole = tables.sum(axis=0)
    results = {"none, one dose": [score(whole, 1)], "none, two doses": [score(whole, AGGREGATORS)]}
    for name in poisons:
        if POISONS[name].aim in ("backdoor", "denial"):
            continue
        raw, refused = choose_poison(name), 0
        scores = []
        for share in SHARES:
            malicious = round(share * nodes)
            known = Knowledge(schema, tables[:malicious], tables[malicious:], rule, nodes, cap)
            inside = choose_poison(f"{name}:inside").sent(known, rng)
            assert all(rules.broken(table.reshape(-1)) == () for table in inside)
            refused += sum(bool(rules.broken(table.reshape(-1))) for table in raw.sent(known, rng))
            scores.append(score(tables[malicious:].sum(axis=0) + np.sum(inside, axis=0), AGGREGATORS))
        results[name] = [*scores, refused / sum(round(share * nodes) for share in SHARES)]
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epsilon", type=Fraction, default=Fraction(1))
    parser.add_argument("--rule", default="verified_sum")
    parser.add_argument("--poisons", default=",".join(POISONS), help="separated by commas")
    given = parser.parse_args()
    for name, numeric in (("adult", "gaussian"), ("adult", "histogram"), ("mushroom", "gaussian")):
        data = load_dataset(name, numeric=numeric)  # type: ignore[arg-type]
        runs = [
            measured(data, given.nodes, given.epsilon, seed, given.rule, given.poisons.split(","))
            for seed in range(given.seeds)
        ]
        shown = ", ".join(f"{100 * s:.0f} %" for s in SHARES)
        print(f"{name}, {numeric}, {given.rule}: balanced accuracy at {shown}")
        for poison in runs[0]:
            means = np.mean([run[poison] for run in runs], axis=0)
            refused = f"   raw: {100 * means[-1]:.0f} % refused" if len(means) > 1 else ""
            print(f"  {poison:<20}" + " ".join(f"{mean:.3f}" for mean in means[: len(SHARES)]) + refused)


if __name__ == "__main__":
    main()
