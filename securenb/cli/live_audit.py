"""`securenb audit --live`: the witness cells of a round that was run, judged again from what it kept."""

import hashlib
import json as json_format
from pathlib import Path

from attacks.audit.finding import EXIT_CODES, Verdict
from securenb.cli import console
from securenb.experiments.run_folder import MANIFEST
from securenb.privacy.witness_record import FILE, read, report, summary
from securenb.privacy.witnesses import Found

VERDICTS: dict[Found, Verdict] = {
    "as claimed": "PASS",
    "shares missing": "INCONCLUSIVE",
    "claim broken": "FAIL",
}
"""What an audit says of each finding; that shares are missing does not break the claim."""


def audit_live(folder: Path, *, json: bool) -> int:
    """Show what a run's cells say; the exit code of the worst.

    Raises
    ------
    ValueError
        If the folder keeps none, or others than its manifest says.
    """
    found = read(folder)
    _check_manifest(folder)
    if json:
        console.show_json({name: summary(each) for name, each in found.items()})
    else:
        console.say(f"{folder}: what was opened; that these are the opened rows, their holder must know")
        for name, each in found.items():
            console.say(f"{name}: {each.event.mechanism}, noise of a class count {each.dose}")
            console.say(report(each))
    verdicts = {VERDICTS[each.found] for each in found.values()}
    order: tuple[Verdict, ...] = ("FAIL", "INCONCLUSIVE", "PASS")
    return EXIT_CODES[next(verdict for verdict in order if verdict in verdicts)]


def _check_manifest(folder: Path) -> None:
    try:
        stated = json_format.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"][FILE]
    except (OSError, ValueError, KeyError, TypeError):
        raise ValueError(f"{folder / MANIFEST} does not say what {FILE} held when the run ended") from None
    if stated != hashlib.sha256((folder / FILE).read_bytes()).hexdigest():
        raise ValueError(f"{folder / FILE} is not what the run wrote, according to its {MANIFEST}")
