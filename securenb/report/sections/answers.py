"""What the runs answer, before any evidence."""

from collections.abc import Sequence

from securenb.report.run import Run
from securenb.report.section import SECTIONS, Content, Section
from securenb.report.setting import setting


class Answers(Section):
    """The question of each run, its answer, its setting, and what it does not say."""

    title = "In short"
    order = 0

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        sections = sorted((SECTIONS[name]() for name in SECTIONS), key=lambda section: section.order)
        for run in runs:
            answers = [answer for section in sections for answer in section.answers(run)]
            if not answers:
                continue
            if len(runs) > 1:
                content.heading(run.name)
            for answer in answers:
                content.answer(answer)
            if where := setting(run.scenario):
                content.facts({"setting": where})
