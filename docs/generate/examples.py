"""Examples of the pages of methods: a few lines each, and what they print when they are run."""

import contextlib
import hashlib
import io
import json
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "docs" / "_build" / "examples.json"
"""Outputs of earlier builds, by example and by all code that they could depend on."""

RULE = """import attacks

fates = attacks.evaluate(
    "phishing", epsilon="none", nodes=20, rules={rules}, attacks=["label_flip", "{attack}"],
    malicious=[0.2], inputs=["{inputs}"], trials=1, seed=7,
)
print(fates.pivot_table(index="attack", columns="rule", values="balanced_accuracy").round(3))"""
POISON = """import attacks

fates = attacks.evaluate(
    "phishing", epsilon="none", nodes=20, rules=["sum", "median", "krum"], attacks=["{name}"],
    malicious=[0.1, 0.3], trials=1, seed=7,
)
print(fates.pivot_table(index="share", columns="rule", values="balanced_accuracy").round(3))"""
PROTOCOL = """import protocols

protocol = protocols.PROTOCOLS["{name}"].for_tests()  # small keys, where it has keys: INSECURE
opened = protocols.sum([[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]], protocol, seed=7)
print(opened.rows, opened.members)
print("the server learned", protocol.learned(opened))"""
MECHANISM = """import securenb as nb

schema = nb.load_dataset("phishing").schema
mechanism = nb.MECHANISMS["{name}"].from_epsilon("1", delta={delta})
count = mechanism.noise(schema, schema.blocks[0], among=1)  # one whole dose
print("standard deviation of a class count:", round(count.spread() ** 0.5 / mechanism.grid, 1), "records")
charge = mechanism.charge(schema, among=1)
print("epsilon:", round(float(charge.add_remove), 3), "add/remove,", end=" ")
print(round(float(charge.replace_one), 3), "replace-one, at delta", charge.delta)"""
NO_NOISE = """import securenb as nb

scenario = nb.Scenario.checked(dataset="phishing", nodes=10, protocol="masking", epsilon="none", seed=7)
data = scenario.load()
round_ = scenario.federation(data).run(scenario.deal(data))
print(round_.model.score(data.test))
print(round_.ledger.report())"""
DEVIATION = """from attacks.deviation import DEVIATIONS, judged
from attacks.sweeps.deviation_table import cast_of

for protocol in ("plain", "masking", "secagg", "verified"):
    verdict = judged(DEVIATIONS["{name}"](), "{role}", cast_of(protocol))
    print(f"{{protocol:8}}", "gives no occasion" if verdict is None else verdict.outcome)"""
INFERENCE = """import attacks
import securenb as nb

for protocol in ("plain", "masking"):
    scenario = nb.Scenario.checked(dataset="phishing", nodes=10, protocol=protocol, epsilon="none", seed=7)
    data = scenario.load()
    nodes = [nb.Node(node.id, node.records[:20]) for node in scenario.deal(data)]
    found = attacks.INFERENCES["{name}"]().measure(scenario.federation(data), nodes, trials=20, seed=7)
    print(protocol, f"right {{found.right:.2f}}, by luck {{found.lucky:.2f}}, in {{found.trials}} trials")"""
DATASET = """import securenb as nb

source = nb.DATASETS["{name}"]
print(source.title, source.rows, "records; classes", source.schema.classes)
for feature in source.schema.features[:4]:
    print(feature)"""


def of_rule(name: str, kind: Any) -> str:
    """Its balanced accuracy beside the sum's."""
    if name == "staircase":
        return RULE.format(rules='["sum", "staircase(quota=30)"]', attack="worst_records", inputs="verified")
    attack, inputs = ("worst_records", "verified") if kind.capped else ("scaled_flip", "unchecked")
    rules = list(dict.fromkeys(["sum", name]))
    return RULE.format(rules=json.dumps(rules), attack=attack, inputs=inputs)


def of_preaggregation(name: str, kind: Any) -> str:
    """The median with it and without."""
    rules = json.dumps(["median", "krum", f"{name}+median", f"{name}+krum"])
    return RULE.format(rules=rules, attack="alie", inputs="unchecked")


def of_mechanism(name: str, kind: Any) -> str:
    """How much noise, at which charge."""
    return (
        NO_NOISE if name == "none" else MECHANISM.format(name=name, delta=1e-5 if kind.needs_delta else None)
    )


def of_deviation(name: str, kind: Any) -> str:
    """What becomes of runs."""
    return DEVIATION.format(name=name, role=kind.roles[0])


def filled(text: str) -> Callable[[str, Any], str]:
    """An example that is the same for all of a kind."""
    return lambda name, kind: text.format(name=name)


def output(code: str, *, run: bool) -> str:
    """What `code` prints, kept from an earlier build if no code has changed since; empty if not `run`."""
    if not run:
        return ""
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    key = hashlib.sha256((digest_of_code() + code).encode()).hexdigest()
    if key not in kept:
        kept = {each: text for each, text in kept.items() if each in _asked}
        kept[key] = printed(code)
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        KEPT.write_text(json.dumps(kept), encoding="utf-8")
    _asked.add(key)
    return str(kept[key])


_asked: set[str] = set()


def printed(code: str) -> str:
    """What `code` prints when it is run; a warning is an error."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(code, "example", "exec", dont_inherit=True), {"__name__": "example"})  # noqa: S102 - ours
    return said.getvalue()


@cache
def digest_of_code() -> str:
    """SHA-256 over every source file of the three packages."""
    said = hashlib.sha256()
    for package in ("attacks", "protocols", "securenb"):
        for path in sorted((ROOT / package).rglob("*.py")):
            said.update(path.read_bytes())
    return said.hexdigest()
