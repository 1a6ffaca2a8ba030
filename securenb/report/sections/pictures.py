"""Pictures that a run left, where the page has no chart of the same."""

import base64
from collections.abc import Sequence
from html import escape

from securenb.report.run import Run
from securenb.report.section import Content, Section

DRAWN = ("certificates", "comparison", "curves-", "dial-", "map-")
"""What other sections draw."""


class Pictures(Section):
    """Scaling, breakdown, and the figures of the reproduction."""

    title = "Pictures"
    order = 60

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        for run in runs:
            for name, picture in run.pictures.items():
                if name.startswith(DRAWN):
                    continue
                caption = escape(name if len(runs) == 1 else f"{run.name}: {name}")
                data = base64.b64encode(picture).decode()
                content.html.append(
                    f'<figure><img alt="{caption}" src="data:image/png;base64,{data}">'
                    f"<figcaption>{caption}</figcaption></figure>"
                )
