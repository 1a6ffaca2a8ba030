"""A page for each method of each catalogue: what it does, source, parameters, claims, example, curve."""

import inspect
import re
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import claims
import curves
import examples

from attacks.deviation import DEVIATIONS
from attacks.inference import INFERENCES
from attacks.poison import POISONS
from protocols.catalogue import Catalogue, summary
from protocols.protocol import PROTOCOLS
from securenb.data.dataset import DATASETS
from securenb.privacy.mechanism import MECHANISMS
from securenb.robust.preaggregation import PREAGGREGATIONS
from securenb.robust.rule import RULES

YEAR = re.compile(r"\b(19|20)\d\d\b")
CODE = re.compile(r"(`+[^`]*`+)")


@dataclass(frozen=True)
class Kind:
    """One catalogue and what its pages hold.

    Attributes
    ----------
    folder
        Where its pages are, which is what `securenb list` calls it.
    title, introduction
        Of its index; the field's term first.
    example
        Code, of a name and a class.
    claimed
        Lines about what one promises.
    """

    folder: str
    catalogue: Catalogue[Any]
    title: str
    introduction: str
    example: Callable[[str, Any], str]
    claimed: Callable[[str, Any], Iterator[str]]


KINDS = [
    Kind("rules", RULES, "Aggregation rules",
         "A robust aggregation rule (GAR; here: *rule*) makes the parameters of one model from "
         "the opened sums of groups (*rows*), of which some may come from malicious clients. "
         "Chosen by `--rule` and `--rules`.",
         examples.of_rule, claims.of_rule),
    Kind("preaggregations", PREAGGREGATIONS, "Pre-aggregations",
         "What mixes, clips or buckets rows before a rule sees them: `nnm+krum`.",
         examples.of_preaggregation, claims.nothing),
    Kind("poisons", POISONS, "Poisoning attacks",
         "A poisoning attack (here: *poison*) says what malicious (Byzantine) clients send in "
         "place of their statistics. Every one has four switches: `:inside` stays within what "
         "proofs accept, `:local` knows only its own data, `:blind` nothing but what is public, "
         "`:noisy` adds noise as honest clients do.",
         examples.filled(examples.POISON), claims.of_poison),
    Kind("protocols", PROTOCOLS, "Secure aggregation protocols",
         "A protocol opens sums of groups, nothing finer. Chosen by `--protocol`, `--protocols`.",
         examples.filled(examples.PROTOCOL), claims.of_protocol),
    Kind("mechanisms", MECHANISMS, "Noise mechanisms",
         "A mechanism adds integer noise in shares, so that the honest clients' shares in a sum "
         "make up the noise of one query (here: a *dose*). Chosen by `--mechanism`.",
         examples.of_mechanism, claims.nothing),
    Kind("deviations", DEVIATIONS, "Attacks on protocols",
         "An active attack on a protocol (here: *deviation*) turns one party into another that "
         "breaks the rules. All of them under all protocols: "
         "[deviations](../../protocols/deviations.md).",
         examples.of_deviation, claims.of_deviation),
    Kind("inferences", INFERENCES, "Inference attacks",
         "An inference attack concludes something about one client's records from what an "
         "adversary saw of a round (its *view*), and is compared with what it would guess "
         "without.",
         examples.filled(examples.INFERENCE), claims.nothing),
    Kind("datasets", DATASETS, "Data sets",
         "Records with a public schema that was written by hand, split the same everywhere.",
         examples.filled(examples.DATASET), claims.of_dataset),
]  # fmt: skip


def prose(text: str) -> str:
    """A docstring as Markdown: what is no code has no signs that Markdown reads."""
    parts = CODE.split(text.replace("``", "`"))
    return "".join(part if part.startswith("`") else re.sub(r"([*_<|\[\]])", r"\\\1", part) for part in parts)


def sections(docstring: str | None) -> dict[str, str]:
    """The parts of a numpy docstring by title; what comes first has the title of nothing."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", inspect.cleandoc(docstring or ""), flags=re.M)
    return {"": parts[0].strip(), **{parts[i]: parts[i + 1].strip("\n") for i in range(1, len(parts), 2)}}


def meanings(kind: type) -> dict[str, str]:
    """What the docstrings of a class and of those that it is made from say of each parameter."""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        for title in ("Attributes", "Parameters"):
            entries = re.split(
                r"^(\w[\w, ]*)\n", sections(vars(each).get("__doc__")).get(title, ""), flags=re.M
            )
            for names, text in zip(entries[1::2], entries[2::2], strict=True):
                found |= {name.strip(): " ".join(text.split()) for name in names.split(",")}
    return found


def spelled(hint: Any) -> str:
    """A type in words."""
    if get_origin(hint) is Literal:
        return " or ".join(f"`{each}`" for each in get_args(hint))
    if isinstance(hint, types.UnionType) or str(get_origin(hint)) == "typing.Union":
        return " or ".join(spelled(each) for each in get_args(hint))
    words = {int: "whole number", float: "number", str: "text", bool: "true or false", type(None): "`none`"}
    return words.get(hint, f"`{getattr(hint, '__name__', hint)}`")


def parameters(kind: Kind, name: str) -> Iterator[str]:
    """A table of what a spec can choose."""
    found, what = kind.catalogue.parameters(name), kind.catalogue[name]
    if not found:
        yield "It has none."
        return
    given, said = inspect.signature(what).parameters, meanings(what)
    yield "| parameter | what it can be | default | meaning |"
    yield "| --- | --- | --- | --- |"
    for each, hint in found.items():
        default = given[each].default
        shown = (
            "none: it must be chosen" if default is inspect.Parameter.empty else f"`{default!r}".lower() + "`"
        )
        yield f"| `{each}` | {spelled(hint)} | {shown} | {prose(said.get(each, ''))} |"
    switch = next((each for each, hint in found.items() if hint is bool), None)
    yield ""
    some = next((each for each, hint in found.items() if hint in (int, float)), None)
    if some:
        yield f"Chosen as `{name}({some}=…)`{f' or `{name}:{switch}`' if switch else ''}."


def source(what: type, text: str) -> str:
    """Who published it."""
    address = f" <{what.origin}>" if hasattr(what, "origin") else ""
    told = re.search(r"^Source: (.*?)(\n\n|\Z)", text, re.M | re.S)
    said = told[1] if told else getattr(what, "source", "")
    if not said:
        sentences = re.split(r"(?<=[.:;])\s+", " ".join(text.split()))
        said = " ".join(each for each in sentences if YEAR.search(each)).rstrip(":;")
    return (prose(said) or "None is named: it was written for this package.") + address


def page(kind: Kind, name: str, folder: Path, *, run: bool) -> str:
    """The page of one method; its curve is written beside it."""
    what = kind.catalogue[name]
    module = inspect.getmodule(what)
    top = inspect.cleandoc(module.__doc__ or "") if module else ""
    body = sections(vars(what).get("__doc__"))[""]
    first, _, rest = top.partition("\n")
    lines = [f"# `{name}`", "", f"**{prose(first)}**", "", prose(rest.strip()), "", prose(body), ""]
    own = [
        (each, value) for each, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == what.__module__ and not each.startswith("_")
        and value.__doc__ and YEAR.search(value.__doc__)
    ]  # fmt: skip
    for each, value in own:
        lines += [f"As a function, `{what.__module__}.{each}`:", "", prose(sections(value.__doc__)[""]), ""]
    lines += ["## Source", "", source(what, "\n".join([top, body, *(value.__doc__ for _, value in own)])), ""]
    lines += ["## Parameters", "", *parameters(kind, name), ""]
    claimed = list(kind.claimed(name, what))
    lines += [*(["## What it claims", "", *claimed, ""] if claimed else [])]
    code = kind.example(name, what)
    lines += ["## Example", "", "```python", code, "```", ""]
    printed = examples.output(code, run=run)
    lines += ["```text", printed.rstrip("\n"), "```", ""] if printed else []
    chart = curves.chart_of(kind.folder, name) if run else None
    if chart is not None:
        curves.save(chart, folder / kind.folder / f"{name}.svg")
        lines += ["## Curve", "", f"![curve of {name}]({name}.svg)", "", curves.caption(kind.folder), ""]
    lines += [f"The class is `{what.__module__}.{what.__qualname__}`.", ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def index(kind: Kind) -> str:
    """The page that lists all of a kind."""
    lines = [
        f"# {kind.title}",
        "",
        kind.introduction,
        "",
        f"| {kind.catalogue.noun} | what it is |",
        "| --- | --- |",
    ]
    lines += [
        f"| [`{name}`]({name}.md) | {prose(summary(kind.catalogue._package, name))} |"  # noqa: SLF001 - as `list` does
        for name in kind.catalogue
    ]
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", *kind.catalogue, "```", ""])


def pages(folder: Path, *, run: bool) -> Iterator[tuple[str, str]]:
    """Name and text of every page of every kind."""
    for kind in KINDS:
        (folder / kind.folder).mkdir(parents=True, exist_ok=True)
        yield f"{kind.folder}/index", index(kind)
        for name in kind.catalogue:
            yield f"{kind.folder}/{name}", page(kind, name, folder, run=run)
