"""What the protocol `threshold_paillier` costs beside `paillier`, in units of one r^n mod n².

    python -m benchmarks.threshold_paillier
    python -m benchmarks.threshold_paillier --bits 2048 --length 300 --nodes 30 --seed 7

Processor time of one process: first each operation, then a whole run over the local engine.
"""

import argparse
import time
from collections.abc import Callable

import gmpy2
import numpy as np
from gmpy2 import mpz

from protocols.engines.local import LocalRun
from protocols.entropy import Entropy, seeded
from protocols.grouping import one_group
from protocols.party import AGGREGATOR
from protocols.primitives.paillier import PublicKey, encrypt, generate, random_unit
from protocols.primitives.plaintext_knowledge import (
    proof_bytes,
    prove_knowledge,
    verify_knowledge,
    verifying_power,
)
from protocols.primitives.randomisers import short_exponents, short_powers, short_randomisers
from protocols.primitives.shared_decryption import combine, deal, partial_decryptions, prove, verify
from protocols.ring import Capacity
from protocols.schemes._paillier.dealer import DEALER
from protocols.schemes.threshold_paillier import ThresholdPaillier

CAPACITY = Capacity(bound=1 << 36, nodes=10_000)

COMMITTEES = [(3, 2), (4, 3), (20, 11)]


def seconds(action: Callable[[], object], times: int = 3) -> float:
    """Processor time of one call, the least of several."""
    least = float("inf")
    for _ in range(times):
        begin = time.process_time()
        action()
        least = min(least, time.process_time() - begin)
    return least


def shared(bits: int, count: int, holders: int, quorum: int, seed: int) -> None:
    """Opening `count` ciphertexts together."""
    entropy = seeded(seed)("dealer")
    key, shares = deal(bits, holders, quorum, entropy)
    plaintexts = [mpz(index) for index in range(count)]
    sealed = encrypt(key.public, plaintexts, short_randomisers(key.public, count, entropy))
    partials = [partial_decryptions(key, share, sealed) for share in shares[:quorum]]
    proof = prove(key, 0, shares[0], sealed, partials[0], b"", entropy)
    assert verify(key, 0, sealed, partials[0], b"", proof)
    assert combine(key, dict(enumerate(partials))) == plaintexts
    unit = power_cost(key.public, entropy)
    print(f"\n{bits} bits, {quorum} of {holders} holders; r^n = {1e3 * unit:.1f} ms")
    one = seconds(lambda: partial_decryptions(key, shares[0], sealed)) / count
    line("partial decryption, each", one, unit)
    proving = seconds(lambda: prove(key, 0, shares[0], sealed, partials[0], b"", entropy))
    line(f"proving {count} of them", proving, unit)
    line(f"verifying {count} of them", seconds(lambda: verify(key, 0, sealed, partials[0], b"", proof)), unit)
    line("combining, each", seconds(lambda: combine(key, dict(enumerate(partials)))) / count, unit)


def knowledge(bits: int, count: int, seed: int) -> None:
    """Proving that one knows what `count` ciphertexts hold."""
    entropy = seeded(seed)("node")
    key, _ = generate(bits, entropy)
    exponents = short_exponents(key, count, entropy)
    plaintexts = [mpz(index) for index in range(count)]
    sealed = encrypt(key, plaintexts, short_powers(key, exponents))
    proof = prove_knowledge(key, sealed, plaintexts, exponents, b"", entropy)
    power = verifying_power(key, count, 100)
    assert verify_knowledge(key, sealed, b"", proof, power)
    unit = power_cost(key, entropy)
    print(f"\n{bits} bits, knowledge of {count} plaintexts: {proof_bytes(key, count)} bytes")
    proving = seconds(lambda: prove_knowledge(key, sealed, plaintexts, exponents, b"", entropy))
    line("proving", proving, unit)
    line("verifying, one of 100", seconds(lambda: verify_knowledge(key, sealed, b"", proof, power)), unit)


def power_cost(key: PublicKey, entropy: Entropy) -> float:
    root = random_unit(key.n, entropy)
    return seconds(lambda: gmpy2.powmod(root, key.n, key.n_squared))


def line(name: str, cost: float, unit: float) -> None:
    print(f"  {name:<26}{1e3 * cost:9.2f} ms {cost / unit:7.2f} r^n")


def whole_run(bits: int, length: int, nodes: int, seed: int) -> None:
    names = [f"node-{i}" for i in range(nodes)]
    rng, bound = np.random.default_rng(seed), CAPACITY.bound
    vectors = {name: rng.integers(-bound, bound, length, endpoint=True) for name in names}
    protocol = ThresholdPaillier(bits=bits)
    session = protocol.session(one_group(names), length, CAPACITY, bytes(16))
    run = LocalRun(protocol.parties(vectors, session, seeded(seed)), protocol.codec(session), session)
    assert np.array_equal(run.run().rows[0], sum(vectors.values()))
    tallies = run.transcript.tallies
    holder = tallies["holder-0"]
    print(f"\na run: {bits} bits, d = {length:,}, n = {nodes:,}, {protocol.quorum} of {protocol.holders}")
    up, down = run.transcript.mean("node", "sent") / length, holder.received / length / nodes
    print(f"  node       {run.transcript.mean('node', 'cpu'):8.3f} s, upload {up:.2f} bytes a value")
    print(f"  aggregator {tallies[AGGREGATOR].cpu:8.3f} s")
    print(f"  holder     {holder.cpu:8.3f} s, download {down:.2f} bytes a value and node")
    print(f"  dealer     {tallies[DEALER].cpu:8.3f} s, the key included")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bits", type=int, nargs="+", default=[2048, 3072])
    parser.add_argument("--length", type=int, default=1000)
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    for bits in given.bits:
        for holders, quorum in COMMITTEES:
            shared(bits, 18, holders, quorum, given.seed)
        knowledge(bits, 18, given.seed)
        whole_run(bits, given.length, given.nodes, given.seed)


if __name__ == "__main__":
    main()
