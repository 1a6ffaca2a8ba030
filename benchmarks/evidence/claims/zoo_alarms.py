"""Audits of sound mechanisms seldom alarm."""

from collections.abc import Sequence

from attacks.audit.bench import audit_zoo
from attacks.audit.specimen import ZOO
from benchmarks.evidence.claim import Claim, Result

CONFIDENCE = 0.999

ALLOWED = 4
"""Alarms in a thousand audits: at a level of 1 in 1,000 more have a probability below 0.4 %."""

RUNS = 4_000


class ZooAlarms(Claim):
    """Every sound mechanism of the zoo, a seed a part."""

    says = "Of 1,000 audits of sound releases at a confidence of 0.999 at most 4 alarm, and none at L1."
    code = (
        "attacks/audit/black_box",
        "attacks/audit/zoo",
        "attacks/audit/bench.py",
        "attacks/audit/lower_bound.py",
        "attacks/audit/specimen.py",
    )
    seed = 0
    parts = 44

    def measure(self, part: int, size: int | None = None) -> Result:
        """See `Claim.measure`; `size` is the number of mechanisms."""
        sound = [name for name in ZOO if ZOO[name]().sound][:size]
        found = list(audit_zoo(sound, (self.seed + part,), runs=RUNS, confidence=CONFIDENCE))
        alarms = {
            level: sum(each.verdict == "FAIL" for each in found if each.level == level)
            for level in ("L1", "L3")
        }
        seconds = sum(each.seconds for each in found)
        return {
            "audits": len(sound),
            "alarms of L1": alarms["L1"],
            "alarms of L3": alarms["L3"],
            "seconds": round(seconds, 1),
        }

    def holds(self, results: Sequence[Result]) -> bool:
        """See `Claim.holds`."""
        audits, alarms = (sum(result[key] for result in results) for key in ("audits", "alarms of L3"))
        return not any(result["alarms of L1"] for result in results) and alarms <= max(
            ALLOWED, ALLOWED * audits / 1000
        )
