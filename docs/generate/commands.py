"""The page of the command line: every command with every option, as the commands declare them."""

from collections.abc import Iterator
from typing import Any

import typer

from securenb.cli.main import build

INTRODUCTION = """# Commands

`securenb COMMAND --help` prints the same. A mistake is one line on standard error and exit code 2; a protocol
run that ends without a result has exit code 4. `securenb --plugin FILE COMMAND ...` makes methods of your own
known by name, and `securenb --install-completion` completes names in your shell.
"""


def commands(command: Any = None, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that does something, with the words that name it."""
    command = command or typer.main.get_command(build(None))
    found = getattr(command, "commands", None)
    if found is None:
        yield words, command
        return
    for name in sorted(found):
        yield from commands(found[name], (*words, name))


def row(option: str, text: str) -> str:
    """A line of a table: how an option is typed, and what it is for, as help prints them."""
    typed, meant = (each.replace("\\[", "[").replace("|", "\\|") for each in (option, text))
    return f"| `{' '.join(typed.split())}` | {meant.replace('<', '&lt;')} |"  # in code nothing is escaped


def entry(words: tuple[str, ...], command: Any) -> str:
    """The lines of one command."""
    name = " ".join(["securenb", *words])
    context = command.make_context(name, [], resilient_parsing=True)
    records = [each.get_help_record(context) for each in command.get_params(context)]
    lines = [f"## `{name}`", "", f"`{' '.join(command.get_usage(context).split()[1:])}`", ""]
    lines += [command.help or "", "", "| option | meaning |", "| --- | --- |"]
    return "\n".join([*lines, *(row(*each) for each in records if each)])


def pages() -> Iterator[tuple[str, str]]:
    """The name and the text of the page."""
    yield "commands", "\n\n".join([INTRODUCTION, *(entry(*each) for each in commands())]) + "\n"
