"""The contract of a section of the report: one question that a reader has of some runs."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from typing import Any, ClassVar

import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from protocols.catalogue import Catalogue
from securenb.report.picture import specification
from securenb.report.run import Run

LONG = 32
"""Characters of a cell from which on it may wrap."""
NUMBERS = ' class="n"'
LONG_CELL = ' class="long"'


@dataclass
class Content:
    """What a section shows: pieces of HTML, and charts with captions by the element that each belongs in."""

    html: list[str] = field(default_factory=list)
    charts: dict[str, dict[str, Any]] = field(default_factory=dict)
    captions: dict[str, str] = field(default_factory=dict)

    def text(self, words: str) -> None:
        """A paragraph."""
        self.html.append(f"<p>{escape(words)}</p>")

    def heading(self, words: str) -> None:
        """A heading inside the section."""
        self.html.append(f"<h3>{escape(words)}</h3>")

    @contextmanager
    def folded(self, summary: str, *, fold: bool = True) -> Iterator[None]:
        """What is added inside is shown, and printed, once a reader asks for it."""
        if fold:
            self.html.append(f'<details class="fold"><summary>{escape(summary)}</summary>')
        yield
        if fold:
            self.html.append("</details>")

    def badge(self, verdict: str, words: str) -> None:
        """A verdict in a frame, and what it means."""
        self.html.append(
            f'<p><span class="verdict" data-verdict="{escape(verdict)}">{escape(verdict)}</span> '
            f"{escape(words)}</p>"
        )

    def answer(self, answer: "Answer") -> None:
        """A question, its answer, and what is not said."""
        self.html.append(f'<p class="question">{escape(answer.question)}</p>')
        if answer.verdict is None:
            self.html.append(f'<p class="finding">{escape(answer.finding)}</p>')
        else:
            self.badge(answer.verdict, answer.finding)
        self.html.append(f'<p class="silent">Not said: {escape(answer.silent)}</p>')

    def figure(self, name: str, chart: Any, caption: str) -> None:
        """A chart of Altair; `name` must be unique in the report."""
        self.specified(name, specification(chart), caption)

    def specified(self, name: str, spec: dict[str, Any], caption: str) -> None:
        """A chart in Vega-Lite; `name` must be unique in the report."""
        self.charts[name] = spec
        self.captions[name] = caption
        self.html.append(
            f'<figure><div id="{escape(name)}" class="chart" role="img" aria-label="{escape(caption)}"></div>'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
        )

    def drawing(self, svg: str, caption: str) -> None:
        """A drawing in SVG."""
        self.html.append(f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>")

    def table(self, frame: pd.DataFrame, caption: str) -> None:
        """A table that can be sorted, and filtered if it is long."""
        head = "".join(
            f'<th scope="col"{NUMBERS if is_figures(frame[name]) else ""}>{escape(str(name))}</th>'
            for name in frame.columns
        )
        rows = "".join(
            "<tr>" + "".join(_cell(value) for value in row) + "</tr>" for row in frame.itertuples(index=False)
        )
        self.html.append(
            f'<div class="scroll"><table class="data"><caption>{escape(caption)}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        )

    def facts(self, pairs: dict[str, str]) -> None:
        """Names and values."""
        items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs.items())
        self.html.append(f"<dl>{items}</dl>")


@dataclass(frozen=True)
class Answer:
    """What one run says to the question that it was made for; it stands before the evidence.

    Attributes
    ----------
    question
        As a reader would ask it.
    finding
        The answer in a sentence, with its interval where there is one.
    silent
        What the run does not say, in a sentence.
    verdict
        One word that is framed before the finding, if there is one.
    """

    question: str
    finding: str
    silent: str
    verdict: str | None = None


class Section(ABC):
    """One part of a report. Its class's docstring is not shown; `title` is."""

    title: ClassVar[str]
    order: ClassVar[int]
    """Sections stand in this order."""

    @abstractmethod
    def show(self, runs: Sequence[Run], content: Content) -> None:
        """Add what these runs have to say; adding nothing leaves the section out."""

    def answers(self, run: Run) -> Iterator[Answer]:
        """What this section's evidence answers about one run; by default nothing."""
        return iter(())


def is_figures(column: "pd.Series[Any]") -> bool:
    """Whether a column holds numbers, which stand on the right."""
    return is_numeric_dtype(column) and not is_bool_dtype(column)


def _cell(value: Any) -> str:
    """A table cell; figures carry their full value for sorting."""
    if value is None or value != value:
        return "<td>–</td>"
    if isinstance(value, bool):
        return f"<td>{'yes' if value else 'no'}</td>"
    if isinstance(value, int):
        return f'<td class="n" data-value="{value}">{value:,}</td>'
    if isinstance(value, float):
        shown = f"{value:,.0f}" if 1e4 <= abs(value) < 1e12 else f"{value:,.4g}"
        return f'<td class="n" data-value="{value!r}">{shown}</td>'
    text = str(value)
    return f"<td{LONG_CELL if len(text) > LONG else ''}>{escape(text)}</td>"


SECTIONS: Catalogue[Section] = Catalogue("securenb.report.sections", Section, "section")
