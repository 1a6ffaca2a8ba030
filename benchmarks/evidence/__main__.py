"""Run claims, or say whose evidence is older than the code that it speaks of.

python3 run.py evidence                  # every claim; interrupted, it goes on where it stopped
python3 run.py evidence exact_rounds
python3 run.py evidence --stale          # exit code 1 if there is any
"""

import argparse

from benchmarks.evidence.claim import CLAIMS
from benchmarks.evidence.record import Record


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="run.py evidence", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CLAIMS))
    parser.add_argument("--stale", action="store_true", help="only say what is out of date")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.names if name not in CLAIMS]:
        parser.error(f"unknown claim {unknown[0]!r}; there are {', '.join(CLAIMS)}")
    records = [Record(name, CLAIMS[name]()) for name in arguments.names or CLAIMS]
    bad = 0
    for record in records:
        if arguments.stale:
            reason = record.stale()
            print(f"{record.name}: {reason or 'up to date'}")
            bad += bool(reason)
        else:
            held = record.run()
            print(f"{record.name}: {'holds' if held else 'DOES NOT HOLD'}: {record.claim.says}")
            bad += not held
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
