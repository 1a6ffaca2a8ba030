"""Finds the commands, runs one, and turns a user's mistake into one clear line and exit code 2."""

import ast
import importlib
import inspect
import os
import pkgutil
import re
import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from protocols.errors import Abort

MISTAKE = 2
ABORTED = 4
COMPLETION = "_SECURENB_COMPLETE"
HELP = {"help_option_names": ["-h", "--help"]}


class Command(TyperCommand):
    """A command whose help shows brackets as they are, and whose options take no option for their value.

    typer escapes the brackets around defaults for rich's markup even where no markup is read; and its parser
    takes ``--epsilon`` for the second file in ``--released a.csv --epsilon 1``.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """See `typer.core.TyperCommand`."""
        takes = {name: each.nargs for each in self.params for name in each.opts if name.startswith("-")}
        takes |= {name: 0 for each in self.params if getattr(each, "is_flag", False) for name in each.opts}
        words = args[: args.index("--")] if "--" in args else args
        for at, option in enumerate(words):
            for value in words[at + 1 : at + 1 + takes.get(option, 0)]:
                if value in takes:
                    many = f"{takes[option]} values" if takes[option] > 1 else "a value"
                    raise ValueError(f"{option} needs {many}, got the option {value} in place of one")
        return super().parse_args(ctx, args)

    def get_help(self, ctx: Any) -> str:
        """The whole help text."""
        return super().get_help(ctx).replace("\\[", "[")


def build(arguments: Sequence[str] | None = None) -> typer.Typer:
    """The application: a command for each file in `securenb/cli/commands/`.

    Parameters
    ----------
    arguments
        What it will be asked: only the command that they begin with is imported, the others are there by
        name, with what they say of themselves. `None` for all of them.
    """
    app = _typer(
        "One-shot federated Naive Bayes: poisoning resilience, secure aggregation, privacy accounting.",
        completion=True,
    )
    app.callback()(_outside_of_commands)
    _add(app, "securenb.cli.commands", arguments)
    return app


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it
    if wanted:
        from importlib.metadata import version

        typer.echo(f"securenb {version('securenb')}")
        raise typer.Exit


Plugins = Annotated[
    list[Path] | None,
    typer.Option("--plugin", help="A Python file with methods of your own; several times for several."),
]


def _load(plugins: list[Path] | None) -> None:
    if plugins:
        from protocols.plugins import load_plugin

        for path in plugins:
            load_plugin(path)


def _outside_of_commands(
    *,
    version: Annotated[  # noqa: ARG001 - its callback has answered
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
    plugin: Plugins = None,
) -> None:
    """What stands before a command's name."""
    _load(plugin)


def _before_a_command(*, plugin: Plugins = None) -> None:
    """What stands before the name of a command of a group."""
    _load(plugin)


def _after_plugins(arguments: Sequence[str]) -> Sequence[str]:
    """The arguments from the command's name on: files of methods may stand before it."""
    while arguments and arguments[0].partition("=")[0] == "--plugin":
        arguments = arguments[1 if "=" in arguments[0] else 2 :]
    return arguments


def _typer(says: str, *, completion: bool = False) -> typer.Typer:
    # rich's markup would take `[flower]` in a help text for a colour
    return typer.Typer(
        name="securenb",
        help=says,
        no_args_is_help=True,
        add_completion=completion,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings=HELP,
    )


def _add(app: typer.Typer, folder: str, arguments: Sequence[str] | None) -> None:
    """Give `app` the commands in a folder; a folder in it is a group of commands."""
    path = Path(__file__).parent.joinpath(*folder.split(".")[2:])
    modules = {found.name.removesuffix("_"): found for found in pkgutil.iter_modules([str(path)])}
    arguments = arguments and _after_plugins(arguments)
    asked = [name for name in (arguments or ())[:1] if name in modules]
    for name in asked or sorted(modules):
        dotted, file = f"{folder}.{modules[name].name}", path / modules[name].name
        wanted = bool(asked) or arguments is None
        if modules[name].ispkg:
            group = _typer(_docstring(file / "__init__.py"))
            group.callback()(_before_a_command)
            _add(group, dotted, arguments[1:] if arguments and asked else arguments and ())
            app.add_typer(group, name=name)
        elif wanted:
            module: Any = importlib.import_module(dotted)
            app.command(name, cls=Command, context_settings=HELP)(with_plugins(module.command))
        else:
            app.command(name, cls=Command, help=_docstring(file.with_suffix(".py"), "command"))(lambda: None)


def _docstring(path: Path, function: str | None = None) -> str:
    """What a file, or a function in it, says of itself; nothing is imported for that."""
    tree: ast.Module | ast.FunctionDef = ast.parse(path.read_text(encoding="utf-8"))
    if function is not None:
        tree = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function)
    return ast.get_docstring(tree) or ""


def with_plugins(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command, with an option for files of other people's methods, which are loaded before it runs."""
    own = inspect.signature(command)
    parameter = inspect.Parameter("plugin", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Plugins)

    def wrapped(*, plugin: list[Path] | None = None, **values: Any) -> Any:
        _load(plugin)
        return command(**values)

    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own.parameters.values()]
    wrapped.__signature__ = inspect.Signature([*parameters, parameter])  # type: ignore[attr-defined]
    wrapped.__annotations__ = {each.name: each.annotation for each in (*parameters, parameter)}
    wrapped.__doc__ = command.__doc__
    return wrapped


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
    asked = None if COMPLETION in os.environ else sys.argv[1:]  # a shell asks for names of any command
    try:
        result = build(asked)(args=sys.argv[1:], prog_name="securenb", standalone_mode=False)
    except (ValueError, OSError) as error:
        return _say(str(error), MISTAKE)
    except Abort as abort:
        return _say(f"the run was aborted, nothing was released: {abort}", ABORTED)
    except KeyboardInterrupt:
        return _say("interrupted", 130)
    except Exception as error:
        # typer's own usage errors: it ships its parser, or not, depending on its version
        if hasattr(error, "format_message") and hasattr(error, "exit_code"):
            message = one_suggestion(error.format_message())
            if message.startswith("Missing option"):
                message += f" {getattr(getattr(error, 'param', None), 'help', None) or ''}"
            return _say(message, MISTAKE) if message else MISTAKE
        raise
    return result if isinstance(result, int) else 0


def one_suggestion(message: str) -> str:
    """The message with one suggestion in one wording, whichever versions of typer and of its parser made it.

    Some suggest a name twice, some in brackets.
    """
    message = re.sub(r" \(Possible options: ([^)]*)\)", r" Did you mean \1?", message)
    return re.sub(r"( Did you mean [^?]*\?)\1", r"\1", message)


def _say(message: str, code: int) -> int:
    print(f"securenb: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201 - the command line speaks
    return code
