"""Skin segmentation: does a pixel show skin? 245 057 pixels, three colour values.

Source: Rajen Bhatt and Abhinav Dhall (2009), UCI data set 229. Not split by UCI. Label 1 is skin, 2 is not.

Bounds 0–255: a colour channel has eight bits. Edges: sixteen bins, as wide as each other.
"""

from securenb.data.uci import TableFile, UciSource
from securenb.schema.features import Numeric
from securenb.schema.schema import Schema

_EDGES = tuple(range(0, 257, 16))


class Skin(UciSource):
    """UCI Skin Segmentation."""

    title = "Skin Segmentation"
    origin = "https://archive.ics.uci.edu/dataset/229/skin+segmentation"
    folder = "Skin"
    files = (TableFile(("skin.data", "Skin_NonSkin.txt")),)
    columns = ("B", "G", "R", "skin")
    schema = Schema(
        classes=("1", "2"),
        features=tuple(Numeric(channel, 0, 255, edges=_EDGES) for channel in "BGR"),
        label="skin",
    )
    rows = (245_057,)
    digest = "8471eb4e9dcd902e6881d6eaa975036ccca9661c514c7656de42f21a3808de11"
