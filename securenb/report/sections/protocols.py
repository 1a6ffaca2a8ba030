"""What each protocol cost, and what its aggregator learned."""

from collections.abc import Sequence

import pandas as pd

from securenb.report.charts import dots
from securenb.report.run import Run
from securenb.report.section import Content, Section

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
    "lying_aggregator": "a lying aggregator",
}


class Protocols(Section):
    """Cost and accuracy of the protocols of a comparison."""

    title = "What secure aggregation costs and buys"
    order = 20

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        for index, run in enumerate(runs):
            table = run.tables.get("results")
            if table is None or not set(table.columns) >= NEEDED:
                continue
            if len(runs) > 1:
                content.heading(run.name)
            done = table[table["failure"].isna() | (table["failure"] == "")]
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


def _long(table: pd.DataFrame, columns: dict[str, str], factor: float = 1.0) -> pd.DataFrame:
    """Tidy: protocol, series, value."""
    renamed = table[["protocol", *columns]].rename(columns=columns)
    tidy = renamed.melt("protocol", var_name="series", value_name="value")
    tidy["value"] *= factor
    return tidy
