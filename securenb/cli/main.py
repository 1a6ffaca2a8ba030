"""Finds the commands, runs one, and turns a user's mistake into one clear line and exit code 2."""

import importlib
import pkgutil
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from types import ModuleType
from typing import Any

import typer

from protocols.errors import Abort
from securenb.cli import commands

MISTAKE = 2
ABORTED = 4


def build(arguments: Sequence[str] = ()) -> typer.Typer:
    """The application: a command for each file in `securenb/cli/commands/`.

    Parameters
    ----------
    arguments
        What it will be asked. If they begin with a command, no other one is imported.
    """
    app = typer.Typer(
        name="securenb",
        help="One-shot federated Naive Bayes: poisoning resilience, secure aggregation, privacy accounting.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(lambda: None)
    _add(app, commands, arguments)
    return app


def _add(app: typer.Typer, folder: ModuleType, arguments: Sequence[str]) -> None:
    """Give `app` the commands in a folder; a folder in it is a group of commands."""
    modules = {found.name.removesuffix("_"): found for found in pkgutil.iter_modules(folder.__path__)}
    asked = [name for name in arguments[:1] if name in modules]
    for name in asked or sorted(modules):
        module: Any = importlib.import_module(f"{folder.__name__}.{modules[name].name}")
        if modules[name].ispkg:
            group = typer.Typer(help=module.__doc__, no_args_is_help=True)
            _add(group, module, arguments[1:])
            app.add_typer(group, name=name)
        else:
            app.command(name)(module.command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code.

    2 is a user's mistake, 4 a protocol run that ended without a result; each with one line on standard
    error. Anything else that escapes is a bug, and its traceback is shown.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what a terminal cannot show must not change the exit code
            stream.reconfigure(errors="backslashreplace")
    if arguments is not None:
        sys.argv = ["securenb", *arguments]  # manifests keep the command
    try:
        result = build(sys.argv[1:])(args=sys.argv[1:], standalone_mode=False)
    except (ValueError, OSError) as error:
        return _say(str(error), MISTAKE)
    except Abort as abort:
        return _say(f"the run was aborted, nothing was released: {abort}", ABORTED)
    except KeyboardInterrupt:
        return _say("interrupted", 130)
    except Exception as error:
        # typer's own usage errors: it ships its parser, or not, depending on its version
        if hasattr(error, "format_message") and hasattr(error, "exit_code"):
            message = error.format_message()
            if message.startswith("Missing option"):
                message += f" {getattr(getattr(error, 'param', None), 'help', None) or ''}"
            return _say(message, MISTAKE) if message else MISTAKE
        raise
    return result if isinstance(result, int) else 0


def _say(message: str, code: int) -> int:
    print(f"securenb: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201 - the command line speaks
    return code
