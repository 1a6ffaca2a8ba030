"""Whether what is claimed of privacy is true, as far as an audit could tell."""

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import pandas as pd

from securenb.report.charts import INK, PALETTE, legend, styled
from securenb.report.run import Run
from securenb.report.section import Answer, Content, Section

MEASURED = ("L2", "L3")
"""The levels whose bounds are drawn from runs."""
CERTAIN = "L0"
"""The level that recomputes and measures nothing."""
COLOURS = {"PASS": PALETTE[0], "INCONCLUSIVE": PALETTE[1], "FAIL": PALETTE[5]}


class Audit(Section):
    """The verdict of each `securenb audit`, what was shown against what is claimed, and every finding."""

    title = "Is the privacy accounting true?"
    order = 45

    def answers(self, run: Run) -> Iterator[Answer]:
        """See `Section.answers`."""
        if (audit := run.documents.get("audit")) is None:
            return
        question, _, rest = audit["answer"].partition("? ")
        found, _, silent = rest.partition(" Not looked at: ")
        yield Answer(f"{question}?", f"{found} {_shown(audit)}".strip(), silent, audit["verdict"])

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        for index, run in enumerate(runs):
            audit = run.documents.get("audit")
            if audit is None:
                continue
            content.heading(audit["target"] if len(runs) == 1 else f"{run.name}: {audit['target']}")
            content.badge(audit["verdict"], audit["answer"])
            claimed = "nothing" if audit["claimed"] is None else f"epsilon {audit['claimed']:.6g}"
            content.facts(
                {
                    "claimed": f"{claimed} at delta {audit['delta']:g}",
                    "neighbours": audit["adjacency"],
                    "the adversary sees": audit["view"],
                    "confidence": f"{audit['confidence']:.4g}, of each statistical level",
                    "not covered": "; ".join(audit["not_covered"]),
                }
            )
            findings = pd.DataFrame(audit["findings"])
            measured = findings[findings["level"] != CERTAIN].dropna(subset=["bound", "claimed"])
            if len(measured):
                content.figure(
                    f"audit-{index}",
                    bounds(measured),
                    "What each check showed that a record loses at least (dots), and what is claimed (bars).",
                )
            columns = ["level", "verdict", "check", "evidence", "bound", "claimed"]
            content.table(findings[columns], "Findings; bounds are lower bounds on epsilon")


def _shown(audit: dict[str, Any]) -> str:
    """What runs have shown against what is claimed: the largest lower bound; a recomputed charge is none."""
    measured = [finding for finding in audit["findings"] if finding["level"] in MEASURED]
    lower = [finding["bound"] for finding in measured if finding["bound"] is not None]
    if not lower or audit["claimed"] is None:
        return ""
    return (
        f"A record was shown to lose at least epsilon {max(lower):.3g}; the ledger claims "
        f"{audit['claimed']:.4g} at delta {audit['delta']:g} ({audit['adjacency']}, confidence "
        f"{audit['confidence']:.4g})."
    )


def bounds(measured: pd.DataFrame) -> Any:
    """A dot for each lower bound and a bar for its claim: a dot right of its bar is a violation."""
    frame = measured.assign(check=measured["level"] + " " + measured["check"])
    base = alt.Chart(frame).encode(
        y=alt.Y("check:N", title=None, sort=list(frame["check"]), axis=alt.Axis(labelLimit=330)),
        tooltip=["check:N", "verdict:N", "bound:Q", "claimed:Q", "evidence:N"],
    )
    claims = base.mark_tick(thickness=3, size=18, color=INK).encode(x=alt.X("claimed:Q", title="epsilon"))
    dots = base.mark_point(filled=True, size=90, opacity=1).encode(
        x="bound:Q",
        color=alt.Color(
            "verdict:N",
            scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())),
            legend=legend(list(COLOURS)),
        ),
        shape=alt.Shape("verdict:N", scale=alt.Scale(domain=list(COLOURS)), legend=legend(list(COLOURS))),
    )
    return styled((claims + dots).properties(width="container", height=24 * len(frame)))
