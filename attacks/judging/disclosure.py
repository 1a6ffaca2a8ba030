"""What may be shown of a peer: a fault of secrecy that is not public is withheld, by construction.

`docs/scoreboard/disclosure.md` is the policy. Every way out of `attacks.judging` goes through `shown`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from attacks.judging.adapter import About
from attacks.judging.check import SECRET, Concern, Found
from attacks.judging.outcome import Outcome, Result

WORDS = "withheld, not yet reported"
FAULTS = {Outcome.WRONG, Outcome.OPENED}


@dataclass(frozen=True)
class Seen:
    """A finding with what it speaks of, before it is decided what is shown."""

    check: str
    concerns: Concern
    subject: str
    size_public: str
    found: Found
    cpu: float


def shown(about: About, adapter: str, date: str, seen: Sequence[Seen]) -> list[Result]:
    """The results of one adapter.

    A fault that the peer's documents state is a documented limit. One that breaks confidentiality or privacy
    is shown if the code belongs to those who judge it, or if a public report of it is cited. Otherwise its
    result says that it is withheld, and nothing else; the peer's other results about secrecy are left out
    meanwhile, since what is missing among them would tell what was found.
    """
    results, withheld = [], 0
    for each in seen:
        found = each.found
        if found.outcome in FAULTS:
            limit = next((cited for cited in about.limits if cited.speaks_of(each.check, each.subject)), None)
            report = next(
                (cited for cited in about.reports if cited.speaks_of(each.check, each.subject)), None
            )
            if limit is not None:
                found = Found(found.case, Outcome.LIMIT, str(limit), found.adjacency, found.bound, found.runs)
            elif each.concerns in SECRET and not about.own:
                if report is None:
                    withheld += 1
                    continue
                found = Found(
                    found.case,
                    found.outcome,
                    f"reported: {report}",
                    found.adjacency,
                    found.bound,
                    found.runs,
                )
        elif found.outcome is Outcome.INCONCLUSIVE and each.concerns in SECRET and not about.own:
            # nor a hint: what alarmed once may be a fault that is not reported
            found = replace(found, reason="could not be settled", bound=None)
        results.append((each, found))
    lines = [
        Result(
            about.name,
            about.version,
            about.level,
            each.subject,
            each.check,
            found.case,
            found.adjacency,
            each.size_public,
            found.outcome,
            found.reason,
            found.bound,
            found.runs,
            round(each.cpu, 2),
            adapter,
            date,
        )
        for each, found in results
        if not (withheld and each.concerns in SECRET)
    ]
    bare = Result(
        about.name, about.version, "", "", "", "", "", "", Outcome.WITHHELD, WORDS, None, None, None, "", date
    )
    return [*lines, *[bare] * withheld]
