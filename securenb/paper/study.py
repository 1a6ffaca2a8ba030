"""What `securenb reproduce` makes: for each item of the paper its batches of trials, then its findings."""

import hashlib
import json
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from securenb.bayes.parameters import Floats
from securenb.experiments.montecarlo import Batch, run_batches
from securenb.paper.records import MODES, Mode


class Settings(BaseModel):
    """The choices of a reproduction: same settings, same numbers.

    Attributes
    ----------
    items
        Which tables and figures.
    trials
        Monte Carlo repetitions of everything that is random; the paper has 1000.
    mode
        As published, corrected, or both side by side.
    seed
        Root of all randomness.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    items: tuple[str, ...]
    trials: int = Field(ge=2)
    mode: Mode | Literal["both"]
    seed: int = Field(ge=0)

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The modes one by one."""
        return MODES if self.mode == "both" else (self.mode,)


@dataclass(frozen=True, eq=False)
class Finding:
    """One item of the paper, reproduced.

    Attributes
    ----------
    title
        Of its section on the page.
    tables
        Written as CSV, by file name without suffix.
    figures
        Charts of Altair, by file name without suffix.
    shown
        The table that the page shows, if any: columns for people.
    text
        Paragraphs that say what is seen.
    """

    title: str
    tables: Mapping[str, pd.DataFrame]
    figures: Mapping[str, Any] = field(default_factory=dict)
    shown: pd.DataFrame | None = None
    text: Sequence[str] = ()


class Item(ABC):
    """A table or figure of the paper."""

    name: ClassVar[str]

    @abstractmethod
    def batches(self, settings: Settings) -> list[Batch]:
        """What has to be run, named with the item's name first."""

    @abstractmethod
    def finding(self, settings: Settings, results: Mapping[str, Floats]) -> Finding:
        """What came out; `results` has the arrays of `batches` by name."""


def joined(results: Mapping[str, Floats], task: str, axis: int = 0) -> Floats:
    """The results of all batches of one task, in the order of trials."""
    names = sorted(name for name in results if name.rpartition("-")[0] == task)
    if not names:
        raise ValueError(f"no batch of {task} was run")
    return np.concatenate([results[name] for name in names], axis=axis)


class Parts:
    """Finished batches on disk, so that an interrupted run goes on where it stopped.

    Parameters
    ----------
    folder
        Where they are kept; made if it is not there. If it holds parts of other settings they are
        removed: they could not be used.
    settings
        What the batches follow from.
    """

    def __init__(self, folder: Path, settings: Settings) -> None:
        self._folder = folder
        mark = folder / "settings.json"
        text = json.dumps(settings.model_dump(mode="json"))
        if folder.is_dir() and not (mark.is_file() and mark.read_text(encoding="utf-8") == text):
            shutil.rmtree(folder)
        folder.mkdir(parents=True, exist_ok=True)
        mark.write_text(text, encoding="utf-8")

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.npy"

    def pending(self, batches: Sequence[Batch]) -> list[Batch]:
        """Those that are still to be run."""
        return [batch for batch in batches if not self._path(batch.name).is_file()]

    def run(
        self, batches: Sequence[Batch], processes: int, done: Callable[[str], None]
    ) -> Mapping[str, Floats]:
        """Run what is pending; the results of all, by name."""
        for name, result in run_batches(self.pending(batches), processes):
            draft = self._folder / f".{hashlib.sha256(name.encode()).hexdigest()[:16]}.npy"
            np.save(draft, result)
            draft.replace(self._path(name))
            done(name)
        return {batch.name: np.load(self._path(batch.name)) for batch in batches}

    def remove(self) -> None:
        """Remove the folder: everything is written elsewhere."""
        shutil.rmtree(self._folder)
