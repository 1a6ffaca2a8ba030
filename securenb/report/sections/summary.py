"""What was run, with which choices, and how to run it again."""

import shlex
from collections.abc import Sequence
from html import escape

import pandas as pd

from securenb.report.run import Run
from securenb.report.section import Content, Section


class Summary(Section):
    """Command, scenario, seed and versions of each run."""

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
        choices = _side_by_side({run.name: _plain(_chosen(run)) for run in runs}, "choice")
        differ = choices[choices.drop(columns="choice").nunique(axis=1) > 1]
        if len(runs) > 1 and len(differ):
            content.table(differ, "What the runs differ in")
        with content.folded("Every choice, and the versions"):
            content.table(choices, "Scenario")
            versions = {run.name: run.manifest.get("versions", {}) for run in runs}
            content.table(_side_by_side(versions, "package"), "Versions")


def _chosen(run: Run) -> dict[str, object]:
    """The scenario, with what a command chose beside it: several protocols, or what was audited."""
    several = {"protocol": run.manifest["protocols"]} if "protocols" in run.manifest else {}
    audited = {"audited": run.documents["audit"]["target"]} if "audit" in run.documents else {}
    return {"command": run.command, **run.scenario, **several, **audited}


def _side_by_side(columns: dict[str, dict[str, str]], index: str) -> pd.DataFrame:
    return pd.DataFrame(columns).fillna("–").rename_axis(index).reset_index()


def _plain(scenario: dict[str, object]) -> dict[str, str]:
    return {
        name: ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        for name, value in scenario.items()
        if value is not None
    }
