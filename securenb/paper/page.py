"""The page of a reproduction: one self-contained HTML file, charts and tables inside."""

import html
import json
from collections.abc import Sequence
from typing import Any

import pandas as pd

from securenb.paper.study import Finding, Settings
from securenb.report.picture import script, specification

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; color: #222 }
body { margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-size: .85rem; margin: 1rem 0 }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #ddd }
th:first-child, td:first-child { text-align: left }
.no { color: #b00020; font-weight: bold }
"""

INTRODUCTION = """<h1>Federated Naive Bayes under Differential Privacy, reproduced</h1>
<p>Marchioro, Giaretta, Markatos and Girdzijauskas, SECRYPT 2022. <b>As published</b>: what the authors’ code
does; its releases are not differentially private. <b>Corrected</b>: public bounds, noise in every cell,
clamping only what was opened; SPECT’s label is the diagnosis.</p>"""


def page(settings: Settings, findings: Sequence[Finding]) -> str:
    """The whole page."""
    charts: dict[str, Any] = {}
    body = [
        INTRODUCTION,
        f"<p>{settings.trials:,} trials, seed {settings.seed}, mode {html.escape(settings.mode)}.</p>",
    ]
    for finding in findings:
        body.append(f"<h2>{html.escape(finding.title)}</h2>")
        body += [f"<p>{html.escape(paragraph)}</p>" for paragraph in finding.text]
        for name, figure in finding.figures.items():
            charts[name] = specification(figure)
            body.append(
                f'<div id="{html.escape(name)}" role="img" aria-label="{html.escape(finding.title)}"></div>'
            )
        if finding.shown is not None:
            body.append(_table(finding.shown))
        files = ", ".join(f"{name}.csv" for name in finding.tables)
        body.append(f"<p><small>Data: {html.escape(files)}</small></p>")
    body.append(f"<script>{script()}</script>")
    data = json.dumps(charts).replace("<", "\\u003c")  # nothing may close the element
    body.append(
        f'<script>for (const [name, spec] of Object.entries({data})) vegaEmbed("#" + name, spec);</script>'
    )
    content = "\n".join(body)
    head = f'<meta charset="utf-8"><title>SECRYPT 2022, reproduced</title><style>{STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n{content}\n</body></html>\n'


def _table(table: pd.DataFrame) -> str:
    head = "".join(f"<th>{html.escape(str(name))}</th>" for name in table.columns)
    lines = ["".join(_cell(value) for value in line) for line in table.itertuples(index=False)]
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "<td>yes</td>" if value else '<td class="no">NO</td>'
    if isinstance(value, float):
        return f"<td>{value:.4g}</td>"
    if isinstance(value, int):
        return f"<td>{value:,}</td>"
    return f"<td>{html.escape(str(value))}</td>"
