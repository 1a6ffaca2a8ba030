"""Flower: the functions by which its strategies combine parameters, with equal numbers of examples."""

import os

os.environ["FLWR_TELEMETRY_ENABLED"] = "0"

import flwr
import numpy as np
from flwr.server.strategy.aggregate import (
    aggregate,
    aggregate_bulyan,
    aggregate_krum,
    aggregate_median,
    aggregate_trimmed_avg,
)

RULES = {
    "mean": lambda rows, f: aggregate(rows),
    "median": lambda rows, f: aggregate_median(rows),
    "trimmed_mean": lambda rows, f: aggregate_trimmed_avg(rows, f / len(rows)),
    "krum": lambda rows, f: aggregate_krum(rows, f, 0),
    "multi_krum": lambda rows, f: aggregate_krum(rows, f, max(1, len(rows) - f)),
    "bulyan": lambda rows, f: aggregate_bulyan(rows, f, aggregate_krum, to_keep=0),
}
TOLERATES = {
    "mean": lambda n: 0,
    "median": lambda n: (n - 1) // 2,
    "trimmed_mean": lambda n: (n - 1) // 2,
    "krum": lambda n: (n - 3) // 2,
    "multi_krum": lambda n: (n - 3) // 2,
    "bulyan": lambda n: (n - 3) // 4,
}


def about():
    return {"name": "flower-rules", "version": flwr.__version__, "level": "class"}


def rules():
    return [{"name": name, "takes_f": name not in ("mean", "median")} for name in RULES]


def tolerates(rule, n):
    return TOLERATES[rule](n)


def combine(rule, rows, f):
    return np.ravel(RULES[rule]([([np.array(row)], 10) for row in rows], f)[0])
