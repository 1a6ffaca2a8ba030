"""What the engine adds to a deployed round of secagg, beside Flower's own SecAgg+ on the same machine.

    python -m benchmarks.deploy_overhead --nodes 5 --features 23 --rounds 3

Both run on loopback with TLS and node keys, one process tree a site, n sites and vectors of d numbers.
Bytes are what is handed to Flower (both ways, all sites); what Flower adds on the wire is not in them.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from securenb.deploy import launch, processes
from securenb.deploy.coordinator import PROGRESS, Coordinator
from securenb.deploy.folder import COORDINATOR, NODE_KEYS, PARTIES
from securenb.deploy.log import Log

DEPLOY = [sys.executable, "-m", "securenb", "deploy"]
LEVELS = ("a", "b", "c", "d", "e")
RECORDS = 500


def write_inputs(root, nodes, features):
    lines = ['label = "class"', 'classes = ["no", "yes"]']
    for feature in range(features):
        lines += [
            "[[features]]",
            'kind = "categorical"',
            f'name = "f{feature}"',
            f"levels = {json.dumps(LEVELS)}",
        ]
    (root / "schema.toml").write_text("\n".join(lines) + "\n")
    rng = np.random.default_rng(1)
    header = ",".join([*(f"f{feature}" for feature in range(features)), "class"])
    for node in range(1, nodes + 1):
        rows = rng.choice(LEVELS, (RECORDS, features))
        labels = rng.choice(["no", "yes"], RECORDS)
        text = [",".join([*row, label]) for row, label in zip(rows, labels, strict=True)]
        (root / f"site-{node}.csv").write_text("\n".join([header, *text]) + "\n")


def ours(root, folder, names, rounds):
    """The stages of each round, and the bytes of the parties' own frames."""
    run(*DEPLOY, "up", folder)
    joined = [
        subprocess.Popen(
            [*DEPLOY, "join", folder / PARTIES / name, "--data", root / f"{name}.csv"],
            stdout=subprocess.DEVNULL,
        )
        for name in names
    ]
    (root / "round.toml").write_text('protocol = "secagg"\nepsilon = "1"\n')
    found = []
    try:
        for number in range(rounds + 1):
            out = root / f"out-{number}"
            run(*DEPLOY, "run", root / "round.toml", "--folder", folder, "--out", out)
            lines = Log(Coordinator(folder / COORDINATOR).rounds()[-1] / PROGRESS).lines()
            results = dict(
                zip(
                    *(line.split(",") for line in (out / "results.csv").read_text().splitlines()), strict=True
                )
            )
            frames = len(names) * (float(results["sent_bytes"]) + float(results["received_bytes"]))
            found.append(([line for line in lines if line["event"] == "stage"], frames))
    finally:
        for process in joined:
            process.terminate()
            process.wait()
        run(*DEPLOY, "down", folder)
    return found[1:]  # the first one waits for sites to start


def flowers(root, folder, names, length, rounds):
    """The stages of each round of SecAgg+ on Flower as it comes."""
    own = folder / COORDINATOR
    settings = Coordinator(own).settings
    binaries = str(Path(sys.executable).parent)
    extra = {"PATH": f"{binaries}:/usr/bin:/bin", "BENCH_NODES": str(len(names)), "BENCH_LENGTH": str(length)}
    place = root / "flower"
    place.mkdir()
    found, started = [], []

    def plain(folder, planned, out):
        """The same flags to Flower's own command."""
        command = [f"{binaries}/{planned.arguments[4]}", *planned.arguments[5:]]
        environment = {**planned.environment, **extra, "BENCH_OUT": str(out)}
        processes.start(folder, command, environment, folder / launch.LOG)
        started.append(folder)

    try:
        out = place / "stages.json"
        plain(own, launch.coordinator(own, settings.listen, settings.port), out)
        keys = launch.register(own, sorted((own / NODE_KEYS).glob("*.pub")))
        until = time.monotonic() + 120
        while subprocess.run(keys.arguments, env=keys.environment, capture_output=True).returncode:
            assert time.monotonic() < until, "Flower took no keys"
            time.sleep(1)
        for name in names:
            site = folder / PARTIES / name
            plain(site, launch.site(site, name, settings.address), out)
        app = Path(__file__).with_name("flower_app")
        for _ in range(rounds + 1):
            submit = launch.submit(own, app, "")
            until = time.monotonic() + 120
            while subprocess.run(
                submit.arguments, env=submit.environment | extra, capture_output=True
            ).returncode:
                assert time.monotonic() < until, "Flower took no run"
                time.sleep(1)
            until = time.monotonic() + 600
            while not out.exists():
                assert time.monotonic() < until, f"no result, see {own / launch.LOG}"
                time.sleep(0.2)
            found.append(json.loads(out.read_text()))
            out.unlink()
    finally:
        for folder in started:
            processes.end(folder)
    return found[1:]


def run(*arguments):
    subprocess.run([str(argument) for argument in arguments], check=True, stdout=subprocess.DEVNULL)


def median(values):
    return statistics.median(list(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name, default in (("nodes", 5), ("features", 23), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    names = [f"site-{number}" for number in range(1, options.nodes + 1)]
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        write_inputs(root, options.nodes, options.features)
        folder = root / "deployment"
        run(*DEPLOY, "init", folder, "--schema", root / "schema.toml", "--sites", ",".join(names),
            "--protocols", "secagg", "--address", f"127.0.0.1:{launch.free_port()}", "--trial")  # fmt: skip
        for name in names:
            with (folder / PARTIES / name / "site.toml").open("a") as file:
                file.write('epsilon_per_round = "1"\nbudget = "1000"\n')
        length = Coordinator(folder / COORDINATOR).schema.length
        mine = ours(root, folder, names, options.rounds)
        theirs = flowers(root, folder, names, length, options.rounds)
    seconds = [sum(stage["seconds"] for stage in stages) for stages, _ in mine]
    own = median(sum(stage["cpu"] for stage in stages) for stages, _ in mine)
    carried = median(sum(stage["carried"] for stage in stages) for stages, _ in mine)
    frames = median(frames for _, frames in mine)
    peer_seconds = [sum(stage["seconds"] for stage in stages) for stages in theirs]
    peer_carried = median(sum(stage["carried"] for stage in stages) for stages in theirs)
    print(
        f"n = {options.nodes}, d = {length}, median of {options.rounds} rounds, load {os.getloadavg()[0]:.1f}"
    )
    print(f"{'':<28}{'stages':>8}{'seconds':>10}{'a stage':>10}{'bytes':>12}")
    for name, stages, spent, size in (
        ("securenb's secagg", len(mine[0][0]), median(seconds), carried),
        ("Flower's SecAgg+", len(theirs[0]), median(peer_seconds), peer_carried),
    ):
        print(f"{name:<28}{stages:>8}{spent:>10.1f}{spent / stages:>10.1f}{size:>12,.0f}")
    print(
        f"the slowest parties' own work is {own:.3f} s of {median(seconds):.1f} s, the rest is the engine's"
    )
    print(f"the parties' own frames are {frames:,.0f} B of {carried:,.0f} B")
    print(f"seconds, Flower's over ours: {median(peer_seconds) / median(seconds):.2f}")
    print(f"bytes, Flower's over ours: {peer_carried / carried:.2f}")


if __name__ == "__main__":
    main()
