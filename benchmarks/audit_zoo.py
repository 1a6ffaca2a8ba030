"""How often audits of sound mechanisms alarm, over many seeds: the long run behind docs/audit.md.

    python -m benchmarks.audit_zoo --seeds 44

Audits every sound mechanism of the zoo with every seed, at the stated confidence, and prints what alarmed.
"""

import argparse
import time

from attacks.audit.bench import audit_zoo
from attacks.audit.specimen import ZOO


def main() -> None:
    """Print the number of alarms, and each of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=44)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--runs", type=int, default=4_000)
    parser.add_argument("--confidence", type=float, default=0.999)
    parser.add_argument("--minutes", type=float, default=60.0)
    arguments = parser.parse_args()
    sound = [name for name in ZOO if ZOO[name]().sound]
    audits, alarms, until = 0, 0, time.monotonic() + 60 * arguments.minutes
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        if time.monotonic() > until:
            break
        for each in audit_zoo(sound, (seed,), runs=arguments.runs, confidence=arguments.confidence):
            audits += each.level == "L3"
            alarms += each.verdict == "FAIL"
            if each.verdict == "FAIL":
                print(f"{each.mechanism}, seed {seed}, {each.level}: {each.evidence}", flush=True)
    seconds = time.process_time()
    print(
        f"{alarms} alarms in {audits} audits at {arguments.confidence:g}, {seconds:,.0f} s of processor time"
    )


if __name__ == "__main__":
    main()
