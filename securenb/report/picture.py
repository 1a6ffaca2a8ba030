"""Pictures as files: PNG to look at, SVG for papers, the same bytes every time."""

import io
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

DPI = 150


def svg(figure: Figure) -> bytes:
    """The picture as SVG, the same bytes every time."""
    target = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "securenb"}):  # else identifiers are random
        figure.savefig(target, format="svg", metadata={"Date": None})
    return target.getvalue()


def save(figure: Figure, folder: Path, name: str) -> None:
    """Write `name`.png and `name`.svg."""
    figure.savefig(folder / f"{name}.png", dpi=DPI)
    (folder / f"{name}.svg").write_bytes(svg(figure))
