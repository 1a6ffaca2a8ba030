"""Fuzzed messages over all protocols: no wrong sum, no false blame, no uncaught exception.

    python -m benchmarks.fuzz --messages 100000 --seed 7
    python -m benchmarks.fuzz --protocol secagg --messages 2000 --first 300

In each trial one party (a node, a trustee or the server) says something else than it should, with
probability one half for each of its words: a leaf of the message changed, the message cut, doubled, dropped
or replayed, or a frame that is none. All others are honest. A trial that fails prints its number.
"""

import argparse
import hashlib
from collections import Counter
from typing import Any, get_args

import msgspec
import numpy as np

from attacks.deviation import Cast, Deviation, Outcome, Role, judged
from attacks.sweeps.deviation_table import cast_of
from attacks.toolkit.messages import Raw, changed
from protocols.entropy import seeded
from protocols.party import Envelope
from protocols.protocol import PROTOCOLS
from protocols.wire import TAG_BYTES

TRUSTED: dict[str, tuple[Role, ...]] = {
    "plain": ("node",),
    "ideal": ("node", "trustee"),
    "ring": ("node",),
    "mixer": ("node", "trustee"),
    "paillier": ("trustee",),
    "verified": ("trustee",),
}
"""Whose lies may pass for a sum, as each protocol's page and the table of deviations say."""

MISBLAMING = {("verified", "trustee")}
"""Robustness of `verified` takes honest helpers: the leader blames nodes for what a helper did."""


class Fuzzed(Deviation):
    """One party whose words are changed at random."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__()
        self.kinds: list[str] = []
        self._rng = rng
        self._said: list[Envelope] = []

    def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
        """See `Deviation.says`."""
        self._said.append(envelope)
        if self._rng.random() < 0.5:
            return [envelope]
        self.kinds.append(type(envelope.body).__name__)
        match int(self._rng.integers(8)):
            case 0:
                return []
            case 1:
                return [envelope, envelope]
            case 2:
                earlier = self._said[int(self._rng.integers(len(self._said)))]
                return [changed(envelope, earlier.body)]
            case 3:
                frame = cast.codec.encode(envelope.sender, envelope.recipient, envelope.body)
                return [changed(envelope, Raw(self._damaged(frame)))]
            case _:
                return [changed(envelope, Raw(self._reworded(envelope, cast)))]

    def _reworded(self, envelope: Envelope, cast: Cast) -> bytes:
        """The frame of a message in which one leaf, or the shape, is another; its tag fits."""
        tree = msgspec.msgpack.decode(msgspec.msgpack.encode(envelope.body))
        raw = msgspec.msgpack.encode(self._other(tree))
        tag = hashlib.sha256(cast.session.digest + raw).digest()[:TAG_BYTES]
        frame = [tag, envelope.sender, envelope.recipient, msgspec.Raw(raw)]
        return msgspec.msgpack.encode(frame)

    def _other(self, value: Any) -> Any:
        rng = self._rng
        if isinstance(value, list) and value and rng.random() < 0.95:
            at = int(rng.integers(len(value)))
            return [*value[:at], self._other(value[at]), *value[at + 1 :]]
        match value:
            case bytes():
                return self._damaged(value)
            case int():
                choices = (0, -1, value + 1, value - 1, 2**62, -(2**63), int(rng.integers(100)))
                return choices[int(rng.integers(len(choices)))]
            case str():
                return ("", "node-1", "aggregator", value * 2, value[1:])[int(rng.integers(5))]
            case list():
                return (value[1:], value + value, [], None)[int(rng.integers(4))]
        return None

    def _damaged(self, data: bytes) -> bytes:
        rng = self._rng
        at = int(rng.integers(len(data) + 1))
        match int(rng.integers(6)):
            case 0:
                return data[:at]
            case 1:
                return data + rng.bytes(at)
            case 2:
                return rng.bytes(len(data))
            case 3:
                return bytes(len(data))
            case 4:
                return data[at:] + data[:at]
            case _:
                return (
                    data[:at]
                    + bytes([byte ^ 1 << int(rng.integers(8)) for byte in data[at : at + 1]])
                    + data[at + 1 :]
                )


def carriers(name: str) -> set[str]:
    """The kinds of messages of a node that depend on its vector: what it puts in is its own business."""
    said: list[list[tuple[str, Any]]] = []
    for value in (0, 1):
        cast = cast_of(name)
        me = cast.party_of("node")
        assert me is not None
        vectors = {node: np.full_like(vector, value) for node, vector in cast.vectors.items()}
        heard: list[tuple[str, Any]] = []

        class Listening(Deviation):
            def says(self, envelope: Envelope, cast: Cast) -> list[Envelope]:
                heard.append((type(envelope.body).__name__, envelope.body))  # noqa: B023
                return [envelope]

        judged(Listening(), "node", Cast(cast.protocol, cast.session, vectors, seeded(7)))
        said.append(heard)
    return {one[0] for one, other in zip(*said, strict=False) if one != other}


def trial(name: str, seed: int, number: int, carrying: set[str]) -> Counter[str]:
    """One run; raises `AssertionError` for a wrong sum or a false blame, and whatever escapes a party."""
    rng = np.random.default_rng([seed, *name.encode(), number])
    cast = cast_of(name, seed=number % 5)
    roles = [role for role in get_args(Role) if role != "trustee" or cast.session.trustees]
    role = roles[number % len(roles)]
    fuzzed = Fuzzed(rng)
    verdict = judged(fuzzed, role, cast)
    total = Counter({"runs": 1, "messages": len(fuzzed.kinds)})
    if verdict is None:
        return total
    where = (name, role, number, fuzzed.kinds, verdict.outcome)
    if (name, role) not in MISBLAMING:
        assert not verdict.misblamed, (*where, verdict.misblamed)
    own_business = role == "node" and carrying & set(fuzzed.kinds)
    # a server that lies may fool itself about a sum; what it may not get is tested by scripts
    if role != "aggregator" and not own_business and role not in TRUSTED.get(name, ()):
        assert verdict.outcome is not Outcome.NOT_COVERED, where
    return total + Counter({str(verdict.outcome): 1})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--protocol", choices=list(PROTOCOLS))
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    names = [options.protocol] if options.protocol else list(PROTOCOLS)
    everything: Counter[str] = Counter()
    for name in names:
        carrying, total, number = carriers(name), Counter[str](), options.first
        while total["messages"] * len(names) < options.messages:
            total += trial(name, options.seed, number, carrying)
            number += 1
        rest = ", ".join(
            f"{count} {what}" for what, count in total.items() if what not in ("runs", "messages")
        )
        print(f"{name:<20} {total['messages']:>7,} messages in {total['runs']:,} runs: {rest}", flush=True)
        everything += total
    print(f"{everything['messages']:,} messages, {everything['runs']:,} runs: no wrong sum, no false blame")


if __name__ == "__main__":
    main()
