"""Charts that a run left, where the page has none of its own."""

from collections.abc import Sequence

from securenb.report.run import Run
from securenb.report.section import Content, Section


class Drawn(Section):
    """The figures of the reproduction."""

    title = "Figures"
    order = 60

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        for index, run in enumerate(runs):
            for name, spec in run.charts.items():
                caption = name if len(runs) == 1 else f"{run.name}: {name}"
                content.specified(f"{name}-{index}", spec, caption)
