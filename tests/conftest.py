"""Fixtures for all tests: nothing is downloaded, and data sets that are not here are skipped."""

from collections.abc import Callable
from functools import cache

import pooch
import pytest

from securenb.dataset import Dataset, DatasetUnavailable, load_dataset


@pytest.fixture(autouse=True, scope="session")
def offline():
    """No test reaches for the network."""

    def refuse(self, url, *rest, **options):
        raise OSError("tests download nothing")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pooch.HTTPDownloader, "__call__", refuse)
        yield


@pytest.fixture
def dataset() -> Callable[[str], Dataset]:
    """Loads a data set by name, once, or skips the test with the reason why it is not here."""
    return _load_or_skip


@cache
def _load_or_skip(name: str) -> Dataset:
    try:
        return load_dataset(name)
    except DatasetUnavailable as error:
        pytest.skip(str(error))
