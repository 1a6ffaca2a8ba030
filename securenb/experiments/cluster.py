"""Where a sweep's cells run: processes of this machine, or a Dask or Ray cluster."""

import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager

PACKAGES = {"dask": "distributed", "ray": "ray"}
"""Backends that need a package of their own."""


@contextmanager
def cluster(backend: str, jobs: int, address: str | None = None) -> Iterator[None]:
    """Has joblib's backend ready for as long as the block runs.

    Submitting work to such a cluster is running any code on it: it is for sweeps on machines of one
    owner, never for sites with records of their own.

    Parameters
    ----------
    backend
        Of joblib; only `dask` and `ray` have a cluster.
    jobs
        Workers of a cluster that is made here; -1 for one a core.
    address
        Of a cluster that is there already; `None` makes one on this machine.

    Raises
    ------
    ValueError
        If the backend's package is not installed, or an address is given to one that has no use for it.
    """
    package = PACKAGES.get(backend)
    if package is None:
        if address is not None:
            raise ValueError(f"backend {backend} runs on this machine: it has no use for {address!r}")
        yield
        return
    if importlib.util.find_spec(package) is None:
        raise ValueError(f"backend {backend} needs a package: python3 -m pip install {package}")
    workers = jobs if jobs > 0 else os.cpu_count() or 1
    if backend == "ray":
        with _ray(workers, address):
            yield
        return
    from distributed import Client, LocalCluster

    if address is not None:
        with Client(address):
            yield
        return
    # no dashboard: sweeps open no port unasked
    made = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
    with made, Client(made):
        yield


@contextmanager
def _ray(workers: int, address: str | None) -> Iterator[None]:
    import ray
    from ray.util.joblib import register_ray

    register_ray()
    ray.init(address=address, num_cpus=workers if address is None else None, include_dashboard=False)
    try:
        yield
    finally:
        ray.shutdown()
