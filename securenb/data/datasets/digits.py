"""Digits: which of the ten digits was written? 1 797 images of 8 × 8 pixels.

Source: E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits (1998), UCI data set 80; its test
part comes with scikit-learn (`sklearn.datasets.load_digits`), so it needs no download.

Bounds 0–16: a pixel counts the inked ones among 4 × 4 of the scanned bitmap; with 16 steps the grid is exact.
Edges: no ink, then four bins of four.
"""

import pandas as pd
from sklearn.datasets import load_digits

from securenb.data.dataset import DatasetSource
from securenb.schema.features import Numeric
from securenb.schema.schema import Schema


class Digits(DatasetSource):
    """Handwritten digits, through scikit-learn."""

    title = "Optical Recognition of Handwritten Digits"
    origin = "https://archive.ics.uci.edu/dataset/80/optical+recognition+of+handwritten+digits"
    schema = Schema(
        classes=tuple("0123456789"),
        features=tuple(
            Numeric(f"pixel_{row}_{column}", 0, 16, steps=16, edges=(0, 1, 5, 9, 13, 17))
            for row in range(8)
            for column in range(8)
        ),
        label="target",
    )
    rows = (1_797,)
    digest = "3bc94dd0fc1e0543bc93e617e92142c8aab54f4632dfa0c3d6d994971c0bc39b"

    def read(self) -> list[pd.DataFrame]:
        """See `DatasetSource.read`; the table is always there."""
        return [load_digits(as_frame=True).frame]
