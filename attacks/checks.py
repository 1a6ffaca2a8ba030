"""The contracts of a poison, a deviation and an inference as checks, for any."""

import dataclasses
import inspect

import numpy as np

from attacks.deviation import Deviation, judged
from attacks.inference import Attempt, Inference
from attacks.poison import Knowledge, Poison
from protocols.contract import Promise, check_all, expect
from protocols.protocol import PROTOCOLS
from protocols.ring import Capacity
from securenb.data.dataset import load_dataset
from securenb.data.node import Node
from securenb.federation.admission import admit
from securenb.federation.federation import Federation
from securenb.federation.noise_plan import StreamSources, WholeDoses
from securenb.privacy.mechanisms.none import NoNoise
from securenb.privacy.spec import choose_mechanism
from securenb.randomness import Streams
from securenb.robust.rules.sum import Sum
from securenb.robust.spec import choose_rule
from securenb.schema.features import Categorical, Numeric
from securenb.schema.invariants import invariants
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

SCHEMA = Schema(
    ("a", "b", "c"), (Categorical("c", ("x", "y", "z")), Numeric("n", 0, 1), Categorical("d", ("u", "v")))
)
RECORDS = 60
AIMS = ("accuracy", "target", "backdoor", "denial")


def records_of(seed: int, count: int = RECORDS) -> Records:
    """Records of three classes."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, count).astype(np.int32)
    values = np.clip(rng.normal(20 + 10 * labels, 5), 0, 64)
    codes = np.column_stack([(labels + rng.integers(0, 2, count)) % 3, values, labels % 2])
    return Records(codes.astype(np.int32), labels)


def known(seed: int = 1, nodes: int = 12, malicious: int = 3, rule: str = "median") -> Knowledge:
    """What three of twelve nodes know."""
    tables = np.array([Statistics.of(SCHEMA, records_of(100 * seed + i)).table for i in range(nodes)])
    return Knowledge(SCHEMA, tables[:malicious], tables[malicious:], choose_rule(rule), 1, RECORDS)


def _rng() -> np.random.Generator:
    return np.random.default_rng(7)


def sends_one_table_a_node(poison: Poison) -> None:
    """Every malicious node sends something, the same for the same randomness; what is known stays."""
    knowledge = known()
    before = knowledge.own.copy(), knowledge.others.copy()
    first, second = poison.sent(knowledge, _rng()), poison.sent(known(), _rng())
    expect(len(first) == len(knowledge.own), f"{len(first)} tables from {len(knowledge.own)} nodes")
    same = all(_equal(a, b) for a, b in zip(first, second, strict=True))
    expect(same, "the same randomness sends something else the second time")
    kept = np.array_equal(before[0], knowledge.own) and np.array_equal(before[1], knowledge.others)
    expect(kept, "it changes the tables that it knows")


def stays_inside_when_told(poison: Poison) -> None:
    """Inside the invariants, no check of one node's statistics can refuse it."""
    for seed in range(3):
        knowledge = known(seed)
        rules = invariants(SCHEMA, knowledge.cap)
        for table in dataclasses.replace(poison, inside=True).sent(knowledge, _rng()):
            broken = rules.broken(table.reshape(-1))
            expect(broken == (), f"told to stay inside it breaks {broken}")


def has_the_nodes_it_was_given(poison: Poison) -> None:
    """It turns its own nodes into others, one table each, and leaves honest ones as they are."""
    nodes = [Node(f"node-{i}", records_of(i)) for i in range(6)]
    before = [(node.records.codes.copy(), node.records.labels.copy()) for node in nodes]
    result = poison.nodes(nodes, [1, 4], SCHEMA, Sum(), _rng(), cap=RECORDS)
    expect(len(result) == len(nodes), f"{len(result)} nodes take part of {len(nodes)}")
    changed = [at for at, (old, new) in enumerate(zip(nodes, result, strict=True)) if new is not old]
    expect(set(changed) <= {1, 4}, f"nodes {changed} are other ones; its own are [1, 4]")
    kept = all(
        np.array_equal(codes, node.records.codes) and np.array_equal(labels, node.records.labels)
        for (codes, labels), node in zip(before, nodes, strict=True)
    )
    expect(kept, "it changes the records of nodes")


def claims_no_more_than_the_cap_when_inside(poison: Poison) -> None:
    """Inside the invariants a round with proven inputs accepts every node of it, whatever the cap."""
    for cap in (1, 7, 5000):
        knowledge = dataclasses.replace(known(rule="sum"), cap=cap)
        rules = invariants(SCHEMA, cap)
        for table in dataclasses.replace(poison, inside=True).sent(knowledge, _rng()):
            expect(table.dtype == np.int64, f"it sends {table.dtype}, where proofs are about integers")
            broken = rules.broken(table.reshape(-1))
            expect(broken == (), f"with a cap of {cap} it breaks {broken}")


def hears_no_draw_of_the_noise(poison: Poison) -> None:
    """It sends the same whatever noise the round draws: the law is known, draws are not."""
    sent = []
    for seed in (1, 2):
        sources = StreamSources(Streams(seed))
        plan = WholeDoses(choose_mechanism("discrete_laplace", "1", None), SCHEMA, 2, sources)
        knowledge = dataclasses.replace(known(rule="sum"), noise=plan, group_size=12)
        sent.append(dataclasses.replace(poison, inside=True).sent(knowledge, _rng()))
    same = all(_equal(a, b) for a, b in zip(*sent, strict=True))
    expect(same, "what it sends depends on the draws of the noise")


def knows_nothing_when_told(poison: Poison) -> None:
    """Blind, what any node holds changes nothing, its own included."""
    some, other = known(1), known(2)
    blind = dataclasses.replace(poison, blind=True)
    for a, b in zip(blind.sent(some, _rng()), blind.sent(other, _rng()), strict=True):
        expect(_equal(a, b), "told to be blind it sends something else when nodes hold other records")


def knows_only_its_own_when_told(poison: Poison) -> None:
    """With local knowledge, what the honest nodes hold changes nothing."""
    some, other = known(1), known(2)
    mixed = dataclasses.replace(some, others=other.others)
    local = dataclasses.replace(poison, local=True)
    for a, b in zip(local.sent(some, _rng()), local.sent(mixed, _rng()), strict=True):
        expect(_equal(a, b), "told to be local it sends something else when other nodes hold other records")


def is_what_its_aim_says(poison: Poison) -> None:
    """Its aim is one of four: what `denial` sends may be refused, and what targets want can be measured."""
    expect(poison.aim in AIMS, f"the aim {poison.aim!r} is none of {', '.join(AIMS)}")
    capacity = Capacity(bound=SCHEMA.reach << 20, nodes=12)
    for table in poison.sent(known(), _rng()):
        try:
            admit(table.reshape(-1), SCHEMA.length, capacity)
        except ValueError as error:
            expect(poison.aim == "denial", f"what it sends is refused at the door: {error}")
    wanted = poison.wanted(SCHEMA, records_of(3, 90))
    if poison.aim in ("target", "backdoor"):
        expect(wanted is not None and 0 < len(wanted) <= 90, "it has an aim, and wants no records")


def poisons_a_round(poison: Poison) -> None:
    """A round with poisoned nodes opens other rows, or refuses them if their aim is denial."""
    nodes = [Node(f"node-{i}", records_of(i)) for i in range(8)]
    federation = Federation(SCHEMA, PROTOCOLS["plain"](), NoNoise(), Sum(), group_size=1, seed=1)
    clean = federation.run(nodes)
    poisoned = poison.nodes(nodes, [2, 5], SCHEMA, Sum(), _rng())
    expect([node.id for node in poisoned] == [node.id for node in nodes], "nodes have other names afterwards")
    round_ = federation.run(poisoned)
    if poison.aim == "denial":
        expect(set(round_.refused) <= {nodes[2].id, nodes[5].id}, f"refused are {sorted(round_.refused)}")
    else:
        expect(not round_.refused, f"refused are {dict(round_.refused)}")
        expect(round_.digests()["rows"] != clean.digests()["rows"], "the opened rows are those without it")


def is_documented(method: object) -> None:
    """It is documented."""
    expect(inspect.getdoc(type(method)), "the class has no docstring")


POISON_PROMISES: tuple[Promise[Poison], ...] = (
    sends_one_table_a_node,
    stays_inside_when_told,
    knows_only_its_own_when_told,
    is_what_its_aim_says,
    poisons_a_round,
    has_the_nodes_it_was_given,
    claims_no_more_than_the_cap_when_inside,
    hears_no_draw_of_the_noise,
    knows_nothing_when_told,
    is_documented,
)


def finds_an_occasion(deviation: type[Deviation]) -> None:
    """In each of its roles it deviates under some protocol, the same way each time."""
    from attacks.sweeps.deviation_table import cast_of

    expect(deviation.roles, "it has no role")
    for role in deviation.roles:
        verdicts = {}
        for name in PROTOCOLS:
            first, second = (judged(deviation(), role, cast_of(name)) for _ in range(2))
            if first is not None and second is not None:
                verdicts[name] = first.outcome
                expect(
                    first.outcome == second.outcome, f"under {name}: {first.outcome}, then {second.outcome}"
                )
        expect(verdicts, f"as {role} it deviates under no protocol")


def _deviation_is_documented(deviation: type[Deviation]) -> None:
    """Its docstring's first line says what it does."""
    expect((inspect.getdoc(deviation) or "").strip(), "the class has no docstring")


DEVIATION_PROMISES: tuple[Promise[type[Deviation]], ...] = (finds_an_occasion, _deviation_is_documented)


def concludes_from_a_view(inference: Inference) -> None:
    """An attempt gives parts from 0 to 1, the same for the same randomness, and leaves the nodes alone."""
    data = load_dataset("phishing")
    nodes = data.deal(8, seed=2)
    before = [node.records.codes.copy() for node in nodes]
    for protocol in ("plain", "masking"):
        federation = Federation(data.schema, PROTOCOLS[protocol](), NoNoise(), Sum())
        first, second = (inference.attempt(federation, nodes, _rng()) for _ in range(2))
        expect(isinstance(first, Attempt) and first == second, f"{first}, and with the same rng {second}")
        expect(0 <= first.right <= 1 and 0 <= first.lucky <= 1, f"{first} has no parts from 0 to 1")
    kept = all(np.array_equal(a, node.records.codes) for a, node in zip(before, nodes, strict=True))
    expect(kept, "it changes the records of the nodes")


INFERENCE_PROMISES: tuple[Promise[Inference], ...] = (concludes_from_a_view, is_documented)


def check_poison(poison: Poison | type[Poison]) -> tuple[str, ...]:
    """Try the contract on a poison; the promises that it kept, in words; `BrokenContract` otherwise."""
    return check_all((poison() if isinstance(poison, type) else poison).brief(), POISON_PROMISES)


def check_deviation(deviation: type[Deviation]) -> tuple[str, ...]:
    """Try the contract on a deviation; the promises that it kept, in words; `BrokenContract` otherwise."""
    return check_all(deviation, DEVIATION_PROMISES)


def check_inference(inference: Inference | type[Inference]) -> tuple[str, ...]:
    """Try the contract on an inference; the promises that it kept, in words; `BrokenContract` otherwise."""
    return check_all(inference() if isinstance(inference, type) else inference, INFERENCE_PROMISES)


def _equal(a: object, b: object) -> bool:
    one, other = np.asarray(a), np.asarray(b)
    floats = one.dtype.kind == "f" and other.dtype.kind == "f"
    return bool(np.array_equal(one, other, equal_nan=floats))
