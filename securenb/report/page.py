"""A report: one self-contained page about one or more runs."""

import json
from dataclasses import dataclass
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Self

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from securenb.report.picture import save, script
from securenb.report.run import Run, read_run
from securenb.report.section import SECTIONS, Content

PAGE = "report.html"
"""What the page is called in a run folder."""


@dataclass(frozen=True)
class Report:
    """What some runs have to say.

    Parameters
    ----------
    runs
        At least one; several are shown beside each other.
    """

    runs: tuple[Run, ...]

    @classmethod
    def read(cls, *folders: Path | str) -> Self:
        """The report about some run folders; a `ValueError` names a folder that holds no run."""
        return cls(tuple(read_run(Path(folder)) for folder in folders))

    def html(self) -> str:
        """The page; it loads nothing, so it works from a mail attachment."""
        sections = self._sections()
        charts = {name: spec for _, content in sections for name, spec in content.charts.items()}
        shown = [
            {"title": title, "body": Markup("\n".join(content.html))}  # noqa: S704
            for title, content in sections
        ]
        template = Environment(autoescape=True, undefined=StrictUndefined).from_string(
            files("securenb.report").joinpath("page.html").read_text(encoding="utf-8")
        )
        # it ends up inside a script element, which nothing in it may close
        data = json.dumps(charts).replace("<", "\\u003c")
        return template.render(
            title=self._title(),
            sections=shown,
            version=version("securenb"),
            bundle=Markup(script()),  # noqa: S704
            charts=Markup(data),  # noqa: S704
        )

    def write(self, target: Path) -> None:
        """Write the page, whole or not at all.

        Raises
        ------
        ValueError
            If the file cannot be written.
        """
        page = self.html()
        draft = target.with_name(f".{target.name}.draft")
        try:
            draft.write_text(page, encoding="utf-8")
            draft.replace(target)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise ValueError(f"cannot write to {target}: {error.strerror}") from None

    def write_charts(self, folder: Path) -> list[Path]:
        """Every chart as SVG and PNG for a paper, as its menus stand at first; the files.

        Raises
        ------
        ValueError
            If the folder cannot be written, or vl-convert is not installed.
        """
        written = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for _, content in self._sections():
                for name, spec in content.charts.items():
                    written += save(spec, folder, name)
        except OSError as error:
            raise ValueError(f"cannot write to {folder}: {error.strerror}") from None
        return written

    def contents(self) -> list[Content]:
        """What each section shows, in order."""
        return [content for _, content in self._sections()]

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="{escape(self._title())}" srcdoc="{escape(self.html())}" '
            'style="width: 100%; height: 40rem; border: 1px solid #8884"></iframe>'
        )

    def _sections(self) -> list[tuple[str, Content]]:
        """Titles and contents of the sections that have something to say, in order."""
        shown = []
        for section in sorted((SECTIONS[name]() for name in SECTIONS), key=lambda section: section.order):
            content = Content()
            section.show(self.runs, content)
            if content.html:
                shown.append((section.title, content))
        return shown

    def _title(self) -> str:
        if len(self.runs) > 1:
            return f"securenb: {len(self.runs)} runs"
        run = self.runs[0]
        dataset = run.scenario.get("dataset", run.name)
        return f"securenb {run.command}: {', '.join(dataset) if isinstance(dataset, list) else dataset}"
