"""Tumult Core: its noise mechanisms on a sum of clamped numbers and on a count."""

from importlib.metadata import version

import numpy as np
import sympy
from tmlt.core.domains.numpy_domains import NumpyFloatDomain
from tmlt.core.measurements.noise_mechanisms import AddGeometricNoise, AddLaplaceNoise


def about():
    return {"name": "tmlt.core", "version": version("tmlt.core"), "level": "primitive"}


def releases():
    return [
        {"name": name, "adjacency": "add-remove", "size_public": "no"}
        for name in ("laplace_sum", "geometric_count")
    ]


def release(name, data, epsilon, runs):
    scale = 1 / sympy.Rational(epsilon).limit_denominator(1000)
    if name == "laplace_sum":
        noise = AddLaplaceNoise(input_domain=NumpyFloatDomain(), scale=scale)
        value = np.float64(np.clip(np.array(data["x"], dtype=float), *data["bounds"]).sum())
    else:
        noise, value = AddGeometricNoise(alpha=scale), np.int64(len(data["x"]))
    return [[float(noise(value))] for _ in range(runs)]
