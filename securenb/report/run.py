"""A run folder, read back."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from securenb.experiments.run_folder import MANIFEST
from securenb.experiments.tables import read_table
from securenb.report.picture import SUFFIX
from securenb.report.record import FILE


@dataclass(frozen=True, eq=False)
class Run:
    """What a run folder holds.

    Attributes
    ----------
    name
        The folder's name.
    manifest
        Scenario, seed, versions, digests.
    tables
        Every CSV file, by its name without the suffix.
    rounds
        What `securenb.report.record.round_record` kept, by protocol.
    charts
        Every Vega-Lite chart, by its name without the suffix.
    documents
        Every other JSON file, by its name without the suffix; the model is not among them.
    """

    name: str
    manifest: dict[str, Any]
    tables: dict[str, pd.DataFrame]
    rounds: dict[str, dict[str, Any]]
    documents: dict[str, Any]
    charts: dict[str, dict[str, Any]]

    @property
    def command(self) -> str:
        """The command that made it: `train`, `compare`, `attack` and so on."""
        words = self.manifest.get("command", [])
        return str(words[1]) if len(words) > 1 else ""

    @property
    def scenario(self) -> dict[str, Any]:
        """The scenario's choices."""
        return dict(self.manifest.get("scenario", {}))


def read_run(folder: Path) -> Run:
    """The run in a folder; a `ValueError` that names the folder if it holds none."""
    if not (folder / MANIFEST).is_file():
        raise ValueError(f"{folder} holds no run: there is no {MANIFEST} in it")
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        tables = {path.stem: read_table(path) for path in sorted(folder.glob("*.csv"))}
        rounds = json.loads((folder / FILE).read_text(encoding="utf-8")) if (folder / FILE).is_file() else {}
        documents = {
            path.stem: json.loads(path.read_text(encoding="utf-8"))
            for path in sorted(folder.glob("*.json"))
            if path.name not in (MANIFEST, FILE, "model.json") and not path.name.endswith(SUFFIX)
        }
        charts = {
            path.name.removesuffix(SUFFIX): json.loads(path.read_text(encoding="utf-8"))
            for path in sorted(folder.glob(f"*{SUFFIX}"))
        }
    except (OSError, ValueError) as error:
        raise ValueError(f"{folder}: {error}") from None
    return Run(folder.resolve().name, manifest, tables, rounds, documents, charts)
