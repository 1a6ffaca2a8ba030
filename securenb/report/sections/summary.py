"""What was run, with which choices, and how to run it again."""

import shlex
from collections.abc import Sequence
from html import escape

import pandas as pd

from securenb.report.run import Run
from securenb.report.section import Content, Section


class Summary(Section):
    """Scenario, seed, versions and command of each run."""

    title = "What was run"
    order = 10

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        for run in runs:
            if len(runs) > 1:
                content.heading(run.name)
            content.html.append(
                f"<pre><code>{escape(shlex.join(run.manifest.get('command', [])))}</code></pre>"
            )
            manifest = run.manifest
            content.text(f"{manifest.get('randomness', '')}. Finished {manifest.get('finished', '')}.")
        choices = {run.name: _plain(run.scenario) for run in runs}
        frame = pd.DataFrame(choices).rename_axis("choice").reset_index()
        content.table(frame.fillna("–"), "Scenario")
        versions = {run.name: run.manifest.get("versions", {}) for run in runs}
        frame = pd.DataFrame(versions).rename_axis("package").reset_index()
        content.table(frame.fillna("–"), "Versions")


def _plain(scenario: dict[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in scenario.items() if value is not None}
