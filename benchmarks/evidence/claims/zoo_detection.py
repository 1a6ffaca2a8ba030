"""The audit finds the bugs of the zoo."""

from collections.abc import Sequence

from attacks.audit.bench import CLEAR, audit_zoo
from attacks.audit.specimen import ZOO
from benchmarks.evidence.claim import Claim, Result

SHARE = 0.95
"""Of clear bugs that must be found."""


class ZooDetection(Claim):
    """`securenb audit --zoo`, a mechanism a part, in the catalogue's order."""

    says = (
        "Of the zoo's bugs that cost at least 1.5 times the claim 95 % are found, "
        "and no sound mechanism is alarmed about."
    )
    code = (
        "attacks/audit/black_box",
        "attacks/audit/zoo",
        "attacks/audit/bench.py",
        "attacks/audit/lower_bound.py",
        "attacks/audit/specimen.py",
    )
    seed = 0
    parts = len(ZOO)

    def measure(self, part: int, size: int | None = None) -> Result:
        """See `Claim.measure`; `size` is the number of runs on each input."""
        name = list(ZOO)[part]
        chosen = {} if size is None else {"runs": size}
        levels = {each.level: each for each in audit_zoo([name], (self.seed,), **chosen)}
        any_level = next(iter(levels.values()))
        found = {f"{level} found": each.verdict == "FAIL" for level, each in levels.items()}
        return {
            "sound": any_level.sound,
            "clear": any_level.truth >= CLEAR * any_level.claimed,
            **found,
            "seconds": round(sum(each.seconds for each in levels.values()), 1),
        }

    def holds(self, results: Sequence[Result]) -> bool:
        """See `Claim.holds`."""
        found = [(result, result["L1 found"] or result["L3 found"]) for result in results]
        clear = [seen for result, seen in found if result["clear"]]
        alarms = [seen for result, seen in found if result["sound"]]
        return sum(clear) >= SHARE * len(clear) and not any(alarms)
