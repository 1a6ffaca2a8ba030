"""The choices of a round over records that the coordinator never sees."""

from typing import Any

from pydantic import model_validator

from securenb.deploy.safety import COLLUDING
from securenb.experiments.choices import Choices
from securenb.robust.spec import choose_rule


class RoundChoices(Choices):
    """See `Choices`; `colluding` is what sites want by default, where nodes add noise that others count on.

    Attributes
    ----------
    test_file
        A CSV file of the coordinator's, with records that the model is judged on.
    """

    test_file: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _safe(cls, choices: Any) -> Any:
        if isinstance(choices, dict) and choices.get("curator"):
            raise ValueError(
                "curator: sites send nothing that carries no noise; protocol verified adds doses"
            )
        if not isinstance(choices, dict) or "colluding" in choices:
            return choices
        protocol, _, _ = str(choices.get("protocol")).partition("(")
        votes = choose_rule(choices.get("rule", "sum")).increments
        proven = protocol == "verified" and (votes or choices.get("record_cap") is not None)
        by_itself = choices.get("group_size") == 1
        return {**choices, "colluding": 0 if proven or by_itself else COLLUDING}
