"""Breast cancer (Wisconsin, diagnostic): malignant or benign? 569 tumours, 30 measures of their cell nuclei.

Source: W. Nick Street, William Wolberg and Olvi Mangasarian (1995), UCI data set 17; comes with scikit-learn
(`sklearn.datasets.load_breast_cancer`), so it needs no download.

Bounds: every measure is at least 0 by its definition, and the upper bounds are the maxima of the summary
table in scikit-learn's description, rounded up. Edges: ten bins, as wide as each other.
"""

import pandas as pd
from sklearn.datasets import load_breast_cancer

from securenb.data.dataset import DatasetSource
from securenb.schema.features import Numeric
from securenb.schema.schema import Schema

_UPPER = {  # of the mean over the nuclei, its standard error, and the mean of the three largest
    "radius": (30, 3, 40),
    "texture": (40, 5, 50),
    "perimeter": (200, 25, 300),
    "area": (3_000, 600, 5_000),
    "smoothness": (0.2, 0.04, 0.25),
    "compactness": (0.4, 0.15, 1.2),
    "concavity": (0.5, 0.4, 1.5),
    "concave points": (0.25, 0.06, 0.3),
    "symmetry": (0.4, 0.08, 0.7),
    "fractal dimension": (0.1, 0.04, 0.25),
}


def _measures(pattern: str, column: int) -> list[Numeric]:
    return [
        Numeric(
            pattern.format(measure),
            0,
            upper[column],
            edges=tuple(upper[column] * tenth / 10 for tenth in range(11)),
        )
        for measure, upper in _UPPER.items()
    ]


class BreastCancer(DatasetSource):
    """Wisconsin breast cancer, through scikit-learn."""

    title = "Breast Cancer Wisconsin (Diagnostic)"
    origin = "https://archive.ics.uci.edu/dataset/17/breast+cancer+wisconsin+diagnostic"
    schema = Schema(
        classes=("malignant", "benign"),
        features=(*_measures("mean {}", 0), *_measures("{} error", 1), *_measures("worst {}", 2)),
        label="diagnosis",
    )
    rows = (569,)
    digest = "c036bdf6f1333df814393f256b98d32c04f40c7cae0063462a26ad5edbe52b8f"

    def read(self) -> list[pd.DataFrame]:
        """See `DatasetSource.read`; the table is always there."""
        table = load_breast_cancer(as_frame=True).frame
        names = dict(enumerate(self.schema.classes))
        return [table.assign(diagnosis=table.pop("target").map(names))]
