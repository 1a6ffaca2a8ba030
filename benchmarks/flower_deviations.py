"""What becomes of Flower's SecAgg+ and of secagg under the same scripts: a page of the documentation.

    python -m benchmarks.flower_deviations --flower PYTHON > docs/protocols/deviations_flower.md

PYTHON is that of an environment in which `flwr` is installed; see `benchmarks/flower_scripts.py`.
"""

import argparse
import json
import subprocess
from pathlib import Path

from attacks.deviation import DEVIATIONS, judged
from attacks.sweeps.deviation_table import cast_of, says
from protocols.ring import Capacity

HERE = Path(__file__).parent
MANY = 1030
"""More honest nodes than fit into Flower's default modulus at its default range."""
ROLES = {"node": "node", "server": "aggregator"}

INTRODUCTION = """# Deviations against Flower

<!-- written by `python -m benchmarks.flower_deviations --flower PYTHON`; do not edit -->

The scripts of [](deviations.md) that make sense for Flower's SecAgg+, version {version}, played to its own
workflow and client code in one process: seven nodes, all of them neighbours, a threshold of five
unless another is named, vectors from seed 7 (Flower's keys are the system's, so how wrong a mean is varies).
Beside it what `secagg` does in its malicious profile. Outcomes are in the words
of that page; *not covered* is a vector that was read, a sum of too few, or a wrong sum that passes for right.

Flower's protocol does not claim to withstand a malicious server, and `secagg` does: where the server
deviates, this shows what that claim is worth. Scripts that a transport answers (frames that are no frames, a
name that is another's, a second reply to one question) are left out: in Flower that is not the protocol's
part.

| who deviates | script | Flower | `secagg` | what happened in Flower |
| --- | --- | --- | --- | --- |"""

OVERFLOW = """
## No party deviates

{nodes:,} honest nodes with values within ±1, and Flower's defaults for everything about numbers: the mean is
off by {error:.2f}, and nothing says so. 2^22 steps for each of more than 1,024 nodes do not fit into 2^32.
Here a session whose sums could wrap is refused before anything is sent:

> {refusal}"""


def ours(role: str, name: str) -> str:
    """What `secagg` makes of the same script."""
    verdict = judged(DEVIATIONS[name](), ROLES[role], cast_of("secagg"))
    return "no occasion" if verdict is None else str(verdict.outcome)


def shown(outcome: str) -> str:
    return f"**{outcome}**" if outcome == "not covered" else outcome


def brief(why: str) -> str:
    """What happened, without the advice that some errors give."""
    return "; ".join(part.split(". ")[0].strip(" :") for part in why.split("; ") if part).replace("|", "\\|")


def run(flower: str, script: str, *options: str) -> dict:
    command = [flower, str(HERE / script), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"Flower was not run: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def refusal() -> str:
    """What the planner says to sums that do not fit, here for the same number of nodes."""
    try:
        Capacity(bound=1 << 53, nodes=MANY)
    except ValueError as error:
        return str(error)
    raise AssertionError("the planner accepted sums that wrap")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flower", required=True, help="the Python of an environment with flwr")
    flower = parser.parse_args().flower
    result = run(flower, "flower_scripts.py")
    print(INTRODUCTION.format(version=result["version"]))
    for role, name, threshold, outcome, why in result["found"]:
        script = f"`{name}`: {says(name)}" + (f" (threshold {threshold})" if threshold != 5 else "")
        print(f"| {role} | {script} | {shown(outcome)} | {shown(ours(role, name))} | {brief(why)} |")
    sizes = ("--nodes", str(MANY), "--shares", "3", "--threshold", "2", "--length", "10", "--seed", "7")
    error = run(flower, "flower_secagg.py", *sizes)["error"]
    print(OVERFLOW.format(nodes=MANY, error=error, refusal=refusal()))


if __name__ == "__main__":
    main()
