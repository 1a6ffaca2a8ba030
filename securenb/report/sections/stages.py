"""How long a round took between machines, and what of it was the parties' own work."""

from collections.abc import Sequence

import pandas as pd

from securenb.report.run import Run
from securenb.report.section import Content, Section


class Stages(Section):
    """The exchanges of deployed rounds; a round in one process has none."""

    title = "Between machines"
    order = 32

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        for run in runs:
            for protocol, record in run.rounds.items():
                if not (stages := record.get("stages")):
                    continue
                total, own = (sum(stage[what] for stage in stages) for what in ("seconds", "cpu"))
                content.text(
                    f"{protocol}: {len(stages)} stages took {total:,.1f} s, of it the slowest parties' own "
                    f"work {own:,.3f} s; the rest is the engine, the network and waiting."
                )
                names = {"cpu": "slowest party's work, s", "carried": "bytes carried"}
                name = protocol if len(runs) == 1 else f"{run.name}: {protocol}"
                content.table(pd.DataFrame(stages).rename(columns=names), f"{name}: stages, in order")
