"""NVFlare: the weighted mean behind its aggregators, with equal weights."""

from importlib.metadata import version

import numpy as np
from nvflare.app_common.aggregators.weighted_aggregation_helper import WeightedAggregationHelper


def about():
    return {"name": "nvflare", "version": version("nvflare"), "level": "class"}


def rules():
    return [{"name": "weighted_mean", "takes_f": False}]


def tolerates(rule, n):
    return 0


def combine(rule, rows, f):
    helper = WeightedAggregationHelper()
    for at, row in enumerate(rows):
        helper.add({"w": np.array(row)}, 1.0, f"site-{at}", 0)
    return helper.get_result()["w"]
