"""The options that commands share, spelt once."""

import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from securenb.cli.console import Json as Json
from securenb.experiments.scenario import Scenario
from securenb.report.page import PAGE, Report

Choose = Callable[..., Scenario]
"""Completes the shared options to a scenario."""

Out = Annotated[Path | None, typer.Option(help="A folder for results, manifest and pictures.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an earlier run in that folder.")]
WithReport = Annotated[bool, typer.Option("--report", help="End with report.html in that folder.")]

SchemaFile = Annotated[str | None, typer.Option("--schema", help="The schema of your file, in TOML.")]
LabelColumn = Annotated[str | None, typer.Option(help="Your file's label column, if not the schema's.")]
NodeColumn = Annotated[
    str | None, typer.Option(help="Your file's column that names the node of each record.")
]
TestFile = Annotated[str | None, typer.Option("--test", help="A file to be judged on; else 1 row in 10.")]

_REQUIRED = inspect.Parameter.empty

SCENARIO: dict[str, tuple[Any, Any]] = {
    "dataset": (
        Annotated[str, typer.Argument(help="A data set (`securenb list datasets`), or your own file.")],
        _REQUIRED,
    ),
    "nodes": (
        Annotated[int | None, typer.Option(help="How many nodes the training records are dealt to.")],
        None,
    ),
    "schema_file": (SchemaFile, None),
    "label": (LabelColumn, None),
    "node_column": (NodeColumn, None),
    "test_file": (TestFile, None),
    "epsilon": (
        Annotated[
            str, typer.Option(help="What one opened row costs a record (add/remove); `none` for no noise.")
        ],
        _REQUIRED,
    ),
    "delta": (
        Annotated[
            float | None,
            typer.Option(help="What epsilon holds up to; for mechanisms that need one, such as skellam."),
        ],
        None,
    ),
    "mechanism": (Annotated[str, typer.Option(help="The noise.")], "discrete_laplace"),
    "rule": (
        Annotated[str, typer.Option(help="How opened rows become a model; `nnm+krum` mixes, then chooses.")],
        "sum",
    ),
    "malicious_bound": (
        Annotated[
            int,
            typer.Option(help="Nodes that may be malicious; refused if the rule does not withstand them."),
        ],
        0,
    ),
    "group_size": (
        Annotated[str, typer.Option(help="Nodes in a group that is summed: a number, or `all`.")],
        "all",
    ),
    "threshold": (
        Annotated[
            int | None,
            typer.Option(help="The fewest nodes a group is opened with; by default what the protocol needs."),
        ],
        None,
    ),
    "colluding": (
        Annotated[int, typer.Option(help="Nodes of a group that may reveal their noise to the aggregator.")],
        0,
    ),
    "record_cap": (
        Annotated[
            int | None,
            typer.Option(help="The most records a node may hold; with protocol verified, what it proves."),
        ],
        None,
    ),
    "split": (
        Annotated[
            bool,
            typer.Option("--split", help="Nodes above the cap submit several times, as one identity."),
        ],
        False,
    ),
    "sizes": (Annotated[str, typer.Option(help="Records a node: equal, uniform or exponential.")], "equal"),
    "label_skew": (
        Annotated[
            float | None, typer.Option(help="Dirichlet parameter of labels over nodes; small is skewed.")
        ],
        None,
    ),
    "numeric": (Annotated[str, typer.Option(help="Numbers as `gaussian` or `histogram`.")], "gaussian"),
    "consistency": (
        Annotated[
            bool,
            typer.Option("--consistency/--no-consistency", help="Make noisy counts of a class add up."),
        ],
        True,
    ),
    "shrinkage": (
        Annotated[
            bool,
            typer.Option("--shrinkage/--no-shrinkage", help="Pull what is below the noise to pooled values."),
        ],
        False,
    ),
    "seed": (
        Annotated[
            int | None,
            typer.Option(help="Makes it a reproducible simulation; without it noise and keys are secret."),
        ],
        None,
    ),
}
"""Name, type and default of each choice that makes a scenario, besides the protocol."""


def with_scenario(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the scenario's options; its first parameter gets a `Choose`."""
    own = list(inspect.signature(command).parameters.values())[1:]
    keyword = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter(name, keyword, default=default, annotation=annotation)
        for name, (annotation, default) in SCENARIO.items()
    ]

    def wrapped(**values: Any) -> Any:
        choices = {name: values.pop(name) for name in SCENARIO}
        choices["group_size"] = group_size(choices["group_size"])
        return command(partial(Scenario.checked, **choices), **values)

    parameters = [*shared, *(parameter.replace(kind=keyword) for parameter in own)]
    wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    wrapped.__doc__ = command.__doc__
    return wrapped


def group_size(text: str) -> int | None:
    """The number of nodes in a group; `None` for one group of all."""
    if text == "all":
        return None
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"--group-size is a number or `all`, got {text!r}") from None


def report_page(out: Path | None, *, wanted: bool) -> Path | None:
    """Where the report goes, if it is wanted; a `ValueError` if there is no folder for it."""
    if not wanted:
        return None
    if out is None:
        raise ValueError("--report needs a folder to put the page in: add --out")
    return out / PAGE


def write_report(page: Path | None) -> None:
    """Write the report about the run folder that `page` is to be in, if it is wanted."""
    if page is not None:
        Report.read(page.parent).write(page)
