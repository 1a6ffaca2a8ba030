"""ByzFL: its robust aggregators, on numpy arrays of double precision."""

from importlib.metadata import version

import byzfl
import numpy as np

RULES = {
    "average": lambda f: byzfl.Average(),
    "median": lambda f: byzfl.Median(),
    "trimmed_mean": byzfl.TrMean,
    "geometric_median": lambda f: byzfl.GeometricMedian(),
    "krum": byzfl.Krum,
    "multi_krum": byzfl.MultiKrum,
    "centered_clipping": lambda f: byzfl.CenteredClipping(),
    "mda": byzfl.MDA,
    "monna": byzfl.MoNNA,
    "meamed": byzfl.Meamed,
    "caf": byzfl.CAF,
    "smea": byzfl.SMEA,
}
NOT_TOLD = ("average", "median", "geometric_median", "centered_clipping")


TRUSTED = {
    "check": "order",
    "of": "monna",
    "quote": "corresponds to the ID of a vector that is trusted to be correct (i.e., not faulty)",
    "url": "https://pypi.org/project/byzfl/0.0.11/",
    "date": "2026-12-01",
}


def about():
    return {"name": "byzfl", "version": version("byzfl"), "level": "class", "limits": [TRUSTED]}


def rules():
    return [{"name": name, "takes_f": name not in NOT_TOLD} for name in RULES]


def tolerates(rule, n):
    return 0 if rule == "average" else None


def combine(rule, rows, f):
    return np.asarray(RULES[rule](f)(np.array(rows, dtype=np.float64)))
