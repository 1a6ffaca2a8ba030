"""Whether a feature's queries say what its records do; tried before a schema is made of it."""

from functools import lru_cache

import numpy as np

from securenb.schema.feature import Feature

TRIED = 1 << 16
"""How many codes are tried at most, evenly spread; a grid of numbers may have more."""
AT_ONCE = 256


@lru_cache(maxsize=4096)
def check_queries(feature: Feature) -> None:
    """Try what a record with each code adds, at most `TRIED` of them, against what the feature states.

    Raises
    ------
    ValueError
        If a record moves more than a query says: noise would be too small, and charged as if it were not.
    """
    every = np.unique(np.linspace(0, feature.size - 1, min(feature.size, TRIED)).astype(np.int32))
    least = np.full(feature.width, np.iinfo(np.int64).max)
    most = np.full(feature.width, np.iinfo(np.int64).min)
    for start in range(0, len(every), AT_ONCE):
        codes = every[start : start + AT_ONCE]
        # each in a class of its own, through the function that statistics come from
        table = feature.tabulate(codes, np.arange(len(codes)), len(codes))
        least, most = np.minimum(least, table.min(axis=0)), np.maximum(most, table.max(axis=0))
        at = 0
        for query in feature.queries:
            part = table[:, at : at + query.width]
            at += query.width
            moved = int((part != 0).sum(axis=1).max())
            if moved > 1:
                raise ValueError(
                    f"{feature.name}: a record moves {moved} coordinates of {query.kind!r}, not one"
                )
            if query.partition and not (part.sum(axis=1) == 1).all():
                raise ValueError(f"{feature.name}: not every record counts once in {query.kind!r}")
    at = 0
    for query in feature.queries:
        low, high = least[at : at + query.width], most[at : at + query.width]
        at += query.width
        reach, span = int(np.maximum(-low, high).max()), int((high - low).max())
        if reach > query.reach or span > query.span:
            raise ValueError(
                f"{feature.name}: a record moves {query.kind!r} by {reach} and within its class by {span}, "
                f"not by {query.reach} and {query.span}"
            )
