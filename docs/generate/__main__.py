"""Writes the pages that follow from the code, before Sphinx runs: `python docs/generate docs/reference`."""

import shutil
import sys
from pathlib import Path

import commands
import packages

INTRODUCTION = """# Reference

The command line, and the public names from the docstrings of the code; all else may change.

```{toctree}
:maxdepth: 2
"""


def main(folder: Path) -> None:
    """Write every page, and their index."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pages = dict([*commands.pages(), *packages.pages()])
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "index.md").write_text("\n".join([INTRODUCTION.rstrip(), *pages, "```", ""]), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
