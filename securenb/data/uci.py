"""Finding the files of a UCI data set: in `SECURENB_DATA`, in the user's cache, or at UCI itself.

Files are known by what they say, not by their bytes: a table counts as found if, once parsed, it is exactly
the published one. A download is parsed and checked before it gets a place in the cache.
"""

import io
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import platformdirs
import pooch
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn

from securenb.data.dataset import DatasetSource, DatasetUnavailable

ENVIRONMENT = "SECURENB_DATA"
"""The environment variable that names a folder of data sets."""


@dataclass(frozen=True)
class TableFile:
    """A table of a UCI data set and the names under which its file is known.

    Attributes
    ----------
    names
        Shell-style patterns, case-insensitive; the first is the one that errors recommend.
    """

    names: tuple[str, ...]

    def matches(self, name: str) -> bool:
        """Whether a file of that name, in whatever folder, holds this table."""
        return any(fnmatchcase(Path(name).name.lower(), pattern.lower()) for pattern in self.names)


class UciSource(DatasetSource):
    """A data set of the UCI Machine Learning Repository.

    Attributes
    ----------
    origin
        Its page at UCI.
    folder
        The folder of its files within `SECURENB_DATA`.
    files
        One for each table of `read`.
    columns
        The columns of the files, in order.
    """

    folder: ClassVar[str]
    files: ClassVar[tuple[TableFile, ...]]
    columns: ClassVar[tuple[str, ...]]

    @property
    def url(self) -> str:
        """Where UCI has the files, in one ZIP archive."""
        return self.origin.replace("/dataset/", "/static/public/") + ".zip"

    @property
    def archive(self) -> str:
        """The name of that archive."""
        return self.url.rpartition("/")[2]

    def read(self) -> list[pd.DataFrame]:
        """See `DatasetSource.read`; downloads if it must."""
        for root in self._roots():
            if (contents := self._find(root)) is not None:
                return self._published(contents, str(root))
        return self._download()

    def parse(self, content: bytes) -> pd.DataFrame:
        """The table in a file: separated by commas or tabs, with or without spaces, header, comments."""
        text = content.decode("utf-8-sig").replace("\t", ",")
        lines = [line for line in text.splitlines() if line.strip() and not line.startswith("|")]
        if lines and [name.strip() for name in lines[0].split(",")] == list(self.columns):
            del lines[0]
        separators = len(self.columns) - 1
        if any(line.count(",") != separators for line in lines):
            raise ValueError(f"{self.title}: a line has not {len(self.columns)} fields")
        table = pd.read_csv(
            io.StringIO("\n".join(lines)),
            names=list(self.columns),
            dtype=str,
            keep_default_na=False,
            skipinitialspace=True,
        )
        for feature in self.schema.features:
            # text to number here and not in read_csv, whose rounding depends on pandas' version
            values = table[feature.name].str.strip()
            table[feature.name] = values.astype(np.float64) if feature.bounds is not None else values
        table[self.schema.label] = self.tidy(table[self.schema.label].str.strip())
        return table

    def tidy(self, labels: pd.Series) -> pd.Series:
        """The labels as the schema spells them."""
        return labels

    def _roots(self) -> Iterator[Path]:
        if chosen := os.environ.get(ENVIRONMENT):
            yield Path(chosen)
        yield _cache()

    def _find(self, root: Path) -> list[bytes] | None:
        """The contents of the files under `root`, as they are or in UCI's archive; `None` if not there."""
        for folder in (root / self.folder, root):
            if not folder.is_dir():
                continue
            present = sorted(path for path in folder.iterdir() if path.is_file())
            found = [next(filter(lambda p: file.matches(p.name), present), None) for file in self.files]
            paths = [path for path in found if path is not None]
            if len(paths) == len(self.files):
                return [path.read_bytes() for path in paths]
            archive = folder / self.archive
            if archive.is_file():
                return self._unpack(archive, str(archive))
        return None

    def _unpack(self, archive: Path, origin: str) -> list[bytes]:
        contents = []
        try:
            with zipfile.ZipFile(archive) as opened:
                names = sorted(opened.namelist())
                for file in self.files:
                    name = next(filter(file.matches, names), None)
                    if name is None:
                        raise ValueError(f"{origin} holds no {file.names[-1]}")
                    contents.append(opened.read(name))
        except (zipfile.BadZipFile, zlib.error) as error:
            raise ValueError(f"{origin} is damaged: {error}") from error
        return contents

    def _published(self, contents: list[bytes], origin: str) -> list[pd.DataFrame]:
        """The tables in `contents`, or a `ValueError` that names `origin`."""
        try:
            tables = [self.parse(content) for content in contents]
            self.check(tables)
        except ValueError as error:
            raise ValueError(f"{error}, in {origin}") from error
        return tables

    def _download(self) -> list[pd.DataFrame]:
        """Download, parse and check, and only then keep the archive in the cache."""
        cache = _cache()
        try:
            cache.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=cache, prefix=".partial-") as partial:
                archive = Path(partial) / self.archive
                fetch(self.url, archive)
                tables = self._published(self._unpack(archive, self.url), self.url)
                archive.replace(cache / archive.name)
                return tables
        except (OSError, ValueError) as error:
            raise DatasetUnavailable(self._advice(error)) from error

    def _advice(self, error: Exception) -> str:
        where = os.environ.get(ENVIRONMENT)
        named = " and ".join(f"{self.folder}/{file.names[0]}" for file in self.files)
        reason = str(error) if isinstance(error, ValueError) else f"{self.url}: {type(error).__name__}"
        return (
            f"{self.title} is not in {ENVIRONMENT} ({where or 'not set'}) nor in {_cache()}, and it cannot "
            f"be downloaded ({reason}); offline, set {ENVIRONMENT} to a folder that holds {named}, or "
            f"{self.url} as {self.archive}"
        )


def _cache() -> Path:
    return platformdirs.user_cache_path("securenb") / "datasets"


def fetch(url: str, target: Path) -> None:
    """Download `url` to `target`, with a progress bar on a terminal; raises `OSError` if it cannot."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = _Bar(progress, progress.add_task(target.name, total=None))
        pooch.HTTPDownloader(progressbar=bar)(url, str(target), None)


class _Bar:
    """A bar of rich's with the handles by which pooch moves one."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if name == "total":
            self._progress.update(self._task, total=float(str(value)) or None)

    def update(self, size: int) -> None:
        self._progress.advance(self._task, size)

    def reset(self) -> None:
        self._progress.update(self._task, completed=0)

    def close(self) -> None:
        self._progress.stop_task(self._task)
