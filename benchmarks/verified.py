"""What proofs cost and what they stop: the protocol `verified` on the statistics of Adult.

    python -m benchmarks.verified                        # everything below, 100 nodes, seed 7
    python -m benchmarks.verified --nodes 1000 --fuzz 0  # a whole round of a thousand nodes only

Processor time of one process, one thread; ratios matter, not seconds. Costs are those of one node's report
and of its verification by either aggregator, and of a whole run over the local engine in which every
message is encoded, decoded and checked. Fuzzing takes honest statistics of random records, breaks one
family of invariants at a time, and counts what the rules see and which forged proofs hold.
"""

import argparse
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from protocols.engines.local import LocalRun
from protocols.entropy import seeded
from protocols.grouping import one_group
from protocols.party import AGGREGATOR
from protocols.primitives.vdaf.field import FIELD64, FIELD128
from protocols.primitives.vdaf.prio3 import Prio3
from protocols.primitives.vdaf.validity import ValidVector
from protocols.ring import Capacity
from protocols.schemes.verified import ALGORITHM, Verified
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import estimate
from securenb.certify.certificate import certify_sums
from securenb.data.dataset import Dataset, load_dataset
from securenb.robust.bounds import breakdown_share
from securenb.schema.features import Categorical, Numeric
from securenb.schema.invariants import invariants
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

KEY, NONCE = bytes(32), bytes(16)


def best_of(action: Callable[[], Any], repeats: int = 5) -> tuple[float, Any]:
    """The least processor time of some repeats, and the last result."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        result = action()
        times.append(time.process_time() - begin)
    return min(times), result


def report_costs(name: str, data: Dataset, cap: int, seed: int) -> None:
    rules = invariants(data.schema, cap)
    compiling, circuit = best_of(lambda: ValidVector(rules, FIELD64), 1)
    prio3 = Prio3(ALGORITHM, circuit, 2, 3)
    vector = Statistics.of(data.schema, data.train[np.arange(cap)]).vector()
    entropy = seeded(seed)("node")(prio3.random_bytes)
    node, (public, shares) = best_of(lambda: prio3.shard(circuit.encode(vector), NONCE, entropy))
    leader, (_, first) = best_of(lambda: prio3.verify_init(KEY, 0, NONCE, public, shares[0]))
    helper, (_, second) = best_of(lambda: prio3.verify_init(KEY, 1, NONCE, public, shares[1]))
    deciding, _ = best_of(lambda: prio3.verifier_shares_to_message([first, second]))
    circuit128 = ValidVector(rules, FIELD128)
    wide = Prio3(ALGORITHM, circuit128, 2, 2)
    slow, _ = best_of(lambda: wide.shard(circuit128.encode(vector), NONCE, entropy), 2)
    upload = len(public) + sum(map(len, shares))
    print(
        f"{name}: {data.schema.length} coordinates, {circuit.length - data.schema.length} bits, "
        f"cap {cap}, 3 proofs of {circuit.proof_length} elements; compiled once in {compiling:.3f} s\n"
        f"  node {1e3 * node:.1f} ms, {upload / 1024:.1f} KiB up; leader {1e3 * (leader + deciding):.1f} ms, "
        f"helper {1e3 * helper:.1f} ms a node, {len(second):,} bytes to the leader\n"
        f"  two proofs over the 128-bit field, on Python's integers: node {slow / node:.0f} times as long"
    )


def report_round(data: Dataset, nodes: int, seed: int) -> None:
    cap = -(-len(data.train) // nodes)
    dealt = data.deal(nodes, seed=seed)
    vectors = {node.id: node.statistics(data.schema).vector() for node in dealt}
    protocol = Verified(validity=invariants(data.schema, cap))
    capacity = Capacity(data.schema.reach * cap, nodes)
    session = protocol.session(one_group(list(vectors)), data.schema.length, capacity, bytes(16))
    run = LocalRun(protocol.parties(vectors, session, seeded(seed)), protocol.codec(session), session)
    whole, opened = best_of(run.run, 1)
    assert np.array_equal(opened.rows[0], sum(vectors.values()))
    assert run.transcript.blames == []
    tallies, mean = run.transcript.tallies, run.transcript.mean
    print(
        f"a round of {nodes} nodes: a node {1e3 * mean('node', 'cpu'):.1f} ms, leader "
        f"{tallies[AGGREGATOR].cpu:.2f} s, helper {tallies['helper-1'].cpu:.2f} s, everything {whole:.2f} s; "
        f"a node sends {mean('node', 'sent') / 1024:.1f} KiB"
    )


def random_statistics(schema: Schema, records: int, rng: np.random.Generator) -> Statistics:
    codes = [rng.integers(0, feature.size, records) for feature in schema.features]
    labels = rng.integers(0, len(schema.classes), records)
    return Statistics.of(schema, Records(np.stack(codes, 1).astype(np.int32), labels.astype(np.int32)))


def violations(schema: Schema, cap: int, rng: np.random.Generator) -> Iterator[tuple[str, np.ndarray]]:
    """Statistics of one honest node, spoilt in one way after another."""
    table = random_statistics(schema, int(rng.integers(cap // 2, cap + 1)), rng).table
    row, by = int(rng.integers(len(schema.classes))), int(rng.integers(1, cap))
    numeric = [block for block in schema.blocks if block.kind == "sum"]
    levels = [block for block in schema.blocks if block.partition]
    chosen = levels[rng.integers(len(levels))]
    cell = int(rng.integers(chosen.start, chosen.stop))

    def spoilt(change: Callable[[np.ndarray], None]) -> np.ndarray:
        copy = table.copy()
        change(copy[row])
        return copy.reshape(-1)

    def scaled(line: np.ndarray) -> None:
        line *= by + 1 + cap // max(1, int(table[row, 0]))

    def negated(line: np.ndarray) -> None:
        line *= -1

    def inflated(line: np.ndarray) -> None:
        line[0] += by

    def moved(line: np.ndarray) -> None:
        line[cell] += by

    def borrowed(line: np.ndarray) -> None:
        other = chosen.start if cell != chosen.start else chosen.start + 1
        taken = line[cell] + by
        line[cell] -= taken
        line[other] += taken

    yield "scaled", spoilt(scaled)
    yield "negated", spoilt(negated)
    yield "class count inflated", spoilt(inflated)
    yield "level count inflated", spoilt(moved)
    yield "level count negative", spoilt(borrowed)
    if not numeric:
        return
    block = numeric[rng.integers(len(numeric))]
    feature = schema.features[block.feature]
    assert isinstance(feature, Numeric)
    s, q, n = block.start, block.start + 1, int(table[row, 0])

    def beyond(line: np.ndarray) -> None:
        line[s] = feature.reach * n + by

    def exploded(line: np.ndarray) -> None:
        line[q] = feature.square_reach * n + by

    def collapsed(line: np.ndarray) -> None:
        total = int(line[s]) + feature.offset * n
        least = -(-(total**2) // n) - by  # below s² / n
        line[q] = least - 2 * feature.offset * total + (feature.offset**2 - feature.square_offset) * n

    yield "sum beyond the bounds", spoilt(beyond)
    yield "variance exploded", spoilt(exploded)
    yield "variance collapsed", spoilt(collapsed)


def report_fuzz(name: str, data: Dataset, cap: int, count: int, proofs: int, seed: int) -> None:
    """`count` violations against the rules, `proofs` of them against whole proofs; as many honest nodes."""
    rules = invariants(data.schema, cap)
    circuit = ValidVector(rules, FIELD64)
    prio3 = Prio3(ALGORITHM, circuit, 2, 3)
    seen: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    held = proven = honest = honest_held = honest_proven = 0

    def holds(vector: np.ndarray, rng: np.random.Generator) -> bool:
        nonce = rng.bytes(16)
        public, shares = prio3.shard(circuit.encode(vector), nonce, rng.bytes(prio3.random_bytes))
        verifiers = [prio3.verify_init(KEY, at, nonce, public, share)[1] for at, share in enumerate(shares)]
        try:
            prio3.verifier_shares_to_message(verifiers)
        except ValueError:
            return False
        return True

    turn = 0
    while tried.total() < count:
        rng = np.random.default_rng([seed, turn])
        turn += 1
        for family, vector in violations(data.schema, cap, rng):
            tried[family] += 1
            seen[family] += bool(rules.broken(vector))
            if proven < proofs:
                proven += 1
                held += holds(vector, rng)
    for turn in range(count):
        rng = np.random.default_rng([seed + 1, turn])
        vector = random_statistics(data.schema, int(rng.integers(0, cap + 1)), rng).vector()
        honest += rules.broken(vector) == ()
        if honest_proven < proofs:
            honest_proven += 1
            honest_held += holds(vector, rng)
    print(f"{name}: violations seen by the rules, of those tried:")
    for family, number in tried.items():
        print(f"  {family:<24}{seen[family]:>6} of {number}")
    print(
        f"  all {seen.total()} of {tried.total()}; forged proofs that hold: {held} of {proven}\n"
        f"  honest nodes accepted by the rules: {honest} of {count}, "
        f"by proof: {honest_held} of {honest_proven}"
    )


def report_breakdown(name: str, data: Dataset, nodes: int, seed: int) -> None:
    """The fewest full label flips at the cap that push balanced accuracy below one half."""
    assert len(data.schema.classes) == 2
    dealt = [node.statistics(data.schema).table for node in data.deal(nodes, seed=seed)]
    mean = len(data.train) / nodes
    for share in (0.5, 1, 2, 3):
        rng = np.random.default_rng([seed, int(2 * share)])
        cap = int(share * mean)
        rules = invariants(data.schema, cap)
        flipped = []
        for _ in range(nodes):
            drawn = Statistics.of(data.schema, data.train[rng.integers(0, len(data.train), cap)])
            flipped.append(drawn.table[::-1])
            assert rules.broken(flipped[-1].reshape(-1)) == ()
        broken = next(
            count
            for count in range(1, nodes)
            if NaiveBayes(
                estimate(data.schema, np.sum(dealt[count:], axis=0) + np.sum(flipped[:count], axis=0))
            ).balanced_score(data.test)
            < 0.5
        )
        # caps are whole records, and so are nodes: the first number of them beyond φ* of this very cap
        predicted = math.floor(nodes * breakdown_share(cap / mean)) + 1
        print(
            f"{name}: seed {seed}, cap {cap} = {cap / mean:.3f} × the mean size, "
            f"breaks at {broken} of {nodes} nodes; predicted {predicted}"
        )


def report_certificates(name: str, data: Dataset, radii: list[int]) -> None:
    cap = -(-len(data.train) // 100)
    statistics = Statistics.of(data.schema, data.train)
    cost, found = best_of(lambda: certify_sums(statistics, data.test.codes, cap * max(radii)), 1)
    curve = found.accuracy(data.test.labels, cap, radii)
    print(
        f"{name}: certified accuracy, cap {cap} (mean size of 100 nodes), no noise, "
        f"{len(data.test):,} points, all radii in {cost:.2f} s\n  "
        + ", ".join(f"f={f} {share:.3f}" for f, share in zip(radii, curve, strict=True))
        + f"; exact for {100 * found.exact.mean():.1f} %"
    )


def categorical_only(data: Dataset) -> Dataset:
    kept = [i for i, feature in enumerate(data.schema.features) if isinstance(feature, Categorical)]
    return replace(
        data,
        schema=replace(data.schema, features=tuple(data.schema.features[i] for i in kept)),
        train=Records(data.train.codes[:, kept], data.train.labels),
        test=Records(data.test.codes[:, kept], data.test.labels),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--fuzz", type=int, default=10_000, help="violations, and honest nodes")
    parser.add_argument("--proofs", type=int, default=500, help="how many of them against whole proofs")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    adult, binned = load_dataset("adult"), load_dataset("adult", numeric="histogram")
    mushroom = load_dataset("mushroom")
    report_costs("Adult, Gaussian", adult, 325, given.seed)
    report_costs("Adult, histogram", binned, 325, given.seed)
    report_costs("Mushroom", mushroom, 80, given.seed)
    report_round(adult, given.nodes, given.seed)
    report_round(binned, given.nodes, given.seed)
    if given.fuzz:
        report_fuzz("Adult, Gaussian", adult, 325, given.fuzz, given.proofs, given.seed)
        report_fuzz("Adult, histogram", binned, 325, given.fuzz, given.proofs, given.seed)
    for seed in range(given.seed, given.seed + 5):
        report_breakdown("Adult, Gaussian", adult, 100, seed)
        report_breakdown("Mushroom", mushroom, 100, seed)
    radii = [0, 1, 2, 3, 4, 5, 7, 10, 15, 20]
    report_certificates("Mushroom", mushroom, radii)
    report_certificates("Adult, categorical features", categorical_only(adult), radii)
    report_certificates("Adult, histogram", binned, radii)
    report_certificates("Adult, Gaussian", adult, radii)


if __name__ == "__main__":
    main()
