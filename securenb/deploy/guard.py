"""Stands between Flower and the apps that it would run: it accepts our one-file app and no other.

A malicious coordinator could ship any code to sites, and any client that reaches it could submit
any to it. So before Flower unpacks an app, the guard looks into it. It fails closed: if Flower's
internals are not where they were, nothing runs.
"""

import io
import tomllib
import zipfile
from collections.abc import Callable
from types import ModuleType
from typing import Any

from securenb.deploy.launch import app_file

OURS = "pyproject.toml"
BOOKKEEPING = ".info/"

REFUSED = "the app that was shipped"
"""How the guard's refusals begin."""


def check_app(bundle: bytes) -> None:
    """Raise `ValueError` unless a bundle holds our one file, meaning the same, and nothing else."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        for name in archive.namelist():
            if name != OURS and not name.startswith(BOOKKEEPING):
                raise ValueError(f"{REFUSED} contains {name!r}: it is not ours, and not run")
        found = tomllib.loads(archive.read(OURS).decode())["tool"]["flwr"]["app"]
    wanted = tomllib.loads(app_file())["tool"]["flwr"]["app"]
    if found["components"] != wanted["components"]:
        raise ValueError(f"{REFUSED} would run {found['components']}: it is not run")


def guarded(unpack: Callable[..., Any]) -> Callable[..., Any]:
    """Flower's function that unpacks an app, behind `check_app`."""

    def checked(bundle: bytes, *arguments: Any, **options: Any) -> Any:
        check_app(bundle)
        return unpack(bundle, *arguments, **options)

    return checked


def guard(place: ModuleType) -> None:
    """Put the guard into the module of Flower's that unpacks apps; an `AttributeError` if it doesn't."""
    place.install_from_fab = guarded(place.install_from_fab)  # type: ignore[attr-defined]
