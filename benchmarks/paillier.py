"""The protocol `paillier` against phe's EncryptedNumber, one number a value, on the same job.

    python -m benchmarks.paillier                       # 2048 and 3072 bits, d = 10 000, n = 100
    python -m benchmarks.paillier --bits 2048 --length 1000 --nodes 10 --seed 7

Processor time of one process. Our side is one whole run over the local engine, every message encoded,
decoded and checked. The naive side (phe with gmpy2, integers as EncryptedNumber) would take hours: it is
its cost for each operation, the mean over a sample, times the number of operations that the job needs.
Making the key is on neither side of a ratio; it is printed on its own.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import phe
from phe.util import HAVE_GMP

from protocols.engines.local import LocalRun
from protocols.entropy import seeded
from protocols.grouping import one_group
from protocols.party import AGGREGATOR
from protocols.primitives.packing import Slots
from protocols.primitives.paillier import ciphertexts_to_bytes, encrypt, generate
from protocols.primitives.powers import cheapest_table
from protocols.primitives.randomisers import Pool, short_randomisers, uniform_randomisers
from protocols.ring import Capacity
from protocols.schemes.paillier import KEY_HOLDER, Paillier

CAPACITY = Capacity(bound=1 << 36, nodes=10_000)
"""Values of ±2^20 with 16 fraction bits, summed over up to 10^4 nodes: slots of 52 bits."""


def seconds(action: Callable[[], object]) -> float:
    begin = time.process_time()
    action()
    return time.process_time() - begin


@dataclass
class Naive:
    """Seconds for each operation of phe, and what a job costs."""

    encrypt: float
    add: float
    decrypt: float

    @classmethod
    def measured(cls, bits: int, sample: int) -> "Naive":
        assert HAVE_GMP
        public, private = phe.generate_paillier_keypair(n_length=bits)
        numbers = [public.encrypt(value) for value in range(sample)]
        total = numbers[0]

        def add_all() -> None:
            nonlocal total
            for _ in range(20):
                for number in numbers:
                    total = total + number

        return cls(
            encrypt=seconds(lambda: [public.encrypt(value) for value in range(sample)]) / sample,
            add=seconds(add_all) / (20 * sample),
            decrypt=seconds(lambda: [private.decrypt(number) for number in numbers]) / sample,
        )

    def job(self, length: int, nodes: int) -> float:
        return length * (nodes * self.encrypt + (nodes - 1) * self.add + self.decrypt)


@dataclass
class Ours:
    """Seconds of one node, of the aggregator, of the key holder without and for its key; bytes a value."""

    node: float
    aggregator: float
    holder: float
    key: float
    value_bytes: float

    @classmethod
    def measured(cls, bits: int, length: int, nodes: int, seed: int) -> "Ours":
        names = [f"node-{i}" for i in range(nodes)]
        rng, bound = np.random.default_rng(seed), CAPACITY.bound
        vectors = {name: rng.integers(-bound, bound, length, endpoint=True) for name in names}
        protocol = Paillier(bits=bits)
        session = protocol.session(one_group(names), length, CAPACITY, bytes(16))
        parties = {}
        packing = seconds(lambda: parties.update(protocol.parties(vectors, session, seeded(seed))))
        holder = parties[KEY_HOLDER]
        first = []
        key = seconds(lambda: first.extend(holder.start()))
        holder.start = lambda: first
        run = LocalRun(parties, protocol.codec(session), session)
        opened = run.run()
        assert np.array_equal(opened.rows[0], sum(vectors.values()))
        return cls(
            node=run.transcript.mean("node", "cpu") + packing / nodes,
            aggregator=run.transcript.tallies[AGGREGATOR].cpu,
            holder=run.transcript.tallies[KEY_HOLDER].cpu,
            key=key,
            value_bytes=run.transcript.mean("node", "sent") / length,
        )

    def job(self, nodes: int) -> float:
        return nodes * self.node + self.aggregator + self.holder


def report(bits: int, length: int, nodes: int, sample: int, seed: int) -> None:
    print(f"\n{bits} bits, d = {length:,}, n = {nodes:,}")
    naive = Naive.measured(bits, sample)
    ours = Ours.measured(bits, length, nodes, seed)
    rows = [
        ("node", length * naive.encrypt, ours.node),
        ("aggregator", length * (nodes - 1) * naive.add, ours.aggregator),
        ("key holder", length * naive.decrypt, ours.holder),
        ("whole job", naive.job(length, nodes), ours.job(nodes)),
    ]
    print(f"  {'':<12}{'naive':>12}{'ours':>12}{'ratio':>9}")
    for name, theirs, mine in rows:
        print(f"  {name:<12}{theirs:>10.2f} s{mine:>10.4f} s{theirs / mine:>8.0f}×")
    print(
        f"  naive, each: encrypt {1e3 * naive.encrypt:.2f} ms, add {1e6 * naive.add:.1f} µs, "
        f"decrypt {1e3 * naive.decrypt:.2f} ms"
    )
    print(f"  upload {ours.value_bytes:.2f} bytes a value (naive: {bits // 4} raw); key {ours.key:.1f} s")


def report_randomisers(bits: int, length: int, seed: int) -> None:
    """What one node pays online with a pool, and when a table of powers pays."""
    entropy = seeded(seed)("node")
    key, _ = generate(bits, entropy)
    slots = Slots(length, CAPACITY, bits)
    vector = np.random.default_rng(seed).integers(-CAPACITY.bound, CAPACITY.bound, length, endpoint=True)
    few = uniform_randomisers(key, 4, entropy)
    uniform = seconds(lambda: uniform_randomisers(key, 8, entropy)) / 8
    pool = Pool(few * -(-slots.plaintexts // 4))  # repeats only save the benchmark's time
    online = seconds(
        lambda: ciphertexts_to_bytes(key, encrypt(key, slots.pack(vector), pool.take(slots.plaintexts)))
    )
    print(
        f"  pool of uniform randomisers: offline {1e3 * uniform:.1f} ms a ciphertext, "
        f"online {1e6 * online / length:.2f} µs a value"
    )
    print("  short randomisers, table included, each:")
    for count in (1, 2, 3, 8, 26, slots.plaintexts):
        each = seconds(lambda: short_randomisers(key, count, entropy)) / count  # noqa: B023
        print(
            f"    {count:>4} ciphertexts, table {cheapest_table(bits // 2, count)!s:<8} "
            f"{1e3 * each:7.2f} ms, {uniform / each:5.1f}× faster than uniform"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bits", type=int, nargs="+", default=[2048, 3072])
    parser.add_argument("--length", type=int, default=10_000)
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--sample", type=int, default=100, help="operations of phe that are timed")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    for bits in given.bits:
        report(bits, given.length, given.nodes, given.sample, given.seed)
        report_randomisers(bits, given.length, given.seed)


if __name__ == "__main__":
    main()
