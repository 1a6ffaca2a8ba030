"""OpenDP: chains of transformations and Laplace measurements; the library finds the scale for a distance."""

from importlib.metadata import version

import opendp.prelude as dp

dp.enable_features("contrib", "floating-point", "honest-but-curious")
FLOATS = (dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance())
TEXTS = (dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance())
CHAINS = {
    "count": lambda n, b: (FLOATS, dp.t.then_count(), 1),
    "sum": lambda n, b: (FLOATS, dp.t.then_clamp(b) >> dp.t.then_sum(), 1),
    "mean": lambda n, b: (FLOATS, dp.t.then_clamp(b) >> dp.t.then_resize(n, 0.5) >> dp.t.then_mean(), 2),
    "variance": lambda n, b: (
        FLOATS,
        dp.t.then_clamp(b) >> dp.t.then_resize(n, 0.5) >> dp.t.then_variance(),
        2,
    ),
    "histogram": lambda n, b: (TEXTS, dp.t.then_count_by_categories(categories=["0", "1"]), 1),
}
MADE = {}


def about():
    return {"name": "opendp", "version": version("opendp"), "level": "class"}


def releases():
    sized = ("mean", "variance")
    return [
        {
            "name": name,
            "adjacency": "replace-one" if name in sized else "add-remove",
            "size_public": "yes" if name in sized else "no",
        }
        for name in CHAINS
    ]


def release(name, data, epsilon, runs):
    n, bounds = len(data["x"]), tuple(data["bounds"])
    if (name, n, epsilon) not in MADE:
        space, chain, distance = CHAINS[name](n, bounds)
        MADE[name, n, epsilon] = dp.binary_search_chain(
            lambda scale: space >> chain >> dp.m.then_laplace(scale),
            d_in=distance,
            d_out=epsilon,
            bounds=(1e-6, 1e4),
        )
    given = [str(v) for v in data["y"]] if name == "histogram" else [float(v) for v in data["x"]]
    out = []
    for _ in range(runs):
        try:
            answer = MADE[name, n, epsilon](given)
            out.append(answer if isinstance(answer, list) else [answer])
        except Exception:
            out.append(None)
    return out
