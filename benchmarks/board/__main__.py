"""Judge peers, or write the page of what was found.

python3 run.py board                      # every peer; environments are made once and cached
python3 run.py board phe opendp           # their rows are made anew, others stay
python3 run.py board phe --checks exact   # only shown
python3 run.py board --page               # docs/scoreboard/index.md from results.csv
python3 -m benchmarks.board --lock phe phe==1.5.0 gmpy2
"""

import argparse
import os
import subprocess
import sys
from collections import Counter

import pandas as pd

from attacks.judging.check import Effort
from attacks.judging.outcome import COLUMNS, Result
from attacks.judging.run import judge
from benchmarks.board import page
from benchmarks.board.environments import OWN, adapters, interpreter, lock

TESTS = 1_000
"""Audits of releases that share a chance of 10^-3 of any false alarm: more than the board has."""
SECONDS, LONGEST, MEGABYTES = 2.5, 60.0, 16_384
QUIET = {"OMP_NUM_THREADS": "1", "FLWR_TELEMETRY_ENABLED": "0", "HF_HUB_OFFLINE": "1"}


def judged(name: str, checks: list[str] | None = None, python: str | None = None) -> list[Result]:
    """What is found of one peer; `python` has it already."""
    return judge(
        adapters()[name],
        python or interpreter(name),
        checks=checks,
        effort=Effort(seconds=SECONDS, tests=TESTS),
        seconds=LONGEST,
        megabytes=MEGABYTES,
        others=name != OWN,
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="run.py board", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(adapters()))
    parser.add_argument("--checks", help="names of checks, separated by commas; then nothing is written")
    parser.add_argument("--page", action="store_true", help="only write the page")
    parser.add_argument("--lock", action="store_true", help="write requirements: NAME, then packages")
    arguments = parser.parse_args()
    if arguments.lock:
        lock(*arguments.names)
        return 0
    if unknown := [name for name in arguments.names if name not in adapters()]:
        parser.error(f"unknown peer {unknown[0]!r}; there are {', '.join(adapters())}")
    os.environ |= QUIET
    checks = arguments.checks.split(",") if arguments.checks else None
    failed = []
    for name in [] if arguments.page else arguments.names or list(adapters()):
        try:
            results = judged(name, checks)
        except subprocess.CalledProcessError:
            failed.append(name)
            print(f"{name}: its environment could not be made; the lines above say why", file=sys.stderr)
            continue
        counts = Counter(each.outcome.value for each in results)
        print(f"{name}: {', '.join(f'{count} {outcome}' for outcome, count in counts.items())}", flush=True)
        if checks is None:
            keep(results)
        else:
            for each in results:
                print(f"  {each.subject}: {each.check}, {each.case}: {each.outcome.value}; {each.reason}")
    if checks is None:
        page.PAGE.parent.mkdir(exist_ok=True)
        page.PAGE.write_text(page.render(page.read(), TESTS), encoding="utf-8")
    return int(bool(failed))


def keep(results: list[Result]) -> None:
    """Write a peer's rows in place of those that it had."""
    peer = results[0].peer
    frame = pd.DataFrame([row for row in page.read() if row["peer"] != peer], columns=COLUMNS)
    made = pd.DataFrame([each.to_dict() for each in results], columns=COLUMNS)
    whole = pd.concat([frame, made.astype(object)]) if len(frame) else made
    whole = whole.sort_values("peer", key=lambda names: names.str.lower(), kind="stable")
    whole.to_csv(page.RESULTS, index=False, lineterminator="\n")


if __name__ == "__main__":
    raise SystemExit(main())
