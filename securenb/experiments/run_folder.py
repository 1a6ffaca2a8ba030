"""A folder with everything a run produced: it appears whole, or not at all."""

import hashlib
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from protocols.plugins import plugins

MANIFEST = "manifest.json"
NAMED = ("securenb", "numpy", "pandas", "scikit-learn", "cryptography", "phe", "gmpy2")


@contextmanager
def run_folder(out: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """A fresh folder beside `out` that becomes `out` when the block ends well, and vanishes otherwise.

    Raises
    ------
    ValueError
        If `out` cannot be written, or holds something and `overwrite` is not set.
    """
    out = out.absolute()
    try:
        if out.exists() and not out.is_dir():
            raise ValueError(f"{out} is not a folder")
        if out.exists() and any(out.iterdir()):
            if not overwrite:
                raise ValueError(f"{out} is not empty; choose another folder, or add --overwrite")
            if not (out / MANIFEST).is_file():
                raise ValueError(f"{out} holds something that is not a run; it will not be overwritten")
        out.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    except OSError as error:
        raise ValueError(f"cannot write to {out}: {error.strerror}") from None
    try:
        yield draft
        for path in draft.iterdir():
            _sync(path)
        draft.chmod(0o755)
        old = None
        if out.exists():
            old = draft.with_name(draft.name + ".old")
            out.rename(old)
        draft.rename(out)
        if old is not None:
            shutil.rmtree(old)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


class Replayable(Protocol):
    """What a manifest describes: choices that make a run, seed included."""

    @property
    def seed(self) -> int | None:
        """`None` if the run cannot be repeated."""

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """The choices, as JSON values."""


def write_manifest(folder: Path, scenario: Replayable, **more: Any) -> None:
    """`manifest.json`: scenario, seed, versions, and a digest of every other file in the folder."""
    files = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.name != MANIFEST
    }
    simulation = scenario.seed is not None
    if files_of_methods := {str(plugin.path): plugin.digest for plugin in plugins()}:
        more = {"plugins": files_of_methods, **more}
    manifest = {
        "scenario": scenario.model_dump(mode="json"),
        "seed": scenario.seed,
        "simulation": simulation,
        "randomness": (
            "simulation: noise and keys follow from the seed, nothing here is secret"
            if simulation
            else "noise and keys from the operating system's entropy"
        ),
        "command": ["securenb", *sys.argv[1:]],
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {"python": platform.python_version(), **{name: version(name) for name in NAMED}},
        "platform": platform.platform(),
        **more,
        "files": files,
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
