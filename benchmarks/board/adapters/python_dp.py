"""python-dp (PyDP): bounded algorithms of Google's library, with bounds given."""

from importlib.metadata import version

from pydp.algorithms.laplacian import (
    BoundedMean,
    BoundedStandardDeviation,
    BoundedSum,
    BoundedVariance,
    Count,
    Max,
    Median,
)

KINDS = {
    "mean": BoundedMean,
    "sum": BoundedSum,
    "variance": BoundedVariance,
    "standard_deviation": BoundedStandardDeviation,
    "count": Count,
    "median": Median,
    "max": Max,
}


def about():
    return {"name": "python-dp", "version": version("python-dp"), "level": "class"}


def releases():
    return [{"name": name, "adjacency": "add-remove", "size_public": "no"} for name in KINDS]


def release(name, data, epsilon, runs):
    low, high = data["bounds"]
    bounds = {} if name == "count" else {"lower_bound": low, "upper_bound": high}
    values, out = [float(v) for v in data["x"]], []
    for _ in range(runs):
        try:
            out.append([KINDS[name](epsilon=epsilon, dtype="float", **bounds).quick_result(values)])
        except Exception:
            out.append(None)
    return out
