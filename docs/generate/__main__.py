"""Writes the pages that follow from the code, before Sphinx runs: `python docs/generate docs/reference`.

`--quick` leaves out what examples print, and curves.
"""

import shutil
import sys
from pathlib import Path

import commands
import gallery
import methods
import packages

INTRODUCTION = """# Reference

The command line; a page for each method of each kind; the public names from the docstrings of the code.
All else may change.

```{toctree}
:maxdepth: 1
"""


def main(folder: Path, *, run: bool) -> None:
    """Write every page, and their index."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pages = dict([*commands.pages(), *methods.pages(folder, run=run), *packages.pages()])
    tops = [name for name in pages if "/" not in name or name.endswith("/index")]
    for name, text in [*pages.items(), *gallery.pages(folder, run=run)]:
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "index.md").write_text("\n".join([INTRODUCTION.rstrip(), *tops, "```", ""]), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), run="--quick" not in sys.argv[2:])
