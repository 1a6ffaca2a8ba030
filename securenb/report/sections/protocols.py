"""What each protocol cost, and what its aggregator learned."""

from collections.abc import Iterator, Sequence

import pandas as pd

from securenb.report.charts import dots
from securenb.report.run import Run
from securenb.report.section import Answer, Content, Section

NEEDED = {"protocol", "accuracy", "rounds", "sent", "node_cpu", "learned", "trust"}
OPENED = {
    "protocol": "protocol",
    "learned": "the aggregator learned",
    "identical": "sums exact",
    "relative_error": "relative error",
    "rounds": "rounds",
    "turns": "turns of a node",
    "messages": "messages",
    "failure": "why not",
}
PROMISES = {
    "protocol": "protocol",
    "trust": "who must be trusted",
    "dropouts": "drop-outs",
    "malicious_aggregator": "a malicious aggregator",
}


class Protocols(Section):
    """Cost and accuracy of the protocols of a comparison."""

    title = "What secure aggregation costs and buys"
    order = 20

    def answers(self, run: Run) -> Iterator[Answer]:
        """See `Section.answers`."""
        table = run.tables.get("results")
        if table is None or not set(table.columns) >= NEEDED:
            return
        done = _done(table)
        if done.empty:
            yield Answer(
                "What does secure aggregation cost and buy?",
                "No protocol gave a result.",
                "anything of cost or accuracy; the table below says why each one ended.",
                "FAIL",
            )
            return
        exact = bool(done["identical"].astype(str).str.lower().eq("true").all())
        low, high = done["balanced_accuracy"].min(), done["balanced_accuracy"].max()
        score = f"{low:.3f}" if f"{low:.3f}" == f"{high:.3f}" else f"{low:.3f} to {high:.3f}"
        same = "The same model" if exact else "Models that differ by rounding"
        learned = ", ".join(
            f"{what} under {name}" for name, what in zip(done["protocol"], done["learned"], strict=True)
        )
        least = done["sent"].min()
        sent = ", ".join(
            f"{bytes_:,.0f} B under {name}"
            + (f" ({bytes_ / least:.1f} times the least)" if bytes_ > least else "")
            for name, bytes_ in zip(done["protocol"], done["sent"], strict=True)
        )
        yield Answer(
            "What does secure aggregation cost and buy?",
            f"{same} under {len(done)} of {len(table)} protocols, balanced accuracy {score}. "
            f"The aggregator learned {learned}. A node sends {sent}.",
            "how the figures vary with the seed (this is one round for each protocol) and what a network "
            "adds to the time. Promises against a malicious server stand in the table; they were not tried.",
        )

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        for index, run in enumerate(runs):
            table = run.tables.get("results")
            if table is None or not set(table.columns) >= NEEDED:
                continue
            if len(runs) > 1:
                content.heading(run.name)
            done = _done(table)
            scores = _long(done, {"accuracy": "accuracy", "balanced_accuracy": "balanced accuracy"})
            content.figure(
                f"accuracy-{index}",
                dots(scores, title="on the test records"),
                "Accuracy under each protocol: the same noised vectors give the same model.",
            )
            traffic = _long(done, {"sent": "sent", "received": "received"})
            content.figure(
                f"bytes-{index}",
                dots(traffic, title="bytes a node", log=True),
                "Bytes that one node sends and receives (mean, logarithmic axis).",
            )
            cpu = _long(
                done, {"node_cpu": "node", "aggregator_cpu": "aggregator", "trustee_cpu": "trustee"}, 1e3
            )
            content.figure(
                f"cpu-{index}",
                dots(cpu, title="ms of processor time", log=True),
                "Processor time of one party of each role (mean, logarithmic axis).",
            )
            content.table(
                table[list(OPENED)].dropna(axis=1, how="all").rename(columns=OPENED),
                "What was opened. Rounds: messages waiting for one another; turns: how often a node spoke",
            )
            content.table(table[list(PROMISES)].rename(columns=PROMISES), "What each protocol promises")


def _done(table: pd.DataFrame) -> pd.DataFrame:
    """The protocols that gave a result."""
    return table[table["failure"].isna() | (table["failure"] == "")]


def _long(table: pd.DataFrame, columns: dict[str, str], factor: float = 1.0) -> pd.DataFrame:
    """Tidy: protocol, series, value."""
    renamed = table[["protocol", *columns]].rename(columns=columns)
    tidy = renamed.melt("protocol", var_name="series", value_name="value")
    tidy["value"] *= factor
    return tidy
