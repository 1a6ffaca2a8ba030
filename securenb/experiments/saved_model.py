"""Certificates of a model that was saved: read it back, with the round it came from; draw up the curve."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from protocols.spec import Spec
from securenb.bayes.model import NaiveBayes
from securenb.certify.certificate import Certificates
from securenb.certify.collective import Collective, certify_together, has_levels
from securenb.data.reader import read_records
from securenb.experiments.run_folder import MANIFEST
from securenb.experiments.scenario import Scenario
from securenb.schema.records import Records

MODEL = "model.json"


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A model file, and what its run folder says about it.

    Attributes
    ----------
    path
        The file.
    scenario
        The choices of its round, of which any may be missing: a model may stand alone.
    """

    path: Path
    model: NaiveBayes
    scenario: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> "SavedModel":
        """The model in a file, or in a run folder.

        Raises
        ------
        ValueError
            If there is none, naming the path.
        """
        file = path / MODEL if path.is_dir() else path
        try:
            model = NaiveBayes.from_dict(json.loads(file.read_text(encoding="utf-8")))
            beside = file.parent / MANIFEST
            manifest = json.loads(beside.read_text(encoding="utf-8")) if beside.is_file() else {}
        except OSError as error:
            raise ValueError(f"{file}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{file}: {error}") from None
        return cls(file, model, dict(manifest.get("scenario", {})))

    @property
    def proven_cap(self) -> int | None:
        """The cap that nodes had to prove; `None` if none was enforced."""
        cap = self.scenario.get("record_cap")
        return cap if self.proves else None

    @property
    def proves(self) -> bool:
        """Whether nodes of its round proved what they sent."""
        protocol = self.scenario.get("protocol")
        return protocol is not None and Spec.of(protocol).name == "verified"

    def cap(self, given: int | None) -> int:
        """The cap to certify for: the one given, or that of the round.

        Raises
        ------
        ValueError
            If there is neither.
        """
        cap = self.scenario.get("record_cap") if given is None else given
        if cap is None:
            raise ValueError(
                f"{self.path}: a certificate needs --record-cap: how many records a malicious node may add; "
                "the round that made this model had none"
            )
        return int(cap)

    def points(self, given: Path | None) -> Records:
        """The records to certify: those of a CSV file, or the test records of the model's data set.

        Raises
        ------
        ValueError
            If there are neither, or they have another schema.
        """
        if given is not None:
            return read_records(given, self.model.schema)[0]
        if "dataset" not in self.scenario:
            raise ValueError(f"{self.path}: nothing says which records to certify; add --points FILE.csv")
        data = Scenario.checked(**self.scenario).load()
        if data.schema.digest != self.model.schema.digest:
            raise ValueError(f"{self.path}: the schema of {data.name} is not the model's")
        return data.test


def curve(
    found: Certificates,
    labels: NDArray[np.int32],
    malicious: int,
    cap: int,
    together: Sequence[Collective] = (),
) -> pd.DataFrame:
    """Certified accuracy against the number of malicious nodes, from none to `malicious`.

    Parameters
    ----------
    together
        Collective certificates for balanced accuracy, for some of these numbers.

    Returns
    -------
    pandas.DataFrame
        `malicious`; `certified_accuracy` and `certified_balanced_accuracy`; `at_most`, the accuracy that
        no certificate can exceed, as the rest is known to change: the same where all is exact; `records`,
        how many they may add in all; `collective_balanced_accuracy`, the least for one placement of the
        records for all points, empty beyond the largest number it was computed for.
    """
    counts = range(malicious + 1)
    certain, possible = (found.held(labels, cap, counts, certainly=sure) for sure in (True, False))
    classes = np.unique(labels)
    table = pd.DataFrame(
        {
            "malicious": counts,
            "certified_accuracy": [float(np.mean(held)) for held in certain],
            "certified_balanced_accuracy": [
                float(np.mean([held[labels == label].mean() for label in classes])) for held in certain
            ],
            "at_most": [float(np.mean(held)) for held in possible],
            "records": [count * cap for count in counts],
        }
    )
    # what more malicious nodes cannot do, fewer cannot either
    ends = [max((each.at_least for each in together if each.malicious >= n), default=np.nan) for n in counts]
    table["collective_balanced_accuracy"] = np.where(
        np.isnan(ends), np.nan, np.fmax(ends, table["certified_balanced_accuracy"])
    )
    return table


ROUND_NUMBERS = (1, 2, 3, 5)
"""Times powers of ten: numbers of malicious nodes for which collective certificates are computed."""


def certified_together(
    saved: SavedModel, judged: Records, found: Certificates, malicious: int, cap: int, programs: int
) -> list[Collective]:
    """Collective certificates for round numbers of malicious nodes; none where a feature has no levels."""
    if not programs or not has_levels(saved.model.schema):
        return []
    powers = [10**power for power in range(len(str(malicious)))]
    counts = sorted(
        {*(n * power for n in ROUND_NUMBERS for power in powers if n * power < malicious), malicious}
    )
    return [
        certify_together(saved.model, judged, count, cap, programs=programs, found=found)
        for count in counts
        if count
    ]


@dataclass(frozen=True)
class Certified:
    """What a manifest keeps of a run of certificates."""

    model: str
    points: str | None
    malicious: int
    record_cap: int | None
    programs: int
    change: str = "added"
    seed: None = None

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """As a scenario gives itself to the manifest."""
        return asdict(self)
