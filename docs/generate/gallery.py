"""The gallery: each file of `gallery/` is shown with the chart that it makes."""

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path

import examples

from securenb.report.charts import PALETTE

SNIPPETS = sorted((Path(__file__).parent / "gallery").glob("*.py"))
KEPT = examples.ROOT / "docs" / "_build" / "gallery"
INTRODUCTION = """# Gallery

Each picture is made by the lines below it, on data that ship with the package, from a seed. Trials are few,
so that a page takes seconds: take 30 for a paper, and read the intervals.
"""


def drawn(path: Path) -> str:
    """The chart that a snippet makes, as SVG; kept from an earlier build if no code has changed since."""
    import vl_convert

    code = path.read_text(encoding="utf-8")
    key = hashlib.sha256((examples.digest_of_code() + code).encode()).hexdigest()
    file = KEPT / f"{path.stem}-{key[:16]}.svg"
    if not file.exists():
        names = {"__name__": "example"}
        exec(compile(code, path.name, "exec", dont_inherit=True), names)  # noqa: S102 - ours
        chart = names["chart"].properties(width=420, height=240)
        chart = chart.configure(background="white", font="Liberation Sans, Arial, sans-serif")
        chart = chart.configure_range(category=PALETTE).configure_view(stroke=None)
        KEPT.mkdir(parents=True, exist_ok=True)
        for old in KEPT.glob(f"{path.stem}-*.svg"):
            old.unlink()
        file.write_text(vl_convert.vegalite_to_svg(chart.to_dict()), encoding="utf-8")
    return file.read_text(encoding="utf-8")


def pages(folder: Path, *, run: bool) -> Iterator[tuple[str, str]]:
    """The name and the text of the page; pictures are written beside it."""
    (folder / "gallery").mkdir(parents=True, exist_ok=True)
    lines = [INTRODUCTION]
    for path in SNIPPETS:
        code = path.read_text(encoding="utf-8")
        said = ast.get_docstring(ast.parse(code)) or ""
        title = path.stem.partition("_")[2].replace("_", " ").capitalize()
        lines += [f"## {title}", "", said, ""]
        if run:
            (folder / "gallery" / f"{path.stem}.svg").write_text(drawn(path), encoding="utf-8")
            lines += [f"![{said}]({path.stem}.svg)", ""]
        body = code.partition('"""\n\n')[2].replace("  # fmt: skip", "").rstrip()
        lines += ["```python", body, "```", ""]
    yield "gallery/index", "\n".join(lines)
