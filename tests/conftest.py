"""Fixtures for all tests: nothing is downloaded, and data sets that are not here are skipped."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pandas as pd
import pooch
import pytest
from hypothesis import settings

import attacks
import protocols
import securenb as nb
from protocols.catalogue import CATALOGUES
from securenb.data.dataset import Dataset, DatasetUnavailable, load_dataset
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.toml import schema_to_dict

# a busy machine is no reason for a law to fail
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


SMOKE = (
    "tests/protocols/test_ring.py",
    "tests/protocols/engines/test_local.py",
    "tests/securenb/schema",
    "tests/securenb/bayes",
    "tests/securenb/privacy/test_ledger.py",
    "tests/securenb/federation/test_federation.py",
    "tests/test_evidence.py",
)
"""Where a minute is best spent: arithmetic, schema, model, ledger, and whole rounds."""


def pytest_collection_modifyitems(items):
    """Mark what is fast among these as `smoke`."""
    for item in items:
        path = item.path.relative_to(item.config.rootpath).as_posix()
        if path.startswith(SMOKE) and item.get_closest_marker("slow") is None:
            item.add_marker("smoke")


@pytest.fixture(autouse=True, scope="session")
def offline():
    """No test reaches for the network."""

    def refuse(self, url, *rest, **options):
        raise OSError("tests download nothing")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pooch.HTTPDownloader, "__call__", refuse)
        yield


@pytest.fixture(autouse=True)
def no_guests_stay(monkeypatch):
    """What a test adds to the catalogues, from plug-in files or as objects, is gone after it."""
    for door, name in ((protocols, "PROTOCOLS"), (nb, "RULES"), (nb, "PREAGGREGATIONS"), (nb, "MECHANISMS"),
                       (attacks, "POISONS"), (attacks, "DEVIATIONS"), (attacks, "INFERENCES")):  # fmt: skip
        getattr(door, name)  # a catalogue is there when its contract has been imported
    monkeypatch.setattr("protocols.plugins._LOADED", {})
    for catalogue in CATALOGUES.values():
        monkeypatch.setattr(catalogue, "_guests", catalogue.guests())


@pytest.fixture(scope="session")
def dataset() -> Callable[[str], Dataset]:
    """Loads a data set by name, once, or skips the test with the reason why it is not here."""
    return _load_or_skip


@cache
def _load_or_skip(name: str) -> Dataset:
    try:
        return load_dataset(name)
    except DatasetUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def as_files():
    """Writes a schema as TOML and records as CSV, as people have them; the paths."""
    return _as_files


def _as_files(folder: Path, schema: Schema, records: dict[str, Records]) -> tuple[Path, dict[str, Path]]:
    data = schema_to_dict(schema)
    lines = [f"label = {json.dumps(data['label'])}", f"classes = {json.dumps(data['classes'])}"]
    for feature in data["features"]:  # JSON's strings, numbers and lists are TOML's
        lines += ["[[features]]", *(f"{key} = {json.dumps(value)}" for key, value in feature.items())]
    (folder / "schema.toml").write_text("\n".join(lines) + "\n")
    paths = {}
    for name, held in records.items():
        columns = {
            feature.name: feature.decode(held.codes[:, at]) for at, feature in enumerate(schema.features)
        }
        columns[schema.label] = [schema.classes[label] for label in held.labels]
        paths[name] = folder / f"{name}.csv"
        pd.DataFrame(columns).to_csv(paths[name], index=False)
    return folder / "schema.toml", paths
