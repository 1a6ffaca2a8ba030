"""diffprivlib: statistics and models that claim pure epsilon, with bounds given."""

import warnings

import diffprivlib
import numpy as np
from diffprivlib import models, tools

warnings.simplefilter("ignore")
RELEASES = {
    "mean": lambda x, y, b, e: [tools.mean(x, epsilon=e, bounds=b)],
    "var": lambda x, y, b, e: [tools.var(x, epsilon=e, bounds=b)],
    "sum": lambda x, y, b, e: [tools.sum(x, epsilon=e, bounds=b)],
    "count_nonzero": lambda x, y, b, e: [tools.count_nonzero(x, epsilon=e)],
    "histogram": lambda x, y, b, e: tools.histogram(x, epsilon=e, bins=4, range=b)[0],
    "median": lambda x, y, b, e: [tools.median(x, epsilon=e, bounds=b)],
    "gaussian_nb": lambda x, y, b, e: learned(
        models.GaussianNB(epsilon=e, bounds=b).fit(x.reshape(-1, 1), y)
    ),
}


def learned(model):
    return [*model.class_count_, *model.theta_.ravel(), *model.var_.ravel()]


def about():
    return {"name": "diffprivlib", "version": diffprivlib.__version__, "level": "class"}


def releases():
    # its documents name replace-one for tools with a known size, and say nothing for others
    known = ("mean", "var", "median", "gaussian_nb")
    return [
        {
            "name": name,
            "adjacency": "replace-one" if name in known else "add-remove",
            "size_public": "yes" if name in known else "unsaid",
        }
        for name in RELEASES
    ]


def release(name, data, epsilon, runs):
    x, y = np.array(data["x"], dtype=float), np.array(data["y"], dtype=int)
    out = []
    for _ in range(runs):
        try:
            out.append([float(v) for v in RELEASES[name](x, y, tuple(data["bounds"]), epsilon)])
        except Exception:
            out.append(None)
    return out
