"""Releases of two libraries, audited in an environment of their own, which needs nothing of ours.

python -m venv libraries && libraries/bin/pip install opendp python-dp
securenb audit benchmarks/audit_libraries.py:opendp_laplace --python libraries/bin/python --epsilon 1
"""


def opendp_laplace(data):
    """A clamped sum with OpenDP's Laplace noise of scale 1."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    noise = _CACHE.get("laplace") or dp.m.make_laplace(
        dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), 1.0
    )
    _CACHE["laplace"] = noise
    return noise(float(sum(min(max(x, 0.0), 1.0) for x in data)))


def opendp_discrete_laplace(data):
    """A count with OpenDP's discrete Laplace noise of scale 1."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    noise = _CACHE.get("discrete") or dp.m.make_laplace(
        dp.atom_domain(T=int), dp.absolute_distance(T=int), 1.0
    )
    _CACHE["discrete"] = noise
    return noise(len(data))


def python_dp_mean(data):
    """python-dp's bounded mean at epsilon 1."""
    from pydp.algorithms.laplacian import BoundedMean

    return BoundedMean(epsilon=1.0, lower_bound=0.0, upper_bound=1.0, dtype="float").quick_result(
        list(map(float, data))
    )


def python_dp_count(data):
    """python-dp's count at epsilon 1."""
    from pydp.algorithms.laplacian import Count

    return Count(epsilon=1.0, dtype="float").quick_result(list(map(float, data)))


_CACHE = {}
