"""Mushroom: edible or poisonous? 8 124 gilled mushrooms, 22 categorical features.

Source: Jeff Schlimmer (1987), UCI data set 73, after the Audubon Society Field Guide to North American
Mushrooms (1981). Not split by UCI.

Levels are all those that UCI's `agaricus-lepiota.names` lists, whether they occur in the table or not
(the veil's universal type does not); `?` is a missing stalk root.
"""

from securenb.data.uci import TableFile, UciSource
from securenb.schema.features import Categorical
from securenb.schema.schema import Schema

_STALK_SURFACE = "fyks"
_STALK_COLOUR = "nbcgopewy"


def _codes(name: str, letters: str) -> Categorical:
    return Categorical(name, tuple(letters), missing="?" if "?" in letters else None)


class Mushroom(UciSource):
    """UCI Mushroom."""

    title = "Mushroom"
    origin = "https://archive.ics.uci.edu/dataset/73/mushroom"
    folder = "Mushroom"
    files = (TableFile(("agaricus-lepiota.data",)),)
    schema = Schema(
        classes=("e", "p"),
        features=(
            _codes("cap-shape", "bcxfks"),
            _codes("cap-surface", "fgys"),
            _codes("cap-color", "nbcgrpuewy"),
            _codes("bruises", "tf"),
            _codes("odor", "alcyfmnps"),
            _codes("gill-attachment", "adfn"),
            _codes("gill-spacing", "cwd"),
            _codes("gill-size", "bn"),
            _codes("gill-color", "knbhgropuewy"),
            _codes("stalk-shape", "et"),
            _codes("stalk-root", "bcuezr?"),
            _codes("stalk-surface-above-ring", _STALK_SURFACE),
            _codes("stalk-surface-below-ring", _STALK_SURFACE),
            _codes("stalk-color-above-ring", _STALK_COLOUR),
            _codes("stalk-color-below-ring", _STALK_COLOUR),
            _codes("veil-type", "pu"),
            _codes("veil-color", "nowy"),
            _codes("ring-number", "not"),
            _codes("ring-type", "ceflnpsz"),
            _codes("spore-print-color", "knbhrouwy"),
            _codes("population", "acnsvy"),
            _codes("habitat", "glmpuwd"),
        ),
        label="class",
    )
    columns = (schema.label, *(feature.name for feature in schema.features))
    rows = (8_124,)
    digest = "e78a49ac27fa16afffe0d381bbe7e7c7f7edd19f81a185334ec72a23d7306a2e"
