"""Stands in for the commands with which Flower runs an app: it accepts our one-file app and no other.

A lying coordinator could ship any code to sites, and anybody who can reach the coordinator could submit
any to it. So before Flower unpacks an app, the guard looks into it. It fails closed: if Flower's
internals are not where they were, nothing runs.
"""

import importlib
import io
import sys
import tomllib
import zipfile
from collections.abc import Callable
from typing import Any

from securenb.deploy.launch import app_file

OURS = "pyproject.toml"
BOOKKEEPING = ".info/"

PLACES = {
    "serverapp": ("flwr.superlink.runtime.run_serverapp", "flwr.superlink.cli", "flwr_serverapp"),
    "clientapp": ("flwr.supernode.runtime.run_clientapp", "flwr.supernode.cli", "flwr_clientapp"),
}
"""For each app: where Flower unpacks it, and the command that does."""


def check_app(bundle: bytes) -> None:
    """Raise `ValueError` unless a bundle holds our one file, meaning the same, and nothing else."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        for name in archive.namelist():
            if name != OURS and not name.startswith(BOOKKEEPING):
                raise ValueError(f"the app that was shipped contains {name!r}: it is not ours, and not run")
        found = tomllib.loads(archive.read(OURS).decode())["tool"]["flwr"]["app"]
    wanted = tomllib.loads(app_file())["tool"]["flwr"]["app"]
    if found["components"] != wanted["components"]:
        raise ValueError(f"the app that was shipped would run {found['components']}: it is not run")


def guarded(unpack: Callable[..., Any]) -> Callable[..., Any]:
    """Flower's function that unpacks an app, behind `check_app`."""

    def checked(bundle: bytes, *arguments: Any, **options: Any) -> Any:
        check_app(bundle)
        return unpack(bundle, *arguments, **options)

    return checked


def main(app: str) -> None:
    """Run Flower's command for `app`, guarded."""
    place, command_module, command = PLACES[app]
    module = importlib.import_module(place)
    # an AttributeError here is the guard failing closed
    module.install_from_fab = guarded(module.install_from_fab)  # type: ignore[attr-defined]
    getattr(importlib.import_module(command_module), command)()


if __name__ == "__main__":
    main(sys.argv.pop(1))
