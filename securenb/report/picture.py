"""Charts as files, and the script that draws them on a page: Vega-Lite throughout.

`vega.js.gz` holds Vega, Vega-Lite and vega-embed in one script, as `vl_convert.javascript_bundle()` of
vl-convert-python 1.9.0 makes it (all BSD-3-Clause, see NOTICE). Pages carry it, so a report needs nothing
that draws; only files for papers need vl-convert, an extra of 88 MB.
"""

import gzip
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import altair as alt

PAPER_WIDTH = 620
"""Pixels that a chart is wide in a file; on a page it is as wide as the page."""

COLUMN, TEXT, POINTS = 240, 500, 8
"""Points of a column and of the text of a two-column page, and of its fonts."""

SUFFIX = ".vl.json"
"""Of a chart that a command left in its run folder, as a Vega-Lite specification."""


def script() -> str:
    """What goes into a script element of a page; it defines `vegaEmbed`."""
    packed = files("securenb.report").joinpath("vega.js.gz").read_bytes()
    # nothing in it may close the element
    return gzip.decompress(packed).decode().replace("</script", "<\\/script")


def specification(chart: Any) -> dict[str, Any]:
    """A chart of Altair as Vega-Lite, with all of its data."""
    with alt.data_transformers.enable("default", max_rows=None):
        found: dict[str, Any] = chart.to_dict()
    return found


def save(spec: Mapping[str, Any], folder: Path, name: str) -> list[Path]:
    """Write `name`.svg and `name`.png, with the chart's menus as they stand at first; the files.

    Raises
    ------
    ValueError
        If vl-convert is not installed.
    """
    vl_convert = _converter()
    paper = _on_paper(spec, PAPER_WIDTH)
    drawing, picture = folder / f"{name}.svg", folder / f"{name}.png"
    drawing.write_text(vl_convert.vegalite_to_svg(paper), encoding="utf-8")
    picture.write_bytes(vl_convert.vegalite_to_png(paper, scale=3))
    return [drawing, picture]


def save_for_paper(spec: Mapping[str, Any], folder: Path, name: str, columns: int) -> list[Path]:
    """Write `name`.pdf and `name`.svg as wide as 1 or 2 columns of a page, in 8 points; the files.

    Raises
    ------
    ValueError
        If vl-convert is not installed.
    """
    vl_convert = _converter()
    paper = _on_paper(spec, COLUMN if columns == 1 else TEXT)
    for part in ("axis", "legend", "header", "title"):
        sizes = (
            {"labelFontSize": POINTS, "titleFontSize": POINTS} if part != "title" else {"fontSize": POINTS}
        )
        paper["config"] = {**paper["config"], part: {**paper["config"].get(part, {}), **sizes}}
    paper["config"]["legend"]["columns"] = 2 if columns == 1 else 4
    drawing, document = folder / f"{name}.svg", folder / f"{name}.pdf"
    drawing.write_text(vl_convert.vegalite_to_svg(paper), encoding="utf-8")
    document.write_bytes(vl_convert.vegalite_to_pdf(paper))
    return [document, drawing]


def _converter() -> Any:
    """What makes files of charts; an extra."""
    try:
        import vl_convert
    except ImportError:
        raise ValueError(
            "PDF, SVG and PNG files need vl-convert: pip install 'securenb[figures]'; the report does not"
        ) from None
    return vl_convert


def _on_paper(spec: Mapping[str, Any], width: int) -> dict[str, Any]:
    """A chart for a file: of a fixed width, on white."""
    config = {**spec["config"], "background": "white", "font": "Liberation Sans, Arial, sans-serif"}
    fixed = {"width": width} if spec.get("width") == "container" else {}
    return {**spec, **fixed, "config": config}
