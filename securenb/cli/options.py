"""The options that commands share, derived from where choices are declared."""

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, get_origin

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from securenb.cli.console import Json as Json
from securenb.experiments.declare import described, of, option_of, word_of
from securenb.experiments.scenario import Scenario

Choose = Callable[..., Scenario]
"""Completes the shared options to a scenario."""

Out = Annotated[Path | None, typer.Option(help="A folder for results, manifest and pictures.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an earlier run in that folder.")]
WithReport = Annotated[bool, typer.Option("--report", help="End with report.html in that folder.")]


def option(kind: type[BaseModel], name: str) -> Any:
    """The option, or for a data set the argument, of a declared choice."""
    field = of(kind, name)
    if name == "dataset":
        return typer.Argument(help=described(field))
    flag = "--" + (option_of(field) or name).replace("_", "-")
    # a switch can be turned both ways, whatever its default
    spelt = f"{flag}/--no-{flag[2:]}" if field.annotation in (bool, bool | None) else flag
    return typer.Option(spelt, help=described(field))


SchemaFile = Annotated[str | None, option(Scenario, "schema_file")]
LabelColumn = Annotated[str | None, option(Scenario, "label")]
NodeColumn = Annotated[str | None, option(Scenario, "node_column")]
TestFile = Annotated[str | None, option(Scenario, "test_file")]


def options(
    kind: type[BaseModel], without: Collection[str] = (), defaults: Mapping[str, Any] | None = None
) -> list[inspect.Parameter]:
    """A parameter of a command for each choice that `kind` declares.

    Parameters
    ----------
    without
        Choices that the command makes itself.
    defaults
        Those of this command.
    """
    given = defaults or {}
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=given[name] if name in given else _default(field),
            annotation=Annotated[_type(field, optional=given.get(name, 0) is None), option(kind, name)],
        )
        for name, field in kind.model_fields.items()
        if name not in without
    ]


def with_choices(
    kind: type[BaseModel], without: Collection[str] = (), defaults: Mapping[str, Any] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the options of `kind`; its first parameter gets the choices, as a dictionary.

    What was left to its default is not in the dictionary, unless it is the command's own default.

    Parameters
    ----------
    without, defaults
        See `options`.
    """
    shared = options(kind, without, defaults)

    def give(command: Callable[..., Any]) -> Callable[..., Any]:
        keyword = inspect.Parameter.KEYWORD_ONLY
        own = list(inspect.signature(command).parameters.values())[1:]

        def wrapped(**values: Any) -> Any:
            said = {parameter.name: values.pop(parameter.name) for parameter in shared}
            silent = {each.name: each.default for each in shared if each.name not in (defaults or {})}
            chosen = {name: value for name, value in said.items() if silent.get(name, said) != value}
            return command({name: value for name, value in chosen.items() if value is not None}, **values)

        parameters = [*shared, *(parameter.replace(kind=keyword) for parameter in own)]
        wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        wrapped.__doc__ = command.__doc__
        return wrapped

    return give


def with_scenario(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the scenario's options; its first parameter gets a `Choose`."""

    def chosen(choices: dict[str, Any], **values: Any) -> Any:
        return command(partial(Scenario.checked, **choices), **values)

    chosen.__signature__ = inspect.signature(command)  # type: ignore[attr-defined]
    chosen.__doc__ = command.__doc__
    # commands name the protocol themselves: one, or several
    return with_choices(Scenario, without=("protocol",))(chosen)


def _type(field: FieldInfo, *, optional: bool) -> Any:
    """What typer reads: lists and choices that have a word are text, which the declaration reads."""
    kind = field.annotation
    if get_origin(kind) is list or word_of(field) is not None:
        kind = str
    elif optional and not isinstance(kind, UnionType):
        kind = kind | None  # type: ignore[operator,assignment]
    return str | None if optional and kind is str else kind


def _default(field: FieldInfo) -> Any:
    if field.is_required():
        return inspect.Parameter.empty
    word = word_of(field)
    if get_origin(field.annotation) is list:
        items = [word if item is None else item for item in field.default]
        return ",".join(f"{item:g}" if isinstance(item, float) else str(item) for item in items)
    return word if field.default is None and word is not None else field.default


def report_page(out: Path | None, *, wanted: bool) -> Path | None:
    """Where the report goes, if it is wanted; a `ValueError` if there is no folder for it."""
    if not wanted:
        return None
    if out is None:
        raise ValueError("--report needs a folder to put the page in: add --out")
    from securenb.report.page import PAGE  # charts take half a second, which most runs can do without

    return out / PAGE


def write_report(page: Path | None) -> None:
    """Write the report about the run folder that `page` is to be in, if it is wanted."""
    if page is not None:
        from securenb.report.page import Report

        Report.read(page.parent).write(page)
