"""Evidence on disk, one JSON file a claim, and whether the code has changed since."""

import json
import subprocess
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.evidence.claim import Claim, Result

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "evidence"


@dataclass(frozen=True)
class Record:
    """What a claim's file holds."""

    name: str
    claim: Claim
    folder: Path = FOLDER

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / f"{self.name}.json"

    def kept(self) -> dict[str, Any]:
        """What it says; empty where there is none."""
        return json.loads(self.path.read_text(encoding="utf-8")) if self.path.is_file() else {}

    def stale(self) -> str:
        """Why the evidence does not count for the code that is here; empty if it does."""
        kept = self.kept()
        if not kept:
            return "never run"
        if len(kept["results"]) < self.claim.parts:
            return f"{len(kept['results'])} of {self.claim.parts} parts run"
        if not kept["holds"]:
            return "it does not hold"
        return self.changed(kept)

    def changed(self, kept: dict[str, Any]) -> str:
        """What touched the code after the evidence was made; empty if nothing did."""
        if kept["code"] != list(self.claim.code) or kept["seed"] != self.claim.seed:
            return "the claim is another one now"
        since = git("log", "--format=%h %s", f"{kept['commit']}..HEAD", "--", *self.claim.code)
        changes = since + git("status", "--porcelain", "--", *self.claim.code)
        return f"the code changed: {changes.splitlines()[0]}" if changes else ""

    def run(self) -> bool:
        """Measure what is missing, part by part, each written at once; whether the claim holds."""
        kept = self.kept()
        fresh = not kept or bool(self.changed(kept))
        results: list[Result] = [] if fresh else kept["results"]
        commit = git("rev-parse", "HEAD").strip() if fresh else kept["commit"]
        for part in range(len(results), self.claim.parts):
            results.append(self.claim.measure(part))
            self._write(results, commit)
            print(f"{self.name}: part {part + 1} of {self.claim.parts}: {results[-1]}", flush=True)
        return self.claim.holds(results)

    def _write(self, results: list[Result], commit: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        found = {
            "claim": self.claim.says,
            "command": f"python3 run.py evidence {self.name}",
            "commit": commit,
            "date": date.today().isoformat(),
            "seed": self.claim.seed,
            "code": list(self.claim.code),
            "holds": self.claim.holds(results),
            "results": results,
        }
        draft = self.path.with_suffix(".draft")
        draft.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        draft.replace(self.path)


def git(*words: str) -> str:
    """What git says; a `ValueError` where it fails, for example of a commit that it does not have."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout
