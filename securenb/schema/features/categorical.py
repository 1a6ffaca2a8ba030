"""A fixed set of levels."""

from dataclasses import dataclass

from protocols.canonical import Canonical
from securenb.schema.cells import Codes, Column, look_up
from securenb.schema.checks import check_text, check_texts
from securenb.schema.levelled import Levelled
from securenb.schema.records import UNKNOWN


@dataclass(frozen=True)
class Categorical(Levelled):
    """A feature with a fixed set of levels.

    Parameters
    ----------
    name
        The column.
    levels
        Every value it may take, as strings.
    missing
        The level that stands for a missing value; without it a missing value is refused.
    """

    name: str
    levels: tuple[str, ...]
    missing: str | None = None

    def __post_init__(self) -> None:
        check_text("a feature's name", self.name)
        check_texts(f"levels of {self.name}", self.levels)
        if self.missing is not None and self.missing not in self.levels:
            raise ValueError(f"{self.name}: the missing value {self.missing!r} is not one of its levels")

    def encode(self, column: Column) -> Codes:
        """Level indices, shape (n,); `UNKNOWN` where a value is none of the levels.

        Spaces around a value are ignored; an empty one is missing. A value is its text, but for one thing:
        pandas turns a column of whole numbers with a gap into floats, so that ``3.0`` is the level ``3``
        where there is no level ``3.0``.
        """
        places = {level: place for place, level in enumerate(self.levels)}

        def code(text: str) -> int:
            text = text or (self.missing or "")
            return places.get(text, places.get(text.removesuffix(".0"), UNKNOWN))

        return look_up(column, code)

    def decode(self, codes: Codes) -> list[object]:
        """See `Feature.decode`."""
        return [self.levels[code] for code in codes.tolist()]

    def canonical(self) -> list[Canonical]:
        """See `Feature.canonical`."""
        return ["categorical", self.name, list(self.levels), self.missing or "", int(self.missing is None)]
