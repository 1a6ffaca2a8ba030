"""A report: one self-contained page about one or more runs."""

import json
from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import vl_convert
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from securenb.report.run import Run, read_run
from securenb.report.section import SECTIONS, Content

PAGE = "report.html"
"""What the page is called in a run folder."""


def render_page(runs: Sequence[Run]) -> str:
    """The page, HTML; it loads nothing, so it works from a mail attachment.

    Parameters
    ----------
    runs
        At least one; several are shown side by side.
    """
    charts: dict[str, object] = {}
    shown = []
    for section in sorted((SECTIONS[name]() for name in SECTIONS), key=lambda section: section.order):
        content = Content()
        section.show(runs, content)
        if content.html:
            shown.append({"title": section.title, "body": Markup("\n".join(content.html))})  # noqa: S704
            charts |= content.charts
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(
        files("securenb.report").joinpath("page.html").read_text(encoding="utf-8")
    )
    # both end up inside script elements: nothing in them may close one
    bundle = vl_convert.javascript_bundle().replace("</script", "<\\/script")  # type: ignore[call-arg]  # its stub lacks the default
    data = json.dumps(charts).replace("<", "\\u003c")
    return template.render(
        title=_title(runs),
        sections=shown,
        version=version("securenb"),
        bundle=Markup(bundle),  # noqa: S704
        charts=Markup(data),  # noqa: S704
    )


def _title(runs: Sequence[Run]) -> str:
    if len(runs) > 1:
        return f"securenb: {len(runs)} runs"
    run = runs[0]
    dataset = run.scenario.get("dataset", run.name)
    return f"securenb {run.command}: {', '.join(dataset) if isinstance(dataset, list) else dataset}"


def write_page(folders: Sequence[Path], target: Path) -> None:
    """Write the page about some run folders, whole or not at all."""
    page = render_page([read_run(folder) for folder in folders])
    draft = target.with_name(f".{target.name}.draft")
    try:
        draft.write_text(page, encoding="utf-8")
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ValueError(f"cannot write to {target}: {error.strerror}") from None
